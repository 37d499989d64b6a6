"""The OpenAPI document, derived from the operations."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from heedful import __version__, errors
from heedful.edges.api import event_batches, problems
from heedful.edges.api.routes import PREFIX
from heedful.errors import HeedfulError
from heedful.records.names import Name
from heedful.records.role import Role
from heedful.wire import Wire, accepts, dump, wires

_REF = "#/components/schemas/{model}"
_JSON = "application/json"
_PDF = "application/pdf"
_FILE_BODY = {
    "required": True,
    "description": "The PDF file itself.",
    "content": {_PDF: {"schema": {"type": "string", "contentMediaType": _PDF}, "example": "%PDF-1.7 …"}},
}
_NULL = {"type": "null"}
_ALWAYS = (
    errors.BadRequest,
    errors.Unauthenticated,
    errors.Forbidden,
    errors.MethodNotAllowed,
    errors.TooManyRequests,
    errors.StoreError,
)
_WITH_BODY = (errors.RequestTimeout, errors.RequestTooLarge, errors.UnsupportedMedia)
_DESCRIPTION = """
Correct it once. heedful records what people change in the output of an AI, and learns from it.

Every request needs a key, as `Authorization: Bearer …`. The key determines the organisation.
Lists are paginated: pass `next` as `cursor`. Requests that create something accept your own `id` (or the header
`Idempotency-Key`) and are then idempotent. Errors are problem documents (RFC 9457) with a stable `code`.
Responses to GET have an ETag. Request bodies may be gzipped; large responses are, if the client accepts it.
"""
_JSON_VALUE: dict[str, Any] = {
    "title": "Json",
    "description": "Any JSON value; integers have at most 64 bits.",
    "anyOf": [
        {"type": "null"},
        {"type": "boolean"},
        {"type": "integer", "minimum": -(2**63), "maximum": 2**64 - 1},
        {"type": "number", "minimum": -sys.float_info.max, "maximum": sys.float_info.max},
        {"type": "string"},
        {"type": "array", "items": {"$ref": "#/components/schemas/Json"}},
        {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Json"}},
    ],
}


@cache
def openapi_document() -> dict[str, Any]:
    """Built on first use, as it takes half a second."""
    schemas = _Schemas()
    paths: dict[str, dict[str, Any]] = {}
    for wire in sorted(wires(), key=lambda wire: wire.operation.path):
        paths.setdefault(PREFIX + wire.operation.path, {})[wire.operation.verb.lower()] = _operation(wire, schemas)
    document = {
        "openapi": "3.1.0",
        "info": {"title": "heedful", "version": __version__, "description": _DESCRIPTION.strip()},
        "paths": paths,
        "components": {
            "schemas": {**schemas.definitions(), "Problem": problems.SCHEMA, "Json": _JSON_VALUE},
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer", "description": "A key from `heedful keys create`."}
            },
        },
        "security": [{"key": []}],
    }
    _fill_open_objects(document)
    return document


class _Schemas:
    def __init__(self) -> None:
        self._found: dict[str, Any] = {}

    def refer(self, kind: Any, mode: JsonSchemaMode) -> dict[str, Any]:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        schema = adapter.json_schema(mode=mode, ref_template=_REF)
        for name, inner in schema.pop("$defs", {}).items():
            self._found[name] = inner
        if schema.get("type") == "object" and "title" in schema and "properties" in schema:
            self._found[schema["title"]] = schema
            return {"$ref": _REF.format(model=schema["title"])}
        return schema

    def definitions(self) -> dict[str, Any]:
        return dict(sorted(self._found.items()))


def _operation(wire: Wire, schemas: _Schemas) -> dict[str, Any]:
    operation = wire.operation
    described: dict[str, Any] = {
        "operationId": wire.id,
        "summary": operation.summary,
        "description": _description(wire),
        "tags": [wire.attributes[0]],
        "parameters": _parameters(wire, schemas),
        "responses": _responses(wire, schemas),
        "x-codeSamples": [{"lang": "Shell", "label": "curl", "source": _curl(wire)}],
    }
    if operation.streams:
        described["requestBody"] = event_batches.REQUEST_BODY
    elif operation.upload is not None:
        described["requestBody"] = _FILE_BODY
    elif not wire.in_query and (model := wire.beside_path_model()) is not None:
        example = {name: value for name, value in operation.example.items() if name in model.model_fields}
        content = {"schema": schemas.refer(model, "validation"), "example": example}
        required = any(field.is_required() for field in model.model_fields.values())
        described["requestBody"] = {"required": required, "content": {_JSON: content}}
    return described


def _curl(wire: Wire) -> str:
    operation, example = wire.operation, dict(wire.operation.example)
    path = operation.path
    for parameter in wire.in_path:
        path = path.replace(f"{{{parameter.name}}}", str(example.pop(parameter.name)))
    example.pop(operation.upload or "", None)
    query = f"?{urlencode(_texts(example), doseq=True)}" if wire.in_query and example else ""
    lines = [f'curl "http://127.0.0.1:8321{PREFIX}{path}{query}"', '-H "Authorization: Bearer $HEEDFUL_KEY"']
    if operation.verb not in ("GET", "POST"):
        lines.append(f"-X {operation.verb}")
    if operation.streams:
        lines.append("--data-binary @acts.ndjson")
    elif operation.upload is not None:
        lines.append(f'-H "Content-Type: {_PDF}" --data-binary @order.pdf')
    elif not wire.in_query:
        lines.append(f"-H \"Content-Type: {_JSON}\" -d '{dump(example).decode()}'")
    return " \\\n  ".join(lines)


def _texts(example: Mapping[str, Any]) -> dict[str, Any]:
    """Values for a query string: true, not True."""
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in example.items()}


def _description(wire: Wire) -> str:
    operation = wire.operation
    roles = ", ".join(role.value for role in Role if role in operation.permission.roles)
    parts = [operation.description, f"Roles: {roles}."]
    if operation.tier is not None:
        parts.append(f"Tier: {operation.tier.value} or higher.")
    return "\n\n".join(part for part in parts if part)


def _parameters(wire: Wire, schemas: _Schemas) -> list[dict[str, Any]]:
    operation = wire.operation
    describe = partial(_parameter, schemas)
    made = [describe("path", p.name, wire.accepts(p), operation.example.get(p.name)) for p in wire.in_path]
    if wire.in_query:
        made += [
            describe("query", p.name, wire.accepts(p, text=True), operation.example.get(p.name), p.default)
            for p in wire.beside_path
        ]
    elif operation.streams:
        made += [describe("query", "whole", accepts(bool, text=True), None, default=False)]
    if operation.creates:
        key = describe("header", "Idempotency-Key", accepts(Name), None, None)
        made.append({**key, "description": "The same as `id` in the body."})
    return made


def _parameter(schemas: _Schemas, where: str, name: str, kind: Any, example: Any, default: Any = ...) -> dict[str, Any]:
    schema = schemas.refer(kind, "validation")
    kinds = schema.get("anyOf", [schema])
    parts = [part for part in kinds if part != _NULL]
    if _NULL in kinds and default not in (None, ...):
        parts.append({"const": "null"})  # in a query string, disables a default filter
    schema = parts[0] if len(parts) == 1 else {**schema, "anyOf": parts}
    described = {"in": where, "name": name, "required": default is ..., "schema": schema}
    return described if example is None else {**described, "example": example}


def _responses(wire: Wire, schemas: _Schemas) -> dict[str, Any]:
    operation = wire.operation
    if operation.streams:
        well: dict[str, Any] = event_batches.ANSWERS
    else:
        content = {"schema": schemas.refer(wire.answer_model(), "serialization")}
        well = {"description": "Success.", "content": {_JSON: content}}
    described = {"201" if operation.creates else "200": well}
    if operation.verb == "GET":
        described["304"] = {"description": "Not modified: the ETag in If-None-Match matches."}
    by_status: dict[str, list[str]] = {}
    for kind in _errors(wire):
        by_status.setdefault(str(problems.status_of(kind)), []).append(kind.code)
    return described | {status: _problem(codes) for status, codes in sorted(by_status.items())}


def _errors(wire: Wire) -> list[type[HeedfulError]]:
    operation = wire.operation
    found: list[type[HeedfulError]] = [*_ALWAYS, *operation.errors]
    if operation.parameters or wire.in_query:
        found.append(errors.InvalidInput)
    if not wire.in_query or operation.upload is not None:
        found += _WITH_BODY
    if operation.tier is not None:
        found.append(errors.LicenceRequired)
    return found


def _problem(codes: list[str]) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": ", ".join(dict.fromkeys(codes)), "content": {problems.MEDIA_TYPE: {"schema": schema}}}


def _fill_open_objects(part: Any) -> None:
    """Replaces open objects by objects of JSON values."""
    if isinstance(part, dict):
        if part.get("additionalProperties") is True:
            part["additionalProperties"] = {"$ref": "#/components/schemas/Json"}
        for inner in part.values():
            _fill_open_objects(inner)
    elif isinstance(part, list):
        for inner in part:
            _fill_open_objects(inner)

"""The API reference page, built from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

_STAGES = {
    "capture": "Record events, messages and decisions.",
    "learn": "Derive learnings and propose changes.",
    "govern": "Access, approval, privacy and deletion.",
    "apply": "Use learnings in prompts and outputs.",
    "measure": "Statistics.",
    "agents": "For hooks of coding agents.",
    "log": "Recorded events.",
    "jobs": "Background jobs.",
}
_SERVER = "http://127.0.0.1:8321"
_REF = "#/components/schemas/"
_FEW = 12  # values of a choice that are named
_FIRST_ERROR = 400
_OR_NULL = " or null"


class TypeDoc(NamedTuple):
    """The type of a value in words, and the schema it links to."""

    text: str
    schema: str | None = None


class FieldDoc(NamedTuple):
    name: str
    location: str
    """path, query, header or body."""
    required: bool
    type: TypeDoc
    description: str


class ResponseDoc(NamedTuple):
    status: str
    description: str
    type: TypeDoc | None

    @property
    def succeeded(self) -> bool:
        return int(self.status) < _FIRST_ERROR


class OperationDoc(NamedTuple):
    id: str
    verb: str
    path: str
    summary: str
    paragraphs: tuple[str, ...]
    fields: tuple[FieldDoc, ...]
    example: str
    responses: tuple[ResponseDoc, ...]

    @property
    def successes(self) -> list[ResponseDoc]:
        return [response for response in self.responses if response.succeeded]

    @property
    def problems(self) -> list[ResponseDoc]:
        return [response for response in self.responses if not response.succeeded]

    def curl(self, base: str) -> str:
        return self.example.replace(_SERVER, base)


class StageDoc(NamedTuple):
    name: str
    description: str
    operations: tuple[OperationDoc, ...]


class SchemaDoc(NamedTuple):
    name: str
    description: str
    fields: tuple[FieldDoc, ...]


class ApiReference:
    """Built on first use."""

    def __init__(self, describe: Callable[[], Mapping[str, Any]]) -> None:
        self._describe = describe

    @cached_property
    def _description(self) -> Mapping[str, Any]:
        return self._describe()

    @property
    def paragraphs(self) -> list[str]:
        return [" ".join(part.split()) for part in self._description["info"]["description"].split("\n\n")]

    @cached_property
    def stages(self) -> list[StageDoc]:
        found: dict[str, list[OperationDoc]] = {name: [] for name in _STAGES}
        for path, verbs in self._description["paths"].items():
            for verb, described in verbs.items():
                operation = _operation(verb.upper(), path, described, self._description["components"]["schemas"])
                found.setdefault(described["tags"][0], []).append(operation)
        return [
            StageDoc(name, _STAGES.get(name, ""), tuple(operations)) for name, operations in found.items() if operations
        ]

    @cached_property
    def schemas(self) -> list[SchemaDoc]:
        schemas = self._description["components"]["schemas"]
        return [
            SchemaDoc(name, schema.get("description", ""), tuple(_properties(schema)))
            if "properties" in schema
            else SchemaDoc(name, schema.get("description") or f"One of: {_type(schema).text}", ())
            for name, schema in schemas.items()
        ]


def _operation(verb: str, path: str, described: Mapping[str, Any], schemas: Mapping[str, Any]) -> OperationDoc:
    body = described.get("requestBody", {}).get("content", {})
    fields = [*map(_parameter, described["parameters"]), *(_body(next(iter(body.items())), schemas) if body else ())]
    return OperationDoc(
        id=described["operationId"],
        verb=verb,
        path=path,
        summary=described["summary"],
        paragraphs=tuple(" ".join(part.split()) for part in described["description"].split("\n\n")),
        fields=tuple(fields),
        example=described["x-codeSamples"][0]["source"],
        responses=tuple(_response(status, one) for status, one in described["responses"].items()),
    )


def _parameter(described: Mapping[str, Any]) -> FieldDoc:
    kind = _type(described["schema"])
    return _field(
        described["name"], described["in"], described.get("description", ""), kind, required=described["required"]
    )


def _field(name: str, location: str, description: str, kind: TypeDoc, *, required: bool) -> FieldDoc:
    """Optional fields do not mention null."""
    shown = kind if required else TypeDoc(kind.text.removesuffix(_OR_NULL), kind.schema)
    return FieldDoc(name, location, required, shown, description)


def _body(content: tuple[str, Mapping[str, Any]], schemas: Mapping[str, Any]) -> Iterator[FieldDoc]:
    media, described = content
    kind = _type(described.get("schema", {}))
    if media == "application/json" and kind.schema is not None:
        yield from _properties(schemas[kind.schema], "body")
    else:
        yield FieldDoc("body", media, required=True, type=kind, description="")


def _properties(schema: Mapping[str, Any], location: str = "") -> Iterator[FieldDoc]:
    required = schema.get("required", ())
    for name, inner in schema["properties"].items():
        yield _field(name, location, inner.get("description", ""), _type(inner), required=name in required)


def _response(status: str, described: Mapping[str, Any]) -> ResponseDoc:
    content: Mapping[str, Any] = next(iter(described.get("content", {}).values()), {})
    return ResponseDoc(status, described["description"], _type(content["schema"]) if "schema" in content else None)


def _type(schema: Mapping[str, Any]) -> TypeDoc:
    if (reference := schema.get("$ref")) is not None:
        name = str(reference).removeprefix(_REF)
        return TypeDoc(name, name)
    several = schema.get("anyOf") or schema.get("oneOf")
    if several:
        kinds = [_type(one) for one in several if one != {"type": "null"}]
        nothing = _OR_NULL if {"type": "null"} in several else ""
        linked = next((kind.schema for kind in kinds if kind.schema), None)
        return TypeDoc(" or ".join(dict.fromkeys(kind.text for kind in kinds)) + nothing, linked)
    if "enum" in schema:
        values = [str(value) for value in schema["enum"]]
        return TypeDoc(", ".join(values[:_FEW]) + (", …" if len(values) > _FEW else ""))
    return _plain(schema)


def _plain(schema: Mapping[str, Any]) -> TypeDoc:
    kind = schema.get("type")
    if kind == "array":
        inner = _type(schema.get("items", {}))
        return TypeDoc(f"list of {inner.text}", inner.schema)
    if kind == "object":
        values = schema.get("additionalProperties")
        return TypeDoc("object", _type(values).schema) if isinstance(values, Mapping) else TypeDoc("any object")
    text = {"string": "text", "integer": "integer", "boolean": "true or false"}.get(str(kind), str(kind or "any"))
    text = {"date": "day", "date-time": "time"}.get(str(schema.get("format")), text)
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        text += f", {low:,} to {high:,}"
    return TypeDoc(text)

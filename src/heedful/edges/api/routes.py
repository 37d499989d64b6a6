"""One route per operation: found by its address, its arguments read and checked, its answer sent."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from heedful import errors
from heedful.edges.api import body
from heedful.edges.api.body import Patience
from heedful.edges.api.service import Service
from heedful.model import names
from heedful.wire import Wire, wires

PREFIX = "/v1"
_JSON = "application/json"
_WORTH_PACKING = 1_000


class Route(NamedTuple):
    wire: Wire
    template: str
    model: type[BaseModel] | None
    takes_id: bool


class Routes:
    """Routes by their addresses, part by part. Parts are compared as they were sent, before %2F becomes a slash: so an
    id may hold anything."""

    def __init__(self) -> None:
        self._routes: dict[tuple[str, ...], dict[str, Route]] = {}
        for wire in wires():
            route = _route(wire)
            parts = tuple("{}" if part.startswith("{") else part for part in _parts(route.template))
            self._routes.setdefault(parts, {})[wire.operation.verb] = route

    def find(self, request: Request) -> tuple[Route, dict[str, str]]:
        """The route of a request, and what its path tells."""
        sent = _parts(request.scope["raw_path"].decode("latin-1"))
        methods = self._methods(sent)
        if not methods:
            raise errors.NoSuchRoute("There is nothing at this address.", hint="See /v1/openapi.json.")
        route = methods.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            raise errors.MethodNotAllowed(
                "This address does not take that method.", hint=f"It takes {', '.join(sorted(methods))}."
            )
        named = zip(_parts(route.template), sent, strict=True)
        return route, {name[1:-1]: _unquoted(part) for name, part in named if name.startswith("{")}

    def allowed(self, request: Request) -> str:
        return ", ".join(sorted(self._methods(_parts(request.scope["raw_path"].decode("latin-1")))))

    def _methods(self, sent: list[str]) -> dict[str, Route]:
        """A part that is named counts more than one that stands for anything."""
        found = self._routes.get(tuple(sent))
        if found is None and len(sent) > _NOUN and sent[_NOUN]:
            found = self._routes.get((*sent[:_NOUN], "{}", *sent[_NOUN + 1 :]))
        return found or {}


_NOUN = 2
"""Where in /v1/events/{id} the id is, counted from nought."""


def _parts(path: str) -> list[str]:
    return path.removeprefix("/").split("/")


def _unquoted(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise errors.BadRequest("The address is not UTF-8.", hint="Encode ids as UTF-8, then as %XX.") from None


def _route(wire: Wire) -> Route:
    model = None if wire.operation.streams else wire.arguments_model()
    takes_id = wire.operation.creates and model is not None and "id" in model.model_fields
    return Route(wire, PREFIX + wire.operation.path, model, takes_id)


async def answer(
    request: Request, route: Route, in_path: dict[str, str], *, service: Service, patience: Patience
) -> Response:
    """Read the arguments, do it, and tell."""
    wire = route.wire
    arguments: dict[str, Any] = dict(in_path)
    if wire.in_query:
        _no_more_than_known(request, route)
        arguments |= _checked(route.model, _query(request)) if route.model else {}
    else:
        arguments |= _checked(route.model, await _told(request, route, patience)) if route.model else {}
    if route.takes_id and "idempotency-key" in request.headers:
        sent = request.headers["idempotency-key"].encode("latin-1").decode("utf-8", "replace")
        key = names.identifier(sent, "Idempotency-Key")
        arguments["id"] = key if arguments.get("id") is None else arguments["id"]
    content = await service.perform(request, wire, arguments)
    return _sent(request, content, 201 if wire.operation.creates else 200)


def _no_more_than_known(request: Request, route: Route) -> None:
    if route.model is None and request.query_params:
        raise errors.InvalidInput("This address takes no parameters.", hint="Leave out what follows the question mark.")


def _query(request: Request) -> dict[str, str]:
    found = request.query_params.multi_items()
    twice = {name for name, _ in found if sum(name == other for other, _ in found) > 1}
    if twice:
        raise errors.InvalidInput(f"{sorted(twice)[0]} is given twice.", hint="Give each parameter once.")
    return dict(found)


async def _told(request: Request, route: Route, patience: Patience) -> Mapping[str, Any]:
    content = await body.whole(request, patience)
    if not content and route.model is not None and not any(f.is_required() for f in route.model.model_fields.values()):
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        raise errors.UnsupportedMedia("The body is not marked as JSON.", hint="Send Content-Type: application/json.")
    try:
        told = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise errors.BadRequest(
            f"The body is not valid JSON: {error}.", hint="Check quotes, commas and UTF-8."
        ) from None
    if not isinstance(told, dict):
        raise errors.InvalidInput("The body is not a JSON object.", hint="Send {…}, as /v1/openapi.json describes.")
    return told


def _checked(model: type[BaseModel], told: Mapping[str, Any]) -> dict[str, Any]:
    try:
        checked = model.model_validate(told)
    except ValidationError as error:
        shown = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
        raise errors.InvalidInput(f"{shown}.", hint="The description is at /v1/openapi.json.") from None
    return {name: getattr(checked, name) for name in checked.model_fields_set}


def _sent(request: Request, content: bytes, status: int) -> Response:
    headers: dict[str, str] = {}
    if request.method in ("GET", "HEAD"):
        tag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        known = request.headers.get("if-none-match", "")
        if tag in (other.strip().removeprefix("W/") for other in known.split(",")):
            return Response(status_code=304, headers=headers)  # whoever has it already need not get it again
    if len(content) > _WORTH_PACKING and "gzip" in request.headers.get("accept-encoding", ""):
        content = gzip.compress(content, 5)
        headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(content, status, headers, _JSON)

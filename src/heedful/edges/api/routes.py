"""One route per operation: found by its address, its arguments read and checked, its answer sent."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from heedful import errors
from heedful.edges.api import body
from heedful.edges.api.body import Patience
from heedful.edges.api.service import Service
from heedful.wire import Wire, wires

PREFIX = "/v1"
_JSON = "application/json"
_WORTH_PACKING = 1_000


class Route(NamedTuple):
    wire: Wire
    path: str
    pattern: re.Pattern[str] | None
    """For addresses with something of the caller's in them, which may hold anything, even slashes."""
    model: type[BaseModel] | None
    names_in_path: tuple[str, ...]
    takes_id: bool


class Routes:
    def __init__(self) -> None:
        routes = [_route(wire) for wire in wires()]
        self._fixed = {(route.wire.operation.verb, route.path): route for route in routes if route.pattern is None}
        # The longest first: an id may hold anything, even what looks like the rest of another address.
        self._open = sorted((route for route in routes if route.pattern), key=lambda route: -len(route.path))

    def find(self, request: Request) -> tuple[Route, dict[str, str]]:
        """The route of a request, and what its path tells."""
        verb, path = request.method, request.scope["path"]
        verb = "GET" if verb == "HEAD" else verb
        if (route := self._fixed.get((verb, path))) is not None:
            return route, {}
        for route in self._open:
            assert route.pattern is not None
            if route.wire.operation.verb == verb and (found := route.pattern.fullmatch(path)):
                return route, found.groupdict()
        if allowed := self.allowed(path):
            raise errors.MethodNotAllowed("This address does not take that method.", hint=f"It takes {allowed}.")
        raise errors.NoSuchRoute("There is nothing at this address.", hint="The description is at /v1/openapi.json.")

    def allowed(self, path: str) -> str:
        fixed = {verb for verb, known in self._fixed if known == path}
        found = fixed | {r.wire.operation.verb for r in self._open if r.pattern and r.pattern.fullmatch(path)}
        return ", ".join(sorted(found))


def _route(wire: Wire) -> Route:
    path = PREFIX + wire.operation.path
    names = tuple(parameter.name for parameter in wire.in_path)
    pattern = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(path)), re.DOTALL) if names else None
    model = None if wire.operation.streams else wire.arguments_model()
    takes_id = wire.operation.creates and model is not None and "id" in model.model_fields
    return Route(wire, path, pattern, model, names, takes_id)


async def answer(
    request: Request, route: Route, in_path: dict[str, str], service: Service, patience: Patience
) -> Response:
    """Read the arguments, do it, and tell."""
    wire = route.wire
    arguments: dict[str, Any] = dict(in_path)
    if wire.in_query:
        _no_more_than_known(request, route)
        arguments |= _checked(route.model, _query(request)) if route.model else {}
    else:
        arguments |= _checked(route.model, await _told(request, route, patience)) if route.model else {}
    if route.takes_id and arguments.get("id") is None and "idempotency-key" in request.headers:
        arguments["id"] = request.headers["idempotency-key"].encode("latin-1").decode("utf-8", "replace")
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

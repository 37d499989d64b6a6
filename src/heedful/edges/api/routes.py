"""One route per operation: finds it, validates its arguments, and sends the response."""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson
from anyio import to_thread
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from heedful import errors
from heedful.edges import request_body
from heedful.edges.api.executor import Executor
from heedful.edges.request_body import Timeouts
from heedful.records import names
from heedful.records.document import FILE_LIMIT
from heedful.wire import Wire, wires

PREFIX = "/v1"
_JSON = "application/json"
_FILES = ("application/pdf", "application/octet-stream")
_FILE_NAME = "document.pdf"  # unless the caller names it
_WORTH_PACKING = 1_000
_QUICKLY_PACKED = 100_000


class Route(NamedTuple):
    wire: Wire
    template: str
    model: type[BaseModel] | None
    takes_id: bool


class Node:
    """A segment of a path: its next segments, and the methods of the route that ends here."""

    def __init__(self) -> None:
        self.next: dict[str, Node] = {}
        self.methods: dict[str, Route] = {}


class Routes:
    """A tree of path segments. Compares segments before decoding, so that an id may contain %2F."""

    def __init__(self) -> None:
        self._root = Node()
        for wire in wires():
            route = _route(wire)
            node = self._root
            for part in _parts(route.template):
                node = node.next.setdefault("{}" if part.startswith("{") else part, Node())
            assert wire.operation.verb not in node.methods, f"two operations at {route.template}"
            node.methods[wire.operation.verb] = route

    def find(self, request: Request) -> tuple[Route, dict[str, str]]:
        methods = self._methods(request)
        if not methods:
            raise errors.NoSuchRoute("There is nothing at this address.", hint="See /v1/openapi.json.")
        route = methods.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            raise errors.MethodNotAllowed(
                "This address does not take that method.", hint=f"It takes {', '.join(sorted(methods))}."
            )
        named = zip(_parts(route.template), _sent(request), strict=True)
        return route, {name[1:-1]: _unquoted(part) for name, part in named if name.startswith("{")}

    def allowed(self, request: Request) -> str:
        return ", ".join(sorted(self._methods(request)))

    def _methods(self, request: Request) -> dict[str, Route]:
        """A part that is named counts more than one that stands for anything."""
        node: Node | None = self._root
        for part in _sent(request):
            node = node and (node.next.get(part) or (node.next.get("{}") if part else None))
        return node.methods if node else {}


def _sent(request: Request) -> list[str]:
    return _parts(request.scope["raw_path"].decode("latin-1"))


def _parts(path: str) -> list[str]:
    return path.removeprefix("/").split("/")


def _unquoted(part: str) -> str:
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise errors.BadRequest("The path is not UTF-8.", hint="Encode ids as UTF-8, then as %XX.") from None


@cache
def _route(wire: Wire) -> Route:
    model = None if wire.operation.streams else wire.beside_path_model()
    takes_id = wire.operation.creates and model is not None and "id" in model.model_fields
    return Route(wire, PREFIX + wire.operation.path, model, takes_id)


async def answer(
    request: Request, route: Route, in_path: dict[str, str], *, executor: Executor, timeouts: Timeouts
) -> Response:
    wire = route.wire
    arguments: dict[str, Any] = dict(in_path)
    if wire.in_query:
        _require_known_query(request, route)
        arguments |= _checked(route.model, _query(request, wire)) if route.model else {}
    else:
        arguments |= _checked(route.model, await _body(request, route, timeouts)) if route.model else {}
    if route.takes_id and "idempotency-key" in request.headers:
        sent = request.headers["idempotency-key"].encode("latin-1").decode("utf-8", "surrogateescape")
        key = names.identifier(sent, "Idempotency-Key")
        arguments["id"] = key if arguments.get("id") is None else arguments["id"]
    if wire.operation.upload is not None:
        return await _answer_upload(request, wire, arguments, executor=executor, timeouts=timeouts)
    content = await executor.perform(request, wire, arguments)
    return await _reply(request, content, 201 if wire.operation.creates else 200)


async def _answer_upload(
    request: Request, wire: Wire, arguments: dict[str, Any], *, executor: Executor, timeouts: Timeouts
) -> Response:
    """The body goes to a temporary file, so that many large ones at once do not fill the memory."""
    assert wire.operation.upload is not None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _FILES:
        hint = f"Send the file itself as the body, with Content-Type: {_FILES[0]}."
        raise errors.UnsupportedMedia("The Content-Type is not that of a PDF file.", hint=hint)
    with await request_body.read_file(request, timeouts, FILE_LIMIT) as file:
        await executor.recheck(request)  # sending it may have taken a while
        sent = {"name": _FILE_NAME, **arguments, wire.operation.upload: file}
        content = await executor.perform(request, wire, sent)
    return await _reply(request, content, 201)


def _require_known_query(request: Request, route: Route) -> None:
    if route.model is None and request.query_params:
        raise errors.InvalidInput("This route takes no query parameters.", hint="Remove the query string.")


def _query(request: Request, wire: Wire) -> dict[str, str | list[str]]:
    found = request.query_params.multi_items()
    for name, count in Counter(name for name, _ in found).items():
        if count > 1 and name not in wire.lists:
            raise errors.InvalidInput(f"Duplicate parameter: {name}.", hint="Send it once.")
    lists: dict[str, list[str]] = {}
    for name, value in found:
        if name in wire.lists:
            lists.setdefault(name, []).append(value)
    return {**dict(found), **lists}


async def _body(request: Request, route: Route, timeouts: Timeouts) -> Mapping[str, Any]:
    content = await request_body.read_body(request, timeouts)
    if not content and route.model is not None and not any(f.is_required() for f in route.model.model_fields.values()):
        return {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        raise errors.UnsupportedMedia("The Content-Type is not JSON.", hint="Send Content-Type: application/json.")
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise errors.BadRequest(
            f"The body is not valid JSON: {error}.", hint="Check quotes, commas and UTF-8."
        ) from None
    if not isinstance(document, dict):
        raise errors.InvalidInput(
            "The body is not a JSON object.", hint="Send an object, as described in /v1/openapi.json."
        )
    return document


def _checked(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        checked = model.model_validate(given)
    except ValidationError as error:
        shown = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
        raise errors.InvalidInput(f"{shown}.", hint="See /v1/openapi.json.") from None
    return {name: getattr(checked, name) for name in checked.model_fields_set}


async def _reply(request: Request, content: bytes, status: int) -> Response:
    headers: dict[str, str] = {}
    if request.method in ("GET", "HEAD"):
        tag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        known = request.headers.get("if-none-match", "")
        if tag in (other.strip().removeprefix("W/") for other in known.split(",")):
            return Response(status_code=304, headers=headers)  # the client has it already
    if len(content) > _WORTH_PACKING and _takes_gzip(request):
        packed = partial(gzip.compress, content, 5)
        content = packed() if len(content) < _QUICKLY_PACKED else await to_thread.run_sync(packed)
        headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(content, status, headers, _JSON)


def _takes_gzip(request: Request) -> bool:
    for part in request.headers.get("accept-encoding", "").split(","):
        name, _, quality = part.replace(" ", "").partition(";q=")
        if name == "gzip":
            return quality.strip("0.") != "" or not quality
    return False

"""The first page, and the API reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from heedful.edges.web.assets import COMPRESSED
from heedful.edges.web.reference import ApiReference
from heedful.edges.web.site import Site, View, Visit, visit_of
from heedful.edges.web.templates import Templates
from heedful.loop import Loop
from heedful.wire import wires


def routes(site: Site, templates: Templates, describe: Callable[[], Mapping[str, Any]]) -> list[Route]:
    reference = ApiReference(describe)

    async def docs(request: Request) -> Response:
        signed_in = visit_of(request) is not None
        show = partial(templates.show, "docs", signed_in=signed_in, reference=reference, base=_base(request))
        return await to_thread.run_sync(show)  # takes a while to render

    return [Route("/", site.page(_home)), Route("/docs", docs, middleware=[COMPRESSED])]


def _home(_: Loop, visit: Visit) -> View:
    operations = sorted(wires(), key=lambda wire: (wire.operation.path, wire.operation.verb))
    mine = [wire for wire in operations if visit.may(wire.operation.permission)]
    return View("home", {"operations": mine, "base": _base(visit.request)})


def _base(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"

"""The API reference."""

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
from heedful.edges.web.site import visit_of
from heedful.edges.web.templates import Templates


def routes(templates: Templates, describe: Callable[[], Mapping[str, Any]]) -> list[Route]:
    reference = ApiReference(describe)

    async def docs(request: Request) -> Response:
        signed_in = visit_of(request) is not None
        show = partial(templates.show, "docs", signed_in=signed_in, reference=reference, base=_base(request))
        return await to_thread.run_sync(show)  # takes a while to render

    return [Route("/docs", docs, middleware=[COMPRESSED])]


def _base(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"

"""Error pages for browsers. API clients get the problem document."""

from __future__ import annotations

import orjson
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from heedful.edges.web.templates import Templates

_PROBLEM = "application/problem+json"
_TITLES = {
    401: "Sign in required",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    429: "Too many requests",
    500: "Internal error",
    503: "Temporarily unavailable",
}


class ProblemPages:
    """Turns problem documents into pages for clients that accept HTML."""

    def __init__(self, app: ASGIApp, *, templates: Templates) -> None:
        self._app = app
        self._templates = templates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] == "HEAD" or not _by_browser(scope):
            await self._app(scope, receive, send)
            return
        held: Message | None = None
        content = b""

        async def intercept(message: Message) -> None:
            nonlocal held, content
            if message["type"] == "http.response.start" and _is_problem(message):
                held = message
            elif held is None:
                await send(message)
            else:
                content += message.get("body", b"")
                if not message.get("more_body", False):
                    signed_in = scope.get("heedful.session") is not None
                    await self._page(held, content, signed_in=signed_in)(scope, receive, send)

        await self._app(scope, receive, intercept)

    def _page(self, start: Message, content: bytes, *, signed_in: bool) -> Response:
        problem, status = orjson.loads(content), start["status"]
        title = _TITLES.get(status, problem["title"])
        page = self._templates.show("problem", status=status, signed_in=signed_in, title=title, problem=problem)
        headers = Headers(raw=start["headers"])
        for name, value in headers.items():
            if name not in ("content-type", "content-length"):
                page.headers.setdefault(name, value)
        return page


def _by_browser(scope: Scope) -> bool:
    """Browsers accept text/html explicitly; other clients send */* or nothing."""
    return "text/html" in Headers(scope=scope).get("accept", "").lower()


def _is_problem(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type", "").startswith(_PROBLEM)

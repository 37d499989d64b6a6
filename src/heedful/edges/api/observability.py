"""Wraps every request: request id, log line, metrics, trace, and a response to unexpected errors."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uuid_utils import uuid7

from heedful.edges.api import problems
from heedful.edges.api.metrics import Metrics
from heedful.errors import HeedfulError, Internal
from heedful.records.watching import unfailing
from heedful.text.redaction.search import find_spans

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_SAFE_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_log = logging.getLogger("heedful.http")

Span = Callable[[str, Sequence[tuple[bytes, bytes]]], AbstractContextManager[Callable[[str, int], None]]]
"""Traces a request: takes its method and headers, and at the end its route and status."""


class Observability:
    def __init__(self, app: ASGIApp, *, metrics: Metrics, span: Span | None) -> None:
        self._app = app
        self._metrics = metrics
        self._span = span

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._span is None:
            await self._observed(scope, receive, send)
            return
        with self._span(scope["method"], scope["headers"]) as done:
            status = await self._observed(scope, receive, send)
            unfailing(partial(done, _route(scope), status))

    async def _observed(self, scope: Scope, receive: Receive, send: Send) -> int:
        begun, status = time.perf_counter(), 0
        request_id = scope["heedful.request_id"] = _request_id(scope)

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = request_id
                for name, value in _SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001 - the outer edge
            await self._answer(error, scope, receive, send_with_headers, begun=status != 0)
        finally:
            unfailing(partial(self._note, scope, status, time.perf_counter() - begun))
        return status

    async def _answer(self, error: Exception, scope: Scope, receive: Receive, send: Send, *, begun: bool) -> None:
        request_id = scope["heedful.request_id"]
        if not isinstance(error, HeedfulError):
            # The place, not the message: it may quote user data.
            facts = {"request_id": request_id, "error": type(error).__name__, "at": _place(error)}
            _log.error("request failed", extra=facts)
            error = Internal("Internal error.", hint=f"See the log of the server for request {request_id}.")
        self._metrics.problem(error.code)
        if begun:
            raise error  # the response has started: only closing the connection is left
        await problems.response(error, request_id)(scope, receive, send)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = _route(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.request(method, route, status, seconds)
        if not _log.isEnabledFor(logging.INFO):
            return
        caller = scope.get("heedful.caller")
        _log.info(
            "request",
            extra={
                "request_id": scope["heedful.request_id"],
                "method": method,
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 2),
                "org": caller and caller.org,
                "key": caller and caller.key,
            },
        )


def _route(scope: Scope) -> str:
    """The template, not the path, which may contain user data."""
    return str(scope.get("heedful.route") or getattr(scope.get("route"), "path", "other"))


def _request_id(scope: Scope) -> str:
    """The caller's own id, unless it could be a secret or personal data: it goes to the log as it is."""
    sent = Headers(scope=scope).get("x-request-id", "")
    return sent if _REQUEST_ID.fullmatch(sent) and not find_spans(sent, personal=True) else str(uuid7())


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename.rpartition('heedful')[2]}:{trace.tb_lineno}"

"""The HTTP API: one route per operation under /v1, with its description at /v1/openapi.json."""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from heedful import errors
from heedful.edges.api import event_batches, health, problems, routes
from heedful.edges.api.auth import Authenticator, AuthMiddleware
from heedful.edges.api.executor import Executor, caller_of
from heedful.edges.api.metrics import Metrics
from heedful.edges.api.observability import Observability, Span
from heedful.edges.api.openapi import openapi_document
from heedful.edges.api.routes import PREFIX, Routes
from heedful.edges.request_body import Timeouts
from heedful.errors import HeedfulError, MethodNotAllowed
from heedful.loop import Loop
from heedful.settings import Settings

_ANY = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]


class _Address(Convertor[str]):
    """Starlette's `path` ends at a line break, which an id may have: it has to be refused as an id."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("address", _Address())


class Api:
    """The ASGI application, and what the other edges of the server need."""

    def __init__(
        self,
        loop: Loop,
        settings: Settings,
        *,
        metrics: Metrics,
        hosts: frozenset[str] | None = None,
        timeouts: Timeouts = Timeouts(),  # noqa: B008 - frozen
        span: Span | None = None,
        lifespan: Any = None,
    ) -> None:
        access, rate, delay = loop.govern.access, settings.rate_limit, timeouts.wrong_key
        self.authenticator = Authenticator(access, metrics, hosts, requests_per_minute=rate, wrong_key_seconds=delay)
        self.executor = Executor(loop, changed=self.authenticator.clear_cache, recheck=self.authenticator.recheck)
        self._metrics = metrics
        self._timeouts = timeouts
        self._routes = Routes()
        self.app = Starlette(
            routes=[
                Route(f"{PREFIX}/openapi.json", self._describe),
                Route(f"{PREFIX}/{{address:address}}", self._operate, methods=_ANY),
                *health.routes(loop, metrics, settings.metrics_token),
            ],
            middleware=[
                Middleware(Observability, metrics=metrics, span=span),
                Middleware(AuthMiddleware, authenticator=self.authenticator),
            ],
            exception_handlers={HeedfulError: self._problem, HTTPException: self._router_problem},
            lifespan=lifespan,
        )
        self.app.router.redirect_slashes = False

    async def _describe(self, _: Request) -> Response:
        return JSONResponse(await to_thread.run_sync(openapi_document))

    async def _operate(self, request: Request) -> Response:
        route, in_path = self._routes.find(request)
        request.scope["heedful.route"] = route.template
        route.wire.operation.permission.require(caller_of(request).role)  # before the body is read
        if route.wire.operation.streams:
            return await event_batches.answer(request, self.executor, self._timeouts)
        return await routes.answer(request, route, in_path, executor=self.executor, timeouts=self._timeouts)

    async def _problem(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HeedfulError)
        self._metrics.problem(error.code)
        headers = {}
        if isinstance(error, MethodNotAllowed):
            headers["Allow"] = self._routes.allowed(request)
        return problems.response(error, request.scope["heedful.request_id"], headers)

    async def _router_problem(self, request: Request, error: Exception) -> Response:
        """Errors of the router itself, such as unknown pages."""
        assert isinstance(error, HTTPException)
        reported: HeedfulError = errors.NoSuchRoute("Not found.", hint="Start at /.")
        if error.status_code == 405:
            reported = MethodNotAllowed("Method not allowed.", hint="See the Allow header.")
        self._metrics.problem(reported.code)
        return problems.response(reported, request.scope["heedful.request_id"], dict(error.headers or {}))

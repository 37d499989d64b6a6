"""The server: HTTP API, MCP, web pages and a worker in one process."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request

from heedful.edges import mcp, web
from heedful.edges.api import Api
from heedful.edges.api.executor import caller_of
from heedful.edges.api.metrics import Metrics
from heedful.edges.api.openapi import openapi_document
from heedful.edges.api.protocol import HttpProtocol
from heedful.edges.request_body import Timeouts
from heedful.edges.worker import JobProgress, Worker
from heedful.loop import open
from heedful.records.clock import Clock, utc_now
from heedful.records.learnings import MATCHED
from heedful.records.outside import UNANSWERED
from heedful.records.role import Role
from heedful.settings import Settings
from heedful.store.extension import Extension

if TYPE_CHECKING:
    from heedful.providers.traces import Traces

T = TypeVar("T")
_WORKER_THREADS = 4
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class AdminKey:
    id: str
    secret: str | None
    """Only if the key is new."""


class Server:
    """What `heedful serve` runs. `app` is an ASGI application that any ASGI server can run."""

    def __init__(
        self,
        settings: Settings,
        *,
        hosts: frozenset[str] | None = _LOOPBACK,
        worker: bool = True,
        timeouts: Timeouts = Timeouts(),  # noqa: B008 - frozen
        clock: Clock = utc_now,
    ) -> None:
        """`hosts` are the allowed Host headers; None allows any."""
        self.metrics = Metrics()
        watching = Extension(
            "metrics",
            notice=self.metrics.recorded,
            listeners={MATCHED: self.metrics.matched, UNANSWERED: self.metrics.unanswered},
        )
        self.loop = open(settings=settings, clock=clock, extensions=[watching])
        self.metrics.watch(self.loop)
        self._traces = _traces(settings)
        self._worker = Worker(self.loop, threads=_WORKER_THREADS, watch=self._note) if worker else None
        self.api = Api(
            self.loop,
            settings,
            metrics=self.metrics,
            hosts=hosts,
            timeouts=timeouts,
            span=None if self._traces is None else self._traces.request,
            lifespan=self._lifespan,
        )
        self.api.authenticator.access.prepare()
        self._tools = mcp.server(self._as_caller)
        self.app = self.api.app
        self.app.router.routes.extend(mcp.routes(self._tools, timeouts))
        assets = web.Assets()
        pages, guard = web.Templates(assets), self.api.authenticator
        run = self.api.executor.run
        self.app.router.routes.extend(web.routes(run, guard.access, guard, assets, pages, openapi_document))
        self.app.add_middleware(web.ProblemPages, templates=pages)

    def ensure_admin_key(self) -> AdminKey:
        keys = self.loop.govern.keys
        now = self.loop.store.clock()
        for key in keys.all():
            if key.role is Role.ADMIN and key.is_valid(now):
                return AdminKey(key.id, None)
        made = keys.create("admin", role=Role.ADMIN)
        return AdminKey(made.id, made.secret)

    def sign_in_link(self, admin: str) -> str:
        return self.api.authenticator.access.sign_in_link(admin)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        thread = None
        if self._worker is not None:
            thread = threading.Thread(target=self._worker.run, name="heedful-worker")
            thread.start()
        try:
            async with self._tools.session_manager.run():
                yield
        finally:
            if self._worker is not None and thread is not None:
                self._worker.stop()
                await to_thread.run_sync(thread.join)

    def runner(self, *, graceful_seconds: int = 8, proxies: Sequence[str] = ()) -> uvicorn.Server:
        """Returns the uvicorn server: one process, our logging only, graceful shutdown."""
        config = uvicorn.Config(
            self.app,
            http=HttpProtocol,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=bool(proxies),  # only trusted proxies may set X-Forwarded headers
            forwarded_allow_ips=list(proxies),
            timeout_graceful_shutdown=graceful_seconds,
        )
        return _UvicornServer(config, self.api.executor.stop)

    def close(self) -> None:
        self.loop.close()
        if self._traces is not None:
            self._traces.close()

    def _note(self, progress: JobProgress) -> None:
        if progress.outcome != "started":
            self.metrics.job(progress.job, progress.outcome, progress.seconds)

    async def _as_caller(self, request: Request | None, work: Callable[[Any], T]) -> T:
        assert request is not None, "over HTTP there is always a request"
        return await self.api.executor.run(caller_of(request), work)


class _UvicornServer(uvicorn.Server):
    """Notifies the executor of a shutdown, so that streams end."""

    def __init__(self, config: uvicorn.Config, stopping: Callable[[], object]) -> None:
        super().__init__(config)
        self._stopping = stopping

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping()
        super().handle_exit(sig, frame)
        self._captured_signals.clear()  # or uvicorn would raise the signal again before everything is closed


def _traces(settings: Settings) -> Traces | None:
    if not settings.traces:
        return None
    from heedful.providers.traces import Traces  # noqa: PLC0415 - an extra, and slow to import

    return Traces()

"""Authentication before the body of a request is read, and the rate limit. Operations check permissions themselves."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from heedful.edges.api import problems
from heedful.edges.api.host_check import require_host, require_single
from heedful.edges.api.limits import FailedTries, RateLimit
from heedful.edges.api.metrics import Metrics
from heedful.errors import Forbidden, HeedfulError, TooManyRequests, Unauthenticated
from heedful.govern.access import COOKIE, Access, BrowserSession
from heedful.operations.caller import Caller

CSRF_HEADER = "x-csrf-token"
_PROTECTED = ("/v1/", "/mcp")
_OPEN = "/v1/openapi.json"
_SAFE = {"GET", "HEAD", "OPTIONS"}
_CACHE_SECONDS = 1.0
_USE_SECONDS = 30.0
_CACHE_SIZE = 10_000
_MAX_COOKIES = 8 * 1024
_THREADS = 8
_log = logging.getLogger("heedful.access")


class AuthMiddleware:
    """Sets `scope["heedful.caller"]` and `scope["heedful.session"]`."""

    def __init__(self, app: ASGIApp, *, authenticator: Authenticator) -> None:
        self._app = app
        self._authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                await self._authenticator.authenticate(scope)
            except HeedfulError as error:
                self._authenticator.count_problem(error)
                await problems.response(error, scope["heedful.request_id"])(scope, receive, send)
                return
        await self._app(scope, receive, send)


class Authenticator:
    """Identifies callers. Caches, rate limits and failed attempts are in the memory of one server."""

    def __init__(
        self,
        access: Access,
        metrics: Metrics,
        hosts: frozenset[str] | None,
        *,
        requests_per_minute: int,
        wrong_key_seconds: float,
    ) -> None:
        self.access = access
        self._metrics = metrics
        self._limit = RateLimit(requests_per_minute)
        self._hosts = hosts
        self._tries = FailedTries()
        self._wrong_key_seconds = wrong_key_seconds
        self._known: OrderedDict[Hashable, tuple[Caller, float]] = OrderedDict()
        self._cleared = 0
        self._noted: dict[str, float] = {}
        self._noting: asyncio.Task[None] | None = None
        self._threads = CapacityLimiter(_THREADS)
        self._notes = CapacityLimiter(1)

    def clear_cache(self) -> None:
        self._known.clear()
        self._cleared += 1

    def count_problem(self, error: HeedfulError) -> None:
        self._metrics.problem(error.code)

    async def authenticate(self, scope: Scope) -> None:
        headers, path = Headers(scope=scope), scope["path"]
        require_single(headers, scope["http_version"])
        require_host(headers, self._hosts)
        caller = await self._caller(scope, headers)
        if caller is None and path.startswith(_PROTECTED) and path != _OPEN:
            raise no_key()
        if caller is not None:
            self._limit.take((caller.org, caller.key), caller.rate_limit)
        scope["heedful.caller"] = caller

    async def _caller(self, scope: Scope, headers: Headers) -> Caller | None:
        scope["heedful.session"] = None
        if scope["path"] == "/metrics":  # has its own token
            return None
        authorization = headers.get("authorization")
        if authorization is not None:
            kind, _, secret = authorization.partition(" ")
            if kind.lower() != "bearer" or not secret.strip():
                raise Unauthenticated("The Authorization header has no key.", hint="Send `Authorization: Bearer KEY`.")
            return await self._by_key(secret.strip(), HTTPConnection(scope))
        session = self._session(headers)
        if session is None:
            return None
        if self.access.is_over(session):
            self._known.pop(session, None)
        caller = await self._look_up(session, partial(self.access.by_session, session, note=False))
        if caller is not None and scope["path"].startswith(_PROTECTED) and scope["method"] not in _SAFE:
            check_csrf(session, headers.get(CSRF_HEADER, ""))
        scope["heedful.session"] = session if caller is not None else None
        return caller

    async def _by_key(self, secret: str, request: HTTPConnection) -> Caller:
        """Accepts a valid key even after many wrong ones from the same address, which others may share. Wrong keys are
        answered with a delay."""
        caller = await self._look_up(secret, partial(self.access.by_key, secret, note=False))
        if caller is not None:
            return caller
        self.record_failure(request)
        try:
            self.check_address(request)
        except TooManyRequests as error:
            await asyncio.sleep(self._wrong_key_seconds)
            raise Unauthenticated(error.message, hint=error.hint) from None
        raise Unauthenticated("Invalid, revoked or expired key.", hint="Create one with `heedful keys create`.")

    async def recheck(self, caller: Caller) -> None:
        """Checks during a long request that the key is still valid."""
        name = (caller.org, caller.key)
        if await self._look_up(name, partial(self.access.by_id, *name)) is None:
            raise Unauthenticated("The key was revoked during the request.", hint="Lines answered before are recorded.")

    def check_address(self, request: HTTPConnection) -> None:
        self._tries.check(address(request.scope))

    def record_failure(self, request: HTTPConnection) -> None:
        where = address(request.scope)
        self._tries.failed(where)
        self._metrics.sign_in_failed()
        _log.warning("sign-in failed", extra={"address": where, "request_id": request.scope["heedful.request_id"]})

    async def _look_up(self, name: Hashable, ask: Callable[[], Caller | None]) -> Caller | None:
        """Looks a caller up in the database, at most once a second per key."""
        now = time.monotonic()
        known = self._known.get(name)
        if known is not None and now - known[1] < _CACHE_SECONDS:
            return known[0]
        cleared = self._cleared
        caller = await to_thread.run_sync(ask, limiter=self._threads)
        if caller is None:
            self._known.pop(name, None)
            return None
        if cleared == self._cleared:  # else the key may have been revoked after the database was asked
            self._remember(name, caller, now)
        self._note_use(caller, now)
        return caller

    def _remember(self, name: Hashable, caller: Caller, now: float) -> None:
        self._known[name] = (caller, now)
        self._known.move_to_end(name)
        if len(self._known) > _CACHE_SIZE:
            self._known.popitem(last=False)

    def _note_use(self, caller: Caller, now: float) -> None:
        """Records the last use of a key in the background: a request must not wait for a busy database."""
        noted = self._noted.get(caller.key, -_USE_SECONDS)
        if now - noted < _USE_SECONDS or self._noting is not None:
            return
        self._noted[caller.key] = now
        if len(self._noted) > _CACHE_SIZE:
            self._noted.clear()
        self._noting = asyncio.create_task(self._note(caller))

    async def _note(self, caller: Caller) -> None:
        try:
            await to_thread.run_sync(self.access.note_use, caller, limiter=self._notes)
        except HeedfulError as error:
            _log.warning("the last use of a key could not be recorded", extra={"error": error.code})
        finally:
            self._noting = None

    def _session(self, headers: Headers) -> BrowserSession | None:
        """The session of our cookie, which is never quoted."""
        sent = headers.get("cookie", "")
        if len(sent) > _MAX_COOKIES:
            return None
        for part in sent.split(";"):
            name, _, value = part.strip().partition("=")
            if name == COOKIE:
                return self.access.resume(value)
        return None


def no_key() -> Unauthenticated:
    return Unauthenticated(
        "A key is required.", hint="Send it as `Authorization: Bearer …`; create one with `heedful keys create`."
    )


def check_csrf(session: BrowserSession, token: str) -> None:
    if not session.issued(token):
        raise Forbidden(
            "Missing or wrong CSRF token.",
            hint=f"Send the token of the session as {CSRF_HEADER}, or use a key.",
        )


def address(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else "local"

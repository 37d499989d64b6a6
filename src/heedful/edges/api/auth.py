"""The gate: whoever comes in is told apart here, before anything of the request is read.

A key comes as `Authorization: Bearer …`, a browser's session as a cookie. What may be done with it is decided by
the operations themselves; here it is only found out who is asking, and how often.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from heedful.edges.api import problems
from heedful.edges.api.limits import FailedTries, RateLimit
from heedful.edges.api.metrics import Metrics
from heedful.errors import BadRequest, Forbidden, HeedfulError, TooManyRequests, Unauthenticated
from heedful.govern.access import COOKIE, Access, Session
from heedful.operations.caller import Caller

CSRF_HEADER = "x-csrf-token"
_PROTECTED = ("/v1/", "/mcp")
_OPEN = "/v1/openapi.json"
_SINGLE = ("host", "authorization", "content-length", "content-type", "content-encoding", "transfer-encoding")
_HOST = re.compile(r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
_SAFE = {"GET", "HEAD", "OPTIONS"}
_BELIEVED_SECONDS = 1.0
_NOTED_SECONDS = 30.0
_REMEMBERED = 10_000
_LONGEST_COOKIES = 8 * 1024
_THREADS = 8
_log = logging.getLogger("heedful.access")


class AuthMiddleware:
    """Puts `scope["heedful.caller"]` and `scope["heedful.session"]` where the application finds them."""

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
    """Knows who came lately, how often, and with how many wrong keys; in the memory of one server."""

    def __init__(
        self,
        access: Access,
        metrics: Metrics,
        *,
        requests_per_minute: int,
        hosts: frozenset[str] | None,
        wrong_key_seconds: float,
    ) -> None:
        self.access = access
        self._metrics = metrics
        self._limit = RateLimit(requests_per_minute)
        self._hosts = hosts
        self._tries = FailedTries()
        self._wrong_key_seconds = wrong_key_seconds
        self._known: OrderedDict[Hashable, tuple[Caller, float]] = OrderedDict()
        self._noted: dict[str, float] = {}
        self._noting: asyncio.Task[None] | None = None
        self._threads = CapacityLimiter(_THREADS)
        self._notes = CapacityLimiter(1)

    def clear_cache(self) -> None:
        """A key was revoked: look everybody up again."""
        self._known.clear()

    def count_problem(self, error: HeedfulError) -> None:
        self._metrics.problem(error.code)

    async def authenticate(self, scope: Scope) -> None:
        headers, path = Headers(scope=scope), scope["path"]
        _require_single(headers, scope["http_version"])
        self._check_host(headers)
        caller = await self._caller(scope, headers)
        if caller is None and path.startswith(_PROTECTED) and path != _OPEN:
            raise no_key()
        if caller is not None:
            self._limit.take((caller.org, caller.key), caller.rate_limit)
        scope["heedful.caller"] = caller

    def _check_host(self, headers: Headers) -> None:
        """Against DNS rebinding: a page elsewhere may let its own name resolve to 127.0.0.1."""
        if self._hosts is None:
            return
        host = _HOST.fullmatch(headers.get("host", ""))
        if host is None or (host["ipv6"] or host["name"]).lower() not in self._hosts:
            raise BadRequest(
                "Unknown Host header.", hint="Use http://127.0.0.1, or start the server with --allow-host."
            )

    async def _caller(self, scope: Scope, headers: Headers) -> Caller | None:
        scope["heedful.session"] = None
        if scope["path"] == "/metrics":  # has a token of its own
            return None
        authorization = headers.get("authorization")
        if authorization is not None:
            kind, _, secret = authorization.partition(" ")
            if kind.lower() != "bearer" or not secret.strip():
                raise Unauthenticated("The Authorization header holds no key.", hint="Write `Bearer`, then the key.")
            return await self._by_key(secret.strip(), HTTPConnection(scope))
        session = self._session(headers)
        if session is None:
            return None
        if self.access.is_over(session):
            self._known.pop(session, None)  # what was believed of it is over as well
        caller = await self._look_up(session, partial(self.access.by_session, session, note=False))
        if caller is not None and scope["path"].startswith(_PROTECTED) and scope["method"] not in _SAFE:
            check_csrf(session, headers.get(CSRF_HEADER, ""))
        scope["heedful.session"] = session if caller is not None else None
        return caller

    async def _by_key(self, secret: str, request: HTTPConnection) -> Caller:
        """A key is looked at however many wrong ones came before: it cannot be guessed, and others may share the
        address. Who keeps trying has to wait for each answer."""
        caller = await self._look_up(secret, partial(self.access.by_key, secret, note=False))
        if caller is not None:
            return caller
        self.record_failure(request)
        try:
            self.check_address(request)
        except TooManyRequests as error:
            await asyncio.sleep(self._wrong_key_seconds)
            raise Unauthenticated(error.message, hint=error.hint) from None
        raise Unauthenticated("This key is unknown, revoked or over.", hint="Make another with `heedful keys create`.")

    async def recheck(self, caller: Caller) -> None:
        """For what takes long: whether whoever began it may still go on."""
        name = (caller.org, caller.key)
        if await self._look_up(name, partial(self.access.by_id, *name)) is None:
            raise Unauthenticated("This key was revoked meanwhile.", hint="What was answered before is recorded.")

    def check_address(self, request: HTTPConnection) -> None:
        """Refuse an address from which too many wrong keys came."""
        self._tries.check(address(request.scope))

    def record_failure(self, request: HTTPConnection) -> None:
        where = address(request.scope)
        self._tries.failed(where)
        self._metrics.sign_in_failed()
        _log.warning("sign-in failed", extra={"address": where, "request_id": request.scope["heedful.request_id"]})

    async def _look_up(self, name: Hashable, ask: Callable[[], Caller | None]) -> Caller | None:
        """Ask the database, and believe its answer for a second: one look per key and second, not per request."""
        now = time.monotonic()
        known = self._known.get(name)
        if known is not None and now - known[1] < _BELIEVED_SECONDS:
            return known[0]
        caller = await to_thread.run_sync(ask, limiter=self._threads)
        if caller is None:
            self._known.pop(name, None)
            return None
        self._known[name] = (caller, now)
        self._known.move_to_end(name)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        self._note_use(caller, now)
        return caller

    def _note_use(self, caller: Caller, now: float) -> None:
        """Beside the request, which must not wait for a database that is busy writing."""
        noted = self._noted.get(caller.key, -_NOTED_SECONDS)
        if now - noted < _NOTED_SECONDS or self._noting is not None:
            return
        self._noted[caller.key] = now
        if len(self._noted) > _REMEMBERED:
            self._noted.clear()
        self._noting = asyncio.create_task(self._note(caller))

    async def _note(self, caller: Caller) -> None:
        try:
            await to_thread.run_sync(self.access.note_use, caller, limiter=self._notes)
        except HeedfulError as error:
            _log.warning("the use of a key could not be noted", extra={"error": error.code})
        finally:
            self._noting = None

    def _session(self, headers: Headers) -> Session | None:
        """The one cookie that is ours, as it was set: never quoted, so never unquoted."""
        sent = headers.get("cookie", "")
        if len(sent) > _LONGEST_COOKIES:
            return None
        for part in sent.split(";"):
            name, _, value = part.strip().partition("=")
            if name == COOKIE:
                return self.access.resume(value)
        return None


def _require_single(headers: Headers, version: str) -> None:
    """Two of them would be read differently by us and by a proxy in front of us."""
    for name in _SINGLE:
        if len(headers.getlist(name)) > 1:
            raise BadRequest(f"The header {name} is there twice.", hint="Send it once.")
    if version == "1.1" and "host" not in headers:
        raise BadRequest("There is no Host header.", hint="Send one, as HTTP/1.1 wants it.")


def no_key() -> Unauthenticated:
    return Unauthenticated(
        "This needs a key.", hint="Send it as `Authorization: Bearer …`; make one with `heedful keys create`."
    )


def check_csrf(session: Session, token: str) -> None:
    if not session.issued(token):
        raise Forbidden(
            "The request does not come from one of heedful's own pages.",
            hint=f"Send the session's token as {CSRF_HEADER}, or use a key instead of the browser's session.",
        )


def address(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else "local"

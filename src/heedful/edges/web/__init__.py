"""Web pages: sign-in, home, and the API reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol
from urllib.parse import parse_qs

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.request_body import Timeouts, read_body
from heedful.edges.web.problem_pages import ProblemPages
from heedful.edges.web.reference import ApiReference
from heedful.edges.web.templates import Templates
from heedful.errors import Forbidden, TooManyRequests
from heedful.govern.access import COOKIE, SESSION_LIFE, Access
from heedful.operations.caller import Caller
from heedful.wire import wires

__all__ = ["ProblemPages", "Templates", "routes"]

_FORM_LIMIT = 16 * 1024


class SignInGuard(Protocol):
    def check_address(self, request: Request) -> None: ...

    def record_failure(self, request: Request) -> None: ...

    def clear_cache(self) -> None: ...


def routes(
    access: Access, guard: SignInGuard, pages: Templates, describe: Callable[[], Mapping[str, Any]]
) -> list[Route]:
    """`describe` returns the OpenAPI document."""
    reference = ApiReference(describe)

    async def home(request: Request) -> Response:
        caller: Caller | None = request.scope.get("heedful.caller")
        session = request.scope.get("heedful.session")
        if caller is None or session is None:
            return RedirectResponse("/sign-in", 303)
        operations = sorted(wires(), key=lambda wire: (wire.operation.path, wire.operation.verb))
        mine = [wire for wire in operations if caller.role in wire.operation.permission.roles]
        return pages.show("home", caller=caller, csrf=session.csrf, operations=mine, base=_base(request))

    async def sign_in(request: Request) -> Response:
        token = request.query_params.get("token")
        if token is None or request.method == "HEAD":  # a preview does not use up the link
            return pages.show("sign_in")
        guard.check_address(request)
        caller = await to_thread.run_sync(access.use_link, token)
        if caller is None:
            guard.record_failure(request)
            return pages.show(
                "sign_in", status=401, message="This link was used already or has expired. Use a key instead."
            )
        return await _start_session(request, access, caller)

    async def sign_in_with_key(request: Request) -> Response:
        _require_same_origin(request)
        form = await _form(request)
        try:
            guard.check_address(request)
        except TooManyRequests as error:
            return pages.show("sign_in", status=429, message=str(error))
        caller = await to_thread.run_sync(access.by_key, form.get("key", "").strip())
        if caller is None:
            guard.record_failure(request)
            return pages.show("sign_in", status=401, message="Invalid, revoked or expired key.")
        return await _start_session(request, access, caller)

    async def sign_out(request: Request) -> Response:
        form = await _form(request)
        session = request.scope.get("heedful.session")
        if session is not None and not session.issued(form.get("csrf", "")):
            raise Forbidden("Missing or wrong CSRF token.", hint="Go back and try again.")
        if session is not None:
            await to_thread.run_sync(access.end, session)
            guard.clear_cache()
        answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(COOKIE)
        return answer

    async def docs(request: Request) -> Response:
        show = partial(pages.show, "docs", reference=reference, base=_base(request))
        return await to_thread.run_sync(show)  # takes a while to render

    return [
        Route("/", home),
        Route("/docs", docs),
        Route("/sign-in", sign_in),
        Route("/sign-in", sign_in_with_key, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


async def _start_session(request: Request, access: Access, caller: Caller) -> Response:
    _, cookie = await to_thread.run_sync(access.begin, caller)
    answer = RedirectResponse("/", 303)
    life, secure = int(SESSION_LIFE.total_seconds()), request.url.scheme == "https"
    answer.set_cookie(COOKIE, cookie, max_age=life, httponly=True, samesite="lax", secure=secure)
    return answer


def _base(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"


def _require_same_origin(request: Request) -> None:
    """Against login CSRF: another site must not sign a browser in to its own account."""
    origin = request.headers.get("origin")
    if origin not in (None, _base(request)):
        raise Forbidden("Cross-origin form.", hint="Open /sign-in and try again.")


async def _form(request: Request) -> dict[str, str]:
    body = await read_body(request, Timeouts(), _FORM_LIMIT)
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}

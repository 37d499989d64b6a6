"""Signing in and out, and the name of whoever uses a key for many people."""

from __future__ import annotations

from typing import Protocol

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.web.site import NAME_COOKIE, keep_name, own_address, read_form, visit_of
from heedful.edges.web.templates import Templates
from heedful.errors import Forbidden, InvalidInput, TooManyRequests
from heedful.govern.access import COOKIE, SESSION_LIFE, Access
from heedful.operations.caller import Caller
from heedful.records.names import identifier


class SignInGuard(Protocol):
    def check_address(self, request: Request) -> None: ...

    def record_failure(self, request: Request) -> None: ...

    def clear_cache(self) -> None: ...


def routes(access: Access, guard: SignInGuard, pages: Templates) -> list[Route]:
    async def sign_in(request: Request) -> Response:
        token, after = request.query_params.get("token"), own_address(request.query_params.get("next", "/"))
        if token is None or request.method == "HEAD":  # a preview does not use up the link
            return pages.show("sign_in", next=after, message="")
        guard.check_address(request)
        caller = await to_thread.run_sync(access.use_link, token)
        if caller is None:
            guard.record_failure(request)
            message = "This link was used already or has expired. Use a key instead."
            return pages.show("sign_in", status=401, next=after, message=message)
        return await _start_session(request, access, caller, after)

    async def sign_in_with_key(request: Request) -> Response:
        _require_same_origin(request)
        form = await read_form(request)
        after = own_address(form.text("next"))
        try:
            guard.check_address(request)
        except TooManyRequests as error:
            return pages.show("sign_in", status=429, next=after, message=str(error))
        caller = await to_thread.run_sync(access.by_key, form.text("key").strip())
        if caller is None:
            guard.record_failure(request)
            return pages.show("sign_in", status=401, next=after, message="Invalid, revoked or expired key.")
        return await _start_session(request, access, caller, after)

    async def sign_out(request: Request) -> Response:
        form = await read_form(request)
        session = request.scope.get("heedful.session")
        if session is not None and not session.issued(form.text("csrf")):
            raise Forbidden("Missing or wrong CSRF token.", hint="Go back and try again.")
        if session is not None:
            await to_thread.run_sync(access.end, session)
            guard.clear_cache()
        answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(COOKIE)
        answer.delete_cookie(NAME_COOKIE)
        return answer

    async def ask_name(request: Request) -> Response:
        visit, after = visit_of(request), own_address(request.query_params.get("next", "/"))
        if visit is None:
            return RedirectResponse("/sign-in", 303)
        return pages.show("name", signed_in=True, csrf=visit.csrf, name=visit.name or "", next=after, message="")

    async def save_name(request: Request) -> Response:
        form, visit = await read_form(request), visit_of(request)
        if visit is None or not request.scope["heedful.session"].issued(form.text("csrf")):
            raise Forbidden("Missing or wrong CSRF token.", hint="Sign in, and try again.")
        name, after = form.text("name").strip(), own_address(form.text("next"))
        try:
            answer = RedirectResponse(after, 303)
            keep_name(answer, identifier(name, "name"), secure=request.url.scheme == "https")
        except InvalidInput as error:
            told = {"csrf": visit.csrf, "name": name, "next": after, "message": str(error)}
            return pages.show("name", status=422, signed_in=True, **told)
        return answer

    return [
        Route("/sign-in", sign_in),
        Route("/sign-in", sign_in_with_key, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
        Route("/name", ask_name),
        Route("/name", save_name, methods=["POST"]),
    ]


async def _start_session(request: Request, access: Access, caller: Caller, after: str) -> Response:
    _, cookie = await to_thread.run_sync(access.begin, caller)
    answer = RedirectResponse(after, 303)
    life, secure = int(SESSION_LIFE.total_seconds()), request.url.scheme == "https"
    answer.set_cookie(COOKIE, cookie, max_age=life, httponly=True, samesite="lax", secure=secure)
    return answer


def _require_same_origin(request: Request) -> None:
    """Against login CSRF: another site must not sign a browser in to its own account."""
    origin = request.headers.get("origin")
    if origin not in (None, f"{request.url.scheme}://{request.url.netloc}"):
        raise Forbidden("Cross-origin form.", hint="Open /sign-in and try again.")

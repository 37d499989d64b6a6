"""Pages: signing in, and what awaits whoever did. Later stages bring theirs."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Protocol
from urllib.parse import parse_qs

from anyio import to_thread
from jinja2 import DictLoader, Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from heedful import __version__
from heedful.edges.body import Patience, whole
from heedful.errors import Forbidden, TooManyRequests
from heedful.govern.access import COOKIE, SESSION_LIFE, Access
from heedful.model.caller import Caller
from heedful.wire import wires

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_FORM_LIMIT = 16 * 1024


class Door(Protocol):
    """Who keeps count of wrong keys."""

    def listen_to(self, request: Request) -> None: ...

    def note_failure(self, request: Request) -> None: ...

    def forget(self) -> None: ...


def routes(access: Access, door: Door) -> list[Route]:
    pages = _Pages()

    async def home(request: Request) -> Response:
        caller: Caller | None = request.scope.get("heedful.caller")
        session = request.scope.get("heedful.session")
        if caller is None or session is None:
            return RedirectResponse("/sign-in", 303)
        operations = sorted(wires(), key=lambda wire: (wire.operation.path, wire.operation.verb))
        mine = [wire for wire in operations if caller.role in wire.operation.permission.roles]
        return pages.show(
            "home",
            caller=caller,
            csrf=session.csrf,
            operations=mine,
            base=f"{request.url.scheme}://{request.url.netloc}",
        )

    async def sign_in(request: Request) -> Response:
        token = request.query_params.get("token")
        if token is None or request.method == "HEAD":  # whoever only previews a link does not use it up
            return pages.show("sign_in")
        door.listen_to(request)
        caller = await to_thread.run_sync(access.use_link, token)
        if caller is None:
            door.note_failure(request)
            return pages.show("sign_in", status=401, says="This link was used already, or is over. Use a key instead.")
        return await _welcome(request, access, caller)

    async def sign_in_with_key(request: Request) -> Response:
        _from_here(request)
        form = await _form(request)
        try:
            door.listen_to(request)
        except TooManyRequests as error:
            return pages.show("sign_in", status=429, says=str(error))
        caller = await to_thread.run_sync(access.by_key, form.get("key", "").strip())
        if caller is None:
            door.note_failure(request)
            return pages.show("sign_in", status=401, says="This key is unknown, revoked or over.")
        return await _welcome(request, access, caller)

    async def sign_out(request: Request) -> Response:
        form = await _form(request)
        session = request.scope.get("heedful.session")
        if session is not None and not session.issued(form.get("csrf", "")):
            raise Forbidden("This form is not one of heedful's own.", hint="Go back and try again.")
        if session is not None:
            await to_thread.run_sync(access.end, session)
            door.forget()
        answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(COOKIE)
        return answer

    return [
        Route("/", home),
        Route("/sign-in", sign_in),
        Route("/sign-in", sign_in_with_key, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


async def _welcome(request: Request, access: Access, caller: Caller) -> Response:
    _, cookie = await to_thread.run_sync(access.begin, caller)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=int(SESSION_LIFE.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


def _from_here(request: Request) -> None:
    """Nobody's page may sign a browser in to an account of their own."""
    origin = request.headers.get("origin")
    if origin not in (None, f"{request.url.scheme}://{request.url.netloc}"):
        raise Forbidden("This form is not one of heedful's own.", hint="Open /sign-in and try again.")


async def _form(request: Request) -> dict[str, str]:
    body = await whole(request, Patience(), _FORM_LIMIT)
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}


class _Pages:
    def __init__(self) -> None:
        folder = files(__name__) / "pages"
        sources = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
        self._pages = Environment(loader=DictLoader(sources), autoescape=True)

    def show(self, name: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        text = self._pages.get_template(f"{name}.html").render(version=__version__, **values)
        return HTMLResponse(text, status, {"Content-Security-Policy": _POLICY})

"""What every page for signed-in people needs: who they are, their forms, and the frame around the page.

A page is a plain function: it gets the loop and the visit, and returns what to show. It runs in a thread, as the
caller, with the permissions of their role.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import IO, Any, NamedTuple, Protocol, TypeVar
from urllib.parse import parse_qs, quote, unquote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from heedful.edges.request_body import LIMIT, Timeouts, read_body, read_file
from heedful.edges.web.templates import Templates
from heedful.errors import BadRequest, Forbidden, HeedfulError, InvalidInput, Unauthenticated
from heedful.govern.access import Access
from heedful.loop import Loop
from heedful.operations.caller import LOCAL, Caller
from heedful.operations.policy import AnalyticsPolicy, Permission
from heedful.records.names import identifier
from heedful.records.people import one_person
from heedful.records.role import Role

T = TypeVar("T")
NAME_COOKIE = "heedful_name"
CSRF_HEADER = "x-csrf-token"
_NAME_LIFE = 365 * 24 * 3600
_FORM_LIMIT = 16 * 1024  # of those who are not signed in
_MOST_FIELDS = 1_000
_LONGEST_ADDRESS = 8_000
_COUNTED_FOR = 10.0  # seconds that the number in the navigation may be old
_MOST_COUNTED = 1_000
_SHORT_ID = 6


class Form:
    """The fields of a form, with line ends as everywhere else."""

    def __init__(self, fields: Mapping[str, list[str]] | None = None) -> None:
        self._fields = fields or {}

    def text(self, name: str) -> str:
        values = self._fields.get(name)
        return values[0].replace("\r\n", "\n") if values else ""

    def word(self, name: str) -> str | None:
        """A short text, None if it was left empty."""
        return self.text(name).strip() or None

    def words(self, name: str) -> list[str]:
        """A list that was typed with commas between its items."""
        return [part.strip() for part in self.text(name).replace("\n", ",").split(",") if part.strip()]

    def chosen(self, name: str) -> list[str]:
        """The values of check boxes."""
        return list(self._fields.get(name, ()))

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)


@dataclass(frozen=True, slots=True)
class Visit:
    """A request of somebody who is signed in."""

    request: Request
    caller: Caller
    csrf: str
    name: str | None
    """What they call themselves, with a key for many people."""
    form: Form = field(default_factory=Form)
    file: IO[bytes] | None = None
    """The path of what they sent, if they sent a file."""

    @property
    def by(self) -> str | None:
        """Who acts, if the key does not say it."""
        return self.name if self.caller.for_many else None

    @property
    def person(self) -> str:
        """Who acts, in words."""
        return (self.name if self.caller.for_many else None) or self.caller.name

    def is_me(self, actor: str | None) -> bool:
        me = self.by or self.caller.actor
        return actor is not None and one_person(actor) == one_person(me)

    def may(self, permission: Permission) -> bool:
        return self.caller.role in permission.roles

    @property
    def sees_analytics(self) -> bool:
        return self.may(AnalyticsPolicy.read)

    def query(self, name: str) -> str:
        return self.request.query_params.get(name, "")

    @property
    def is_nameless(self) -> bool:
        """Whoever only looks needs no name."""
        return self.caller.for_many and self.name is None and self.caller.role is not Role.VIEWER


class View(NamedTuple):
    """A page to show."""

    template: str
    values: Mapping[str, Any]
    status: int = 200


Make = Callable[[Loop, Visit], View | Response]
Endpoint = Callable[[Request], Awaitable[Response]]


class Run(Protocol):
    """Runs work in a thread, as the caller and in their organisation."""

    async def __call__(
        self, caller: Caller, work: Callable[[Loop], T], *, reads: bool = False, document: bool = False
    ) -> T: ...


class Site:
    def __init__(self, run: Run, access: Access, templates: Templates) -> None:
        self._run = run
        self._access = access
        self._templates = templates
        self._counted: dict[str, tuple[str, float]] = {}

    def page(self, make: Make, *, document: bool = False) -> Endpoint:
        """With `document`, it draws one, which may be slow."""

        async def answer(request: Request) -> Response:
            visit = visit_of(request)
            if visit is None:
                return _detour("/sign-in", request)
            if visit.is_nameless:
                return _detour("/name", request)
            return await self._run(visit.caller, partial(self._made, visit, make), reads=True, document=document)

        return answer

    def action(self, make: Make) -> Endpoint:
        async def answer(request: Request) -> Response:
            visit = visit_of(request)
            form = await read_form(request, _FORM_LIMIT if visit is None else LIMIT)
            acting = replace(_acting(request, visit, form.text("csrf")), form=form)
            return await self._changed(acting, make)

        return answer

    def upload(self, make: Make, permission: Permission, limit: int) -> Endpoint:
        """The body is a file, and the token is in a header, so that both are checked before the file is read."""

        async def answer(request: Request) -> Response:
            visit = _acting(request, visit_of(request), request.headers.get(CSRF_HEADER, ""))
            permission.require(visit.caller.role)
            with await read_file(request, Timeouts(), limit) as file:
                return await self._changed(replace(visit, file=file), make, document=True)

        return answer

    async def _changed(self, visit: Visit, make: Make, *, document: bool = False) -> Response:
        self._counted.pop(visit.caller.org, None)
        return await self._run(visit.caller, partial(self._made, visit, make), document=document)

    def _made(self, visit: Visit, make: Make, loop: Loop) -> Response:
        found = make(loop, visit)
        if isinstance(found, Response):
            return found
        shared = {
            "visit": visit,
            "now": loop.store.clock(),
            "person": partial(self._person, visit, {}),
            "waiting": found.values.get("waiting") or self._waiting(loop, visit),
        }
        return self._templates.show(found.template, status=found.status, **{**shared, **found.values})

    def _waiting(self, loop: Loop, visit: Visit) -> str:
        """How many proposals wait; counted again after a while, because it is on every page."""
        org, now = visit.caller.org, time.monotonic()
        known = self._counted.get(org)
        if known is not None and now - known[1] < _COUNTED_FOR:
            return known[0]
        page = loop.govern.proposals.page(limit=_MOST_COUNTED)
        if len(self._counted) > _MOST_COUNTED:
            self._counted.clear()
        self._counted[org] = (f"{len(page.items):,}{'+' if page.next else ''}", now)
        return self._counted[org][0]

    def _person(self, visit: Visit, known: dict[str, str], actor: str | None) -> str:
        """Who that is, in words: keys by their name, pseudonyms in short."""
        if actor is None:
            return "somebody"
        if visit.is_me(actor):
            return "you"
        if actor not in known:
            known[actor] = self._named(visit.caller.org, actor)
        return known[actor]

    def _named(self, org: str, actor: str) -> str:
        kind, _, id = actor.partition(":")
        if kind == "key" and id:
            caller = self._access.by_id(org, id)
            return f"a key that has ended ({id[-_SHORT_ID:]})" if caller is None else caller.name
        if actor == LOCAL:
            return "somebody on the server"
        pseudonym = actor.removeprefix("person-")
        return actor if pseudonym == actor else f"person {pseudonym[:_SHORT_ID]}"


def visit_of(request: Request) -> Visit | None:
    caller: Caller | None = request.scope.get("heedful.caller")
    if caller is None or _session(request) is None:
        return None
    return Visit(request, caller, _session(request).csrf, _name(request))


def _acting(request: Request, visit: Visit | None, csrf: str) -> Visit:
    """Who acts, if the page that they act from is ours."""
    if visit is None:
        raise Unauthenticated(
            "You are not signed in any more.",
            hint="Sign in in another tab, then go back: what you typed is still there.",
        )
    if not _session(request).issued(csrf):
        raise Forbidden("Missing or wrong CSRF token.", hint="Go back, reload the page and try again.")
    if visit.is_nameless:
        hint = "Open /name in another tab and say it, then go back: what you typed is still there."
        raise InvalidInput("Many people use this key, and your name is not known.", hint=hint)
    return visit


def _session(request: Request) -> Any:
    return request.scope.get("heedful.session")


def _name(request: Request) -> str | None:
    """Nobody but their own browser says it, so it is checked again."""
    try:
        return identifier(unquote(request.cookies.get(NAME_COOKIE, "")), "name")
    except HeedfulError:
        return None


def keep_name(answer: Response, name: str, *, secure: bool) -> None:
    options: Any = {"max_age": _NAME_LIFE, "httponly": True, "samesite": "lax", "secure": secure}
    answer.set_cookie(NAME_COOKIE, quote(name, safe=""), **options)


async def read_form(request: Request, limit: int = _FORM_LIMIT) -> Form:
    body = await read_body(request, Timeouts(), limit)
    try:
        text = body.decode("utf-8", "replace")
        return Form(parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise BadRequest("The form has too many fields.", hint="Send fewer at a time.") from None


def _detour(page: str, request: Request) -> Response:
    """To another page first, which leads back to this one."""
    path, query = request.url.path, request.url.query
    whole = f"{path}?{query}" if query else path
    back = whole if len(whole) <= _LONGEST_ADDRESS else path
    return RedirectResponse(page if back == "/" else f"{page}?{urlencode({'next': back})}", 303)


def own_address(address: str) -> str:
    """Only an address of this server, so that no link to the sign-in leads elsewhere."""
    strange = not address.startswith("/") or address[1:2] in ("/", "\\") or not address.isprintable()
    return "/" if strange else address

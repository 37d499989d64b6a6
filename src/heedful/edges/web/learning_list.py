"""The list of learnings: filtered, and searched while one types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args
from urllib.parse import urlencode

from starlette.routing import Route

from heedful.edges.web.learnings import KIND_LABELS, STATUS_LABELS, LearningLine, line, projects, repeated_line, title
from heedful.edges.web.site import Site, View, Visit
from heedful.loop import Loop
from heedful.records.learning import Status
from heedful.records.learnings import AnyKind, AnyLearning
from heedful.text.checks import clipped

_PER_PAGE = 40
_LEAST = 20  # on a page, if there are as many
_ROUNDS = 5  # of reading on, where only reviews are found
_FOUND = 30  # by a search
_SCANNED = 500  # learnings among which half a word is looked for
_QUERY = 500
_EVIDENCE = "remark"
"""What reviewers said is evidence for rules: it is listed if one asks for it."""
_ANY = "any"
_NOTICES = {"delete": "It was deleted, with its events and what was merged into it."}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person chose to see."""

    q: str
    kind: AnyKind | None
    status: Status | None
    about: str | None
    often: bool
    """What was said most often comes first."""

    @classmethod
    def of(cls, visit: Visit) -> Wanted:
        kind, status = visit.query("kind"), visit.query("status")
        return cls(
            clipped(visit.query("q").strip(), _QUERY),
            kind if kind in get_args(AnyKind) else None,  # type: ignore[arg-type]
            None if status == _ANY else next((one for one in Status if one.value == status), Status.ACTIVE),
            visit.query("about").strip() or None,
            visit.query("sort") == "often",
        )

    @property
    def filters(self) -> dict[str, Any]:
        return {"kind": self.kind, "status": self.status, "about": self.about}

    @property
    def query(self) -> str:
        """For a link to the next page."""
        chosen = {"kind": self.kind, "status": self.status.value if self.status else _ANY, "about": self.about}
        return urlencode({name: value for name, value in chosen.items() if value and value != Status.ACTIVE.value})

    @property
    def is_filtered(self) -> bool:
        return bool(self.q or self.kind or self.about or self.often or self.status is not Status.ACTIVE)


def routes(site: Site) -> list[Route]:
    return [Route("/learnings", site.page(_list))]


def _list(loop: Loop, visit: Visit) -> View:
    wanted = Wanted.of(visit)
    lines, more = _lines(loop, wanted, visit.query("cursor") or None)
    values = {
        "lines": lines,
        "next": more,
        "first": not visit.query("cursor"),
        "wanted": wanted,
        "kinds": KIND_LABELS,
        "statuses": STATUS_LABELS,
        "projects": projects(loop),
        "notice": _NOTICES.get(visit.query("done"), ""),
    }
    return View("learnings", values)


def _lines(loop: Loop, wanted: Wanted, cursor: str | None) -> tuple[list[LearningLine], str | None]:
    """The learnings of a page, and where the next one begins."""
    if wanted.q:
        return [line(one) for one in _found(loop, wanted)], None
    if wanted.often:
        again = loop.govern.learnings.repeated(**wanted.filters, limit=_PER_PAGE)
        return [repeated_line(one) for one in again if _is_listed(one.learning, wanted)], None
    found: list[LearningLine] = []
    for _ in range(_ROUNDS):
        page = loop.govern.learnings.page(**wanted.filters, limit=_PER_PAGE, cursor=cursor)
        found += [line(one) for one in page.items if _is_listed(one, wanted)]
        cursor = page.next
        if cursor is None or len(found) >= _LEAST:
            break
    return found, cursor


def _found(loop: Loop, wanted: Wanted) -> list[AnyLearning]:
    matches = loop.apply.search(wanted.q, **wanted.filters, limit=_FOUND)
    found = {one.id: one for one in _with_half_words(loop, wanted)}
    found |= {match.learning.id: match.learning for match in matches if _is_listed(match.learning, wanted)}
    return list(found.values())[:_FOUND]


def _with_half_words(loop: Loop, wanted: Wanted) -> Iterator[AnyLearning]:
    """Search knows words and meanings; whoever types has begun a word."""
    typed = wanted.q.casefold()
    for one in loop.govern.learnings.page(**wanted.filters, limit=_SCANNED).items:
        if _is_listed(one, wanted) and typed in title(one).casefold():
            yield one


def _is_listed(one: AnyLearning, wanted: Wanted) -> bool:
    return one.kind != _EVIDENCE or wanted.kind == _EVIDENCE

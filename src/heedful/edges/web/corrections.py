"""Corrections: what people corrected, how heedful understood it, and how to change or delete it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.routing import Route

from heedful.edges.web.learnings import STATUS_LABELS, LearningLine, line, projects
from heedful.edges.web.site import Site, View, Visit
from heedful.learnings.events import EDITED, READ_BY
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.correction import TEXT_LIMIT, Correction
from heedful.records.event import Event
from heedful.records.learning import Status

_PER_PAGE = 20
_ANY = "any"
_NOTICES = {"edit": "Saved. Older versions stay in its history.", "delete": "It was deleted, with its events."}


@dataclass(frozen=True, slots=True)
class CorrectionView:
    line: LearningLine
    correction: Correction
    read_by: str
    """Who found the correction in the message; empty if it was reported as a pair."""
    edited: Event | None
    """The last edit of a person: the words are theirs since."""


def routes(site: Site) -> list[Route]:
    return [Route("/corrections", site.page(_list))]


def _list(loop: Loop, visit: Visit) -> View:
    about, state = visit.query("about").strip() or None, visit.query("status")
    status = None if state == _ANY else next((one for one in Status if one.value == state), Status.ACTIVE)
    cursor = visit.query("cursor") or None
    page = loop.govern.learnings.page(kind="correction", status=status, about=about, limit=_PER_PAGE, cursor=cursor)
    values = {
        "views": correction_views(loop, [one for one in page.items if isinstance(one, Correction)]),
        "next": page.next,
        "first": cursor is None,
        "about": about or "",
        "state": _ANY if status is None else status.value,
        "statuses": STATUS_LABELS,
        "projects": projects(loop),
        "may_change": visit.may(policy.LearningPolicy.change),
        "may_delete": visit.may(policy.LearningPolicy.delete),
        "longest": TEXT_LIMIT,
        "notice": _NOTICES.get(visit.query("done"), ""),
    }
    return View("corrections", values)


def correction_views(loop: Loop, corrections: Sequence[Correction]) -> list[CorrectionView]:
    rows = LearningTable(loop.store).named([one.id for one in corrections])
    return [_view(one, rows.get(one.id)) for one in corrections]


def _view(one: Correction, row: LearningRow | None) -> CorrectionView:
    if row is None:  # deleted meanwhile
        return CorrectionView(line(one), one, "", None)
    last = row.last
    edited = last if last.kind == EDITED and READ_BY not in last.meta else None
    return CorrectionView(line(one), one, _read_by(last.meta, still=edited is None), edited)


def _read_by(meta: Mapping[str, Any], *, still: bool) -> str:
    """Such as "the reader on this server, 93 % sure"; how sure counts only if the words still are what it read."""
    detected = meta.get("detected")
    if not isinstance(detected, Mapping):
        return ""
    model = isinstance(detected.get("llm"), int | float)
    sure = detected.get("llm") if model else detected.get("local")
    who = "a language model" if model else "the reader on this server"
    return f"{who}, {100 * sure:.0f} % sure" if still and isinstance(sure, int | float) else who

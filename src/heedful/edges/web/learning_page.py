"""A learning by itself: what it says to people and to agents, where it comes from, whether it helps, its versions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.routing import Route

from heedful.edges.web.corrections import correction_views
from heedful.edges.web.learning_versions import versions
from heedful.edges.web.learnings import KIND_LABELS, STATUS_LABELS, content_parts, line, projects
from heedful.edges.web.site import Site, View, Visit
from heedful.edges.web.why_graph import address, drawn, told
from heedful.learnings.composing import PLAIN, candidate, compose
from heedful.learnings.content import says_more
from heedful.learnings.kinds import KINDS
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.correction import TEXT_LIMIT, Correction
from heedful.records.insight import CONTENT_LIMIT, Insight
from heedful.records.learning import Status
from heedful.records.learnings import AnyLearning
from heedful.records.why import Why

_ROOM = 4_000  # tokens, enough for one learning
_NOTICES = {
    "edit": "Saved. The version before is below.",
    "rate": "Thank you: your rating counts once, and you can change it.",
    "approve": "Approved. It may now be written into files that agents read.",
    "unapprove": "Your approval was taken back.",
    "retire": "Retired. Agents no longer get it, and it is not learned again.",
    "restore": "It is in use again.",
}


def routes(site: Site) -> list[Route]:
    return [Route("/learnings/{id:path}", site.page(_one)), Route("/contexts/{id:path}", site.page(_context))]


def _one(loop: Loop, visit: Visit) -> View:
    return alone(loop, visit, visit.request.path_params["id"])


def alone(
    loop: Loop, visit: Visit, id: str, message: str = "", typed: Mapping[str, Any] | None = None, status: int = 200
) -> View:
    """`typed` is what the person typed into a form that was refused."""
    one, why = loop.govern.learnings.get(id), loop.govern.why(id)
    values = {
        "one": one,
        "line": line(one),
        "kinds": KIND_LABELS,
        "statuses": STATUS_LABELS,
        "parts": _parts(one) if isinstance(one, Insight) else (),
        "understood": correction_views(loop, [one])[0] if isinstance(one, Correction) else None,
        **_story(why),
        "versions": versions(one, why.history),
        "prompt": _prompt(one),
        "may": _may(visit, one),
        "projects": projects(loop),
        "longest": TEXT_LIMIT if isinstance(one, Correction) else CONTENT_LIMIT,
        "message": message,
        "typed": typed,
        "notice": "" if message else _NOTICES.get(visit.query("done"), ""),
    }
    return View("learning", values, status)


def _parts(one: Insight) -> list[tuple[str, str]]:
    """What it says beside its title."""
    return [part for part in content_parts(one.content) if says_more(part[1], one.title)]


def _context(loop: Loop, visit: Visit) -> View:
    id = visit.request.path_params["id"]
    return View("context", {"id": id, **_story(loop.govern.why(id))})


def _story(why: Why) -> dict[str, Any]:
    """What led to it; drawn when the page is, which knows how people are named."""
    timed = sorted(why.nodes, key=lambda node: math.inf if node.at is None else node.at.timestamp())
    draw = partial(drawn, why.nodes, why.edges)
    return {"why": why, "nodes": timed, "draw": draw, "told": told, "address": address}


def _prompt(one: AnyLearning) -> str:
    """What an agent gets of it; empty for what is only evidence."""
    pieces = compose([candidate(one, 1.0)], _ROOM).pieces if KINDS[one.kind].given else ()
    return PLAIN.written(pieces)


def _may(visit: Visit, one: AnyLearning) -> dict[str, bool]:
    """What this person can do with it now."""
    kind, active = KINDS[one.kind], one.status is Status.ACTIVE
    held = active or one.status is Status.POSSIBLE
    by_one = kind.approvals == 1
    change, approve = (visit.may(one) for one in (policy.LearningPolicy.change, policy.LearningPolicy.approve))
    return {
        "rate": active and visit.may(policy.LearningPolicy.rate),
        "edit": change and isinstance(one, Correction | Insight),
        "approve": approve and by_one and kind.given and held and not one.approved,
        "unapprove": approve and by_one and one.approved and active,
        "retire": change and held,
        "restore": change and not held and by_one,
        "delete": visit.may(policy.LearningPolicy.delete),
    }

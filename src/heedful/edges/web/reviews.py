"""Reviews of agents' outputs: the list, one of them, and the page that records a new one."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from uuid_utils import uuid7

from heedful.edges.web.site import Form, Site, View, Visit
from heedful.errors import Conflict, InvalidInput
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.review import COMMENT_LIMIT, Action, Classification, ReviewDecision

_PER_PAGE = 30
_SIMILAR = 5
_NEAR = 0.6  # the cosine from which another review is worth a look
_RECEIVED = ("agent", "output", "approved", "comment", "tags", "gate", "epic", "task", "id")
"""What a link to the page may bring along."""
CLASSES = {
    Classification.UNCLASSIFIED: "Not evaluated yet",
    Classification.GENERALIZABLE_HIGH: "Holds in general",
    Classification.GENERALIZABLE_LOW: "May hold in general",
    Classification.EDGE_CASE: "Holds for this case only",
    Classification.AMBIGUOUS: "Unclear",
    Classification.POSITIVE: "Fine as it was",
}
ACTIONS = {
    Action.CREATE_RULE: "Make it a rule.",
    Action.REFINE_PROMPT: "Refine the prompt: a rule in force says it already.",
    Action.UPDATE_SKILL: "Tell several agents.",
    Action.DOCUMENT_ONLY: "Only note it.",
}


def routes(site: Site) -> list[Route]:
    return [
        Route("/reviews", site.page(_list)),
        Route("/reviews/new", site.page(_new)),
        Route("/reviews/new", site.action(_save), methods=["POST"]),
        Route("/reviews/{id:path}", site.page(_one)),
    ]


def _list(loop: Loop, visit: Visit) -> View:
    agent = visit.query("agent").strip()
    page = loop.learn.reviews.page(agent=agent or None, limit=_PER_PAGE, cursor=visit.query("cursor") or None)
    agents = {review.agent for review in page.items} | agents_with_rules(loop)
    may = visit.may(policy.ReviewPolicy.record)
    values = {"reviews": page.items, "next": page.next, "agent": agent, "agents": sorted(agents), "may_record": may}
    return View("reviews", {**values, "first": not visit.query("cursor"), "classes": CLASSES})


def agents_with_rules(loop: Loop) -> set[str]:
    return {agent for rule in loop.govern.rules.in_force() for agent in rule.agents}


def _one(loop: Loop, visit: Visit) -> View:
    review = loop.learn.reviews.get(visit.request.path_params["id"])
    similar = loop.learn.reviews.similar(review.id, threshold=_NEAR, limit=_SIMILAR)
    values = {"review": review, "similar": similar, "classes": CLASSES, "actions": ACTIONS}
    return View("review", {**values, "saved": bool(visit.query("saved"))})


# A new one


def _new(loop: Loop, visit: Visit) -> View:
    policy.ReviewPolicy.record.require(visit.caller.role)
    given = {name: visit.query(name).replace("\r\n", "\n") for name in _RECEIVED}
    given["approved"] = given["approved"] or given["output"]
    return _form(loop, {**given, "id": given["id"] or str(uuid7()), "decision": ""})


def _form(loop: Loop, given: dict[str, str], message: str = "", status: int = 200) -> View:
    agents = sorted(agents_with_rules(loop))
    values = {"given": given, "agents": agents, "message": message, "longest": COMMENT_LIMIT}
    return View("review_new", {**values, "decisions": tuple(ReviewDecision)}, status)


def _save(loop: Loop, visit: Visit) -> View | Response:
    form = visit.form
    try:
        review = loop.capture.review(**_arguments(form), reviewer=visit.person)
    except (Conflict, InvalidInput) as error:
        given = {name: form.text(name) for name in (*_RECEIVED, "decision")}
        status = 409 if isinstance(error, Conflict) else 422
        return _form(loop, given, f"{error.message} {error.hint}", status)
    return RedirectResponse(f"/reviews/{quote(review.id)}?saved=1", 303)


def _arguments(form: Form) -> dict[str, Any]:
    output, approved = form.text("output"), form.text("approved")
    changed = bool(approved.strip()) and approved != output
    decision = form.text("decision")
    if changed and decision != ReviewDecision.REJECTED:
        decision = ReviewDecision.APPROVED_WITH_CHANGES  # whatever was marked: the text says it
    if not decision:
        raise InvalidInput("No decision was chosen.", hint="Approve it, change it, or reject it.")
    return {
        "agent": form.text("agent").strip(),
        "decision": decision,
        "output": output,
        "approved": approved if changed else None,
        "comment": form.word("comment"),
        "tags": form.words("tags"),
        **{name: form.word(name) for name in ("gate", "epic", "task", "id")},
        "seconds": _seconds(form.text("seconds")),
    }


def _seconds(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None

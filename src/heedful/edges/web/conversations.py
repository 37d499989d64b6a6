"""Conversations that were mined: what each taught or why it taught nothing, and how to delete one."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.web.learnings import LearningView, learning_view
from heedful.edges.web.site import Site, View, Visit
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records import mining
from heedful.records.mining import Mined, MiningOutcome
from heedful.records.transcript import Message

_PER_PAGE = 40
_MESSAGES = 200  # that are shown of one conversation
OUTCOMES = {
    MiningOutcome.LEARNED: ("Learned", "good"),
    MiningOutcome.KNOWN: ("Known already", "good"),
    MiningOutcome.DISPUTED: ("Asks people", "mid"),
    MiningOutcome.TAKEN_BACK: ("Taken back", "mid"),
    MiningOutcome.LOW_VALUE: ("Nothing to learn", ""),
    MiningOutcome.NOTHING_FOUND: ("Nothing found", ""),
    MiningOutcome.LOW_QUALITY: ("Not sure", "mid"),
}
"""Each with the class of its chip."""


def routes(site: Site) -> list[Route]:
    return [
        Route("/conversations", site.page(_list)),
        Route("/conversations/delete", site.action(_delete), methods=["POST"]),
        Route("/conversations/{id:path}", site.page(_one)),
    ]


def _list(loop: Loop, visit: Visit) -> View:
    page = loop.govern.conversations.page(limit=_PER_PAGE, cursor=visit.query("cursor") or None)
    latest: dict[str, Mined] = {}
    for one in page.items:  # last mined first: of one that was mined again, the last time counts
        latest.setdefault(one.conversation, one)
    values = {
        "conversations": list(latest.values()),
        "outcomes": OUTCOMES,
        "next": page.next,
        "first": not visit.query("cursor"),
        "deleted": _deleted(visit),
    }
    return View("conversations", values)


def _deleted(visit: Visit) -> tuple[int, int] | None:
    """How many events and learnings went with the conversation that was deleted just now."""
    events, learnings = visit.query("events"), visit.query("learnings")
    if not (events.isascii() and events.isdigit() and learnings.isascii() and learnings.isdigit()):
        return None
    return int(events[:9]), int(learnings[:9])


def _one(loop: Loop, visit: Visit) -> View:
    mined = loop.govern.conversations.get(visit.request.path_params["id"])
    values = {
        "mined": mined,
        "outcome": OUTCOMES[mined.outcome],
        "learned": _views(loop, mined.learned),
        "confirmed": _views(loop, mined.confirmed),
        "possible": _views(loop, mined.possible),
        "taken_back": _views(loop, mined.taken_back),
        "messages": _messages(loop, mined.conversation),
        "may_delete": visit.may(policy.ConversationPolicy.delete),
    }
    return View("conversation", values)


def _views(loop: Loop, ids: tuple[str, ...]) -> list[LearningView]:
    return [view for view in (learning_view(loop, id) for id in dict.fromkeys(ids)) if view is not None]


def _messages(loop: Loop, conversation: str) -> list[Message]:
    said = loop.log.page(kind=mining.SAID, entity=(mining.ENTITY, conversation), limit=_MESSAGES)
    return [mining.message_of(event) for event in said.items]


def _delete(loop: Loop, visit: Visit) -> Response:
    gone = loop.govern.conversations.delete(visit.form.text("id"))
    counts = {"events": gone.events, "learnings": gone.learnings}
    return RedirectResponse(f"/conversations?{urlencode(counts)}", 303)


def address(conversation: str) -> str:
    return f"/conversations/{quote(conversation, safe='')}"

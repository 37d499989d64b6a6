"""The inbox: everything that waits for a person, and what they decide about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.web.learnings import LearningView, learning_view
from heedful.edges.web.site import Site, View, Visit
from heedful.errors import Conflict, HeedfulError, InvalidInput, NotFound
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.proposal import ConflictKind, Lane, Proposal, ProposalStatus, RuleConflict, voices
from heedful.records.review import Review
from heedful.records.rule import RULE_LIMIT, RuleType
from heedful.text.checks import clipped

_PER_PAGE = 15
_MOST = 1_000  # proposals that are put in order
_EVIDENCE = 3  # reviews of each proposal in the list; its own page shows all
_LANES = tuple(Lane)
_NAMED = 20  # proposals that are told of after a decision
_TITLE = 120
_YOURS = {"approve": "Your approval", "reject": "Your rejection", "edit": "Your edit"}
_BLOCKING = (ConflictKind.CONTRARY, ConflictKind.SAME)


@dataclass(frozen=True, slots=True)
class Card:
    """A proposal with what it names, as one person sees it."""

    proposal: Proposal
    learnings: tuple[LearningView | None, ...]
    """None for one that was deleted."""
    reviews: tuple[Review, ...]
    agreed: int
    """How many people."""
    mine: bool
    """Whether this person agreed already."""
    wrote: bool
    """Whether this person wrote these words."""
    replaceable: tuple[RuleConflict, ...]
    """Conflicting rules that are in force."""
    may_decide: bool

    @property
    def can_approve(self) -> bool:
        return self.may_decide and not self.mine and not self.wrote

    @property
    def can_be_chosen(self) -> bool:
        return self.can_approve and self.proposal.lane is not Lane.SLOW


@dataclass(frozen=True, slots=True)
class Notice:
    """What to tell above a proposal, and what the person had typed."""

    text: str
    wrong: bool = True
    actor: str | None = None
    """Who did it: the text goes on after their name."""
    title: str = ""
    """Which proposal, where there are several."""
    typed: Mapping[str, Any] = field(default_factory=dict)
    """What they typed into the form that was refused."""
    form: str = ""
    """Which form that was: approve, reject or edit."""


def routes(site: Site) -> list[Route]:
    return [
        Route("/inbox", site.page(_list)),
        Route("/inbox/approve", site.action(_approve), methods=["POST"]),
        Route("/inbox/reject", site.action(_reject), methods=["POST"]),
        Route("/inbox/edit", site.action(_edit), methods=["POST"]),
        Route("/inbox/decide", site.action(_decide), methods=["POST"]),
        Route("/inbox/{id:path}", site.page(_one)),
    ]


# Pages


def _list(loop: Loop, visit: Visit) -> View:
    return _listed(loop, visit, _outcomes(loop, visit))


def _listed(loop: Loop, visit: Visit, notices: Sequence[Notice], status: int = 200, chosen: Sequence[str] = ()) -> View:
    page = loop.govern.proposals.page(limit=_MOST)
    ordered = sorted(page.items, key=lambda one: (_LANES.index(one.lane), _has_agreed(visit, one), one.at))
    pages = max(1, -(-len(ordered) // _PER_PAGE))
    number = min(max(1, _number(visit.query("page") or visit.form.text("page"))), pages)
    shown = ordered[(number - 1) * _PER_PAGE : number * _PER_PAGE]
    values = {
        "cards": [_card(loop, visit, one, _EVIDENCE) for one in shown],
        "following": {one.id: after.id for one, after in pairwise(shown)},
        "chosen": chosen,
        "lanes": _LANES,
        "total": {lane: sum(one.lane is lane for one in ordered) for lane in _LANES},
        "page": number,
        "pages": pages,
        "notices": notices,
        "waiting": f"{len(ordered):,}{'+' if page.next else ''}",
        **_shared(visit),
    }
    return View("inbox", values, status)


def _one(loop: Loop, visit: Visit) -> View:
    return _alone(loop, visit, visit.request.path_params["id"])


def _alone(loop: Loop, visit: Visit, id: str, notice: Notice | None = None, status: int = 200) -> View:
    found = loop.govern.proposals.get(id)
    notices = [notice] if notice is not None else _outcomes(loop, visit)
    refused = notice or Notice("")
    card = _card(loop, visit, found, len(found.evidence))
    return View("proposal", {"card": card, "notices": notices, "refused": refused, **_shared(visit)}, status)


def _shared(visit: Visit) -> dict[str, Any]:
    return {"may_decide": visit.may(policy.ProposalPolicy.decide), "types": tuple(RuleType), "longest": RULE_LIMIT}


def _card(loop: Loop, visit: Visit, one: Proposal, most: int) -> Card:
    return Card(
        proposal=one,
        learnings=tuple(learning_view(loop, id) for id in one.learnings),
        reviews=tuple(_reviews(loop, one.evidence[:most])),
        agreed=len(voices(one)),
        mine=_has_agreed(visit, one),
        wrote=visit.is_me(one.made_by),
        replaceable=tuple(conflict for conflict in one.conflicts if conflict.in_force),
        may_decide=visit.may(policy.ProposalPolicy.decide) and one.status is ProposalStatus.PENDING,
    )


def _reviews(loop: Loop, ids: Sequence[str]) -> list[Review]:
    found: list[Review] = []
    for id in ids:
        try:
            found.append(loop.learn.reviews.get(id))
        except NotFound:
            continue  # it was deleted
    return found


def _has_agreed(visit: Visit, one: Proposal) -> bool:
    return any(visit.is_me(approval.by) for approval in one.approvals)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1


# Decisions


def _approve(loop: Loop, visit: Visit) -> View | Response:
    id, digest = visit.form.text("id"), visit.form.word("digest")
    before = loop.govern.proposals.get(id)
    if before.digest == digest and _has_agreed(visit, before):
        return _back(visit, [id])  # the button was pressed twice
    if before.status is not ProposalStatus.PENDING:
        return _refused(loop, visit, id, "approve")
    try:
        loop.govern.proposals.approve(id, by=visit.by, digest=digest)
    except (Conflict, InvalidInput) as error:
        return _refused(loop, visit, id, "approve", error)
    return _back(visit, [id])


def _reject(loop: Loop, visit: Visit) -> View | Response:
    id, why = visit.form.text("id"), visit.form.text("why")
    if loop.govern.proposals.get(id).status is not ProposalStatus.PENDING:
        return _refused(loop, visit, id, "reject", typed={"why": why})
    try:
        loop.govern.proposals.reject(id, by=visit.by, digest=visit.form.word("digest"), why=why)
    except (Conflict, InvalidInput) as error:
        return _refused(loop, visit, id, "reject", error, {"why": why})
    return _back(visit, [id])


def _edit(loop: Loop, visit: Visit) -> View | Response:
    form = visit.form
    id = form.text("id")
    typed: dict[str, Any] = {
        "rule": form.text("rule"),
        "type": form.text("type"),
        "agents": form.words("agents"),
        "insertion_point": form.text("insertion_point"),
        "before": form.text("before"),
        "after": form.text("after"),
        "replaces": form.chosen("replaces"),
    }
    try:
        loop.govern.proposals.edit(id, by=visit.by, digest=form.word("digest"), **typed)
    except (Conflict, InvalidInput) as error:
        return _refused(loop, visit, id, "edit", error, typed)
    return _back(visit, [id], at=id)


def _decide(loop: Loop, visit: Visit) -> View | Response:
    """Of each chosen one, the form has its id and the digest of the words that were on the page."""
    chosen = [value.rpartition(" ") for value in visit.form.chosen("chosen")]
    read = {id: digest for id, _, digest in chosen}
    approve, why = visit.form.text("decision") == "approve", visit.form.text("why").strip()
    if not read:
        return _listed(loop, visit, [Notice("Nothing was chosen. Mark the boxes of those you want to decide.")], 422)
    if not approve and not why:
        return _listed(loop, visit, [Notice("Say why you reject them: reviewers want to know.")], 422, tuple(read))
    digests = list(read.values())
    done = loop.govern.proposals.decide(list(read), approve=approve, by=visit.by, digests=digests, why=why or None)
    failed = [_failed(loop, visit, one.id, read[one.id], one.error) for one in done if one.error is not None]
    if not failed:
        return _back(visit, list(read))
    return _listed(loop, visit, [*failed, *(_outcome(loop, visit, one.id) for one in done if one.error is None)], 409)


def _back(visit: Visit, ids: Sequence[str], at: str | None = None) -> Response:
    """To the list, at the next one; or to the page of the proposal, if that is where they came from."""
    if visit.form.text("from") == "proposal":
        return RedirectResponse(f"/inbox/{quote(ids[0])}?{urlencode({'done': ids[0]})}", 303)
    query = [("page", visit.form.text("page") or "1"), *(("done", id) for id in ids[:_NAMED])]
    place = at or visit.form.text("next")
    return RedirectResponse(f"/inbox?{urlencode(query)}{f'#p-{quote(place)}' if place else ''}", 303)


# What became of it, in words


def _outcomes(loop: Loop, visit: Visit) -> list[Notice]:
    ids = visit.request.query_params.getlist("done")[:_NAMED]
    return [notice for notice in (_outcome(loop, visit, id) for id in ids) if notice.text]


def _outcome(loop: Loop, visit: Visit, id: str) -> Notice:
    try:
        one = loop.govern.proposals.get(id)
    except NotFound:
        return Notice("")
    title = _title(loop, one)
    if one.status is not ProposalStatus.PENDING:
        return Notice(f"{one.status.value.capitalize()}: {title}", wrong=False)
    if _has_agreed(visit, one):
        left = one.needed - len(voices(one))
        more = "One more person must agree." if left == 1 else f"{left} more people must agree."
        return Notice(f"You agreed to {title}. {more}", wrong=False)
    if visit.is_me(one.made_by):
        return Notice(f"You edited {title}. {one.needed} other people must agree to the new words.", wrong=False)
    return Notice("")


def _refused(
    loop: Loop,
    visit: Visit,
    id: str,
    form: str,
    error: HeedfulError | None = None,
    typed: Mapping[str, Any] | None = None,
) -> View:
    """The proposal as it is now, with what the person typed."""
    found = loop.govern.proposals.get(id)
    told = "" if error is None else f"{error.message} {error.hint}"
    notice = _explained(visit, found, visit.form.text("digest"), told, _YOURS[form])
    status = 422 if isinstance(error, InvalidInput) else 409
    return _alone(loop, visit, id, replace(notice, form=form, typed=typed or {}), status)


def _failed(loop: Loop, visit: Visit, id: str, digest: str, error: str) -> Notice:
    try:
        found = loop.govern.proposals.get(id)
    except NotFound:
        return Notice(error)
    notice = _explained(visit, found, digest, error, "Your decision")
    return replace(notice, title=_title(loop, found))


def _explained(visit: Visit, one: Proposal, digest: str, error: str, yours: str) -> Notice:
    """Why something was not recorded: somebody else was faster, or the operation refused it."""
    if one.status is ProposalStatus.EXPIRED:
        return Notice(f"Nobody answered in time, so it expired. {yours} was not recorded.")
    if one.status is not ProposalStatus.PENDING:
        why = f" They say: “{one.why}”" if one.why else ""
        return Notice(f"{one.status.value} this meanwhile. {yours} was not recorded.{why}", actor=one.decided_by)
    if one.digest != digest:
        return Notice(f"changed the words after you opened them. {yours} was not recorded.", actor=one.made_by)
    if visit.is_me(one.made_by):
        return Notice("You wrote these words. Others must agree to them.")
    blocking = [conflict for conflict in one.conflicts if conflict.kind in _BLOCKING and conflict.text in error]
    if blocking:
        return Notice(
            f"A rule in force stands against it: “{blocking[0].text}” "
            "Edit this one and mark the rule that it replaces, retire that rule, or reject this one."
        )
    return Notice(error)


def _title(loop: Loop, one: Proposal) -> str:
    views = [learning_view(loop, id) for id in one.learnings]
    said = one.rule.text if one.rule is not None else " / ".join(view.title for view in views if view is not None)
    return f"“{clipped(said, _TITLE)}”"

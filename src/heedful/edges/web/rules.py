"""Rules: what an agent gets now, whether each rule helps, and its history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from heedful.edges.web.reviews import agents_with_rules
from heedful.edges.web.site import Site, View, Visit
from heedful.errors import InvalidInput, NotFound
from heedful.learnings import events
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records.event import Event
from heedful.records.learning import Status
from heedful.records.proposal import Proposal
from heedful.records.review import Review
from heedful.records.rule import Rule, RuleEffect

_GONE = 50  # rules no longer in force that are listed
_RECENT = 50  # reviews whose agents are offered
_EVIDENCE = 30


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """Something that happened to a rule."""

    at: datetime
    did: str
    actor: str | None = None
    """Who did it, if a person did."""
    why: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class RuleView:
    rule: Rule
    effect: RuleEffect | None
    """None for those who may not see statistics, and for rules out of force."""
    history: tuple[HistoryStep, ...]
    may_retire: bool

    @property
    def in_force(self) -> bool:
        return self.rule.status is Status.ACTIVE and self.rule.approved


def routes(site: Site) -> list[Route]:
    return [
        Route("/rules", site.page(_list)),
        Route("/rules/retire", site.action(_retire), methods=["POST"]),
        Route("/rules/{id:path}", site.page(_one)),
    ]


def _list(loop: Loop, visit: Visit) -> View:
    agent = visit.query("agent").strip()
    rules = loop.govern.rules.in_force(agent=agent or None)
    effects = _effects(loop, visit, agent or None)
    values = {
        "agent": agent,
        "agents": sorted(_agents(loop)),
        "prompt": loop.apply.rules(agent).strip() if agent else "",
        "views": [_view(loop, visit, rule, effects.get(rule.id)) for rule in rules],
        "gone": [] if agent else _gone(loop),
        "sees_effects": visit.may(policy.AnalyticsPolicy.read),
    }
    return View("rules", values)


def _agents(loop: Loop) -> set[str]:
    recent = loop.learn.reviews.page(limit=_RECENT).items
    return agents_with_rules(loop) | {review.agent for review in recent}


def _gone(loop: Loop) -> list[Rule]:
    found = loop.govern.learnings.page(kind="rule", status=None, limit=_GONE).items
    return [rule for rule in found if isinstance(rule, Rule) and rule.status is not Status.ACTIVE]


def _one(loop: Loop, visit: Visit) -> View:
    return _alone(loop, visit, visit.request.path_params["id"])


def _alone(loop: Loop, visit: Visit, id: str, message: str = "", status: int = 200) -> View:
    rule = loop.govern.learnings.get(id)
    if not isinstance(rule, Rule):
        raise NotFound("That learning is not a rule.", hint="See the list at /rules.")
    in_force = rule.status is Status.ACTIVE
    effects = _effects(loop, visit, rule.agents[0] if rule.agents else None) if in_force else {}
    view = _view(loop, visit, rule, effects.get(rule.id))
    return View("rule", {"view": view, "reviews": list(_reviews(loop, rule)), "message": message}, status)


def _effects(loop: Loop, visit: Visit, agent: str | None) -> dict[str, RuleEffect]:
    if not visit.may(policy.AnalyticsPolicy.read):
        return {}
    return {effect.rule: effect for effect in loop.measure.rules.effects(agent=agent)}


def _view(loop: Loop, visit: Visit, rule: Rule, effect: RuleEffect | None) -> RuleView:
    history = sorted(_history(loop, rule), key=lambda step: step.at)
    may = visit.may(policy.LearningPolicy.change) and rule.status is Status.ACTIVE
    return RuleView(rule, effect, tuple(history), may)


def _reviews(loop: Loop, rule: Rule) -> Iterator[Review]:
    for id in rule.evidence[:_EVIDENCE]:
        try:
            yield loop.learn.reviews.get(id)
        except NotFound:
            continue  # it was deleted


def _retire(loop: Loop, visit: Visit) -> View | Response:
    id, why = visit.form.text("id"), visit.form.text("why").strip()
    if not why:
        return _alone(loop, visit, id, "Say why: others will want to know.", 422)
    try:
        loop.govern.learnings.retire(id, why=why)
    except InvalidInput as error:
        return _alone(loop, visit, id, f"{error.message} {error.hint}", 422)
    return RedirectResponse(f"/rules/{quote(id)}", 303)


# History


def _history(loop: Loop, rule: Rule) -> Iterator[HistoryStep]:
    if (proposal := _proposal(loop, rule)) is not None:
        yield from _proposed(proposal)
    for event in loop.govern.why(rule.id).history:
        if (step := _step(event)) is not None:
            yield step


def _proposal(loop: Loop, rule: Rule) -> Proposal | None:
    try:
        return None if rule.proposal is None else loop.govern.proposals.get(rule.proposal)
    except NotFound:
        return None


def _proposed(proposal: Proposal) -> Iterator[HistoryStep]:
    link = f"/inbox/{quote(proposal.id)}"
    if proposal.made_by is None:
        yield HistoryStep(proposal.at, "Proposed by heedful", why=proposal.reason, link=link)
    else:
        yield HistoryStep(proposal.at, "Proposed by", proposal.made_by, proposal.reason, link)
    for approval in proposal.approvals:
        yield HistoryStep(approval.at, "Approved by", approval.by, approval.why)
    for old in proposal.learnings:
        yield HistoryStep(
            proposal.decided_at or proposal.at, "Took the place of another rule", link=f"/rules/{quote(old)}"
        )


def _step(event: Event) -> HistoryStep | None:
    meta = event.meta
    why, review = str(meta.get("why", "")), f"/reviews/{quote(str(meta.get('review', '')))}"
    if event.kind == events.RETIRED:
        if meta.get("suspended") is True:
            return HistoryStep(event.at, "Suspended by heedful", why=why)
        return HistoryStep(event.at, "Retired by", event.actor, why)
    if event.kind == events.SUPERSEDED:
        return HistoryStep(event.at, "Replaced by another rule", link=f"/rules/{quote(str(meta.get('by', '')))}")
    told = {
        events.ADOPTED: HistoryStep(event.at, "In force"),
        events.RESTORED: HistoryStep(event.at, "In force again"),
        events.RECURRED: HistoryStep(event.at, "Said again in a review", link=review),
        events.OPPOSED: HistoryStep(event.at, "A reviewer said the contrary", link=review),
    }
    return told.get(event.kind)  # approvals of the same words and uses would only be noise

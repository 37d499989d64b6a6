"""What holds whatever is asked: rules in force, and what people asked to follow from now on."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.relevance import recency
from heedful.learnings.row import LearningRow
from heedful.learnings.rules import Rules
from heedful.learnings.table import NONE, OWN_OR_NO_OWNER, OWN_OR_NO_SCOPE, LearningTable
from heedful.records.learning import Status
from heedful.records.learnings import AnyLearning, Match
from heedful.store import Store

_READ = 50  # of the newest corrections of a project or a person
_ACTIVE = {"status": Status.ACTIVE.value}


def standing(store: Store, about: str | None, owner: str, agent: str | None) -> list[Match]:
    """What always holds for an agent at work on a project for a person, best first.

    Rules in force for this agent or for all; approved insights that are rules, and approved corrections that hold
    always, of this project or of none; corrections that hold always of just this project or this person, approved or
    not. What people disagree about is left out.
    """
    if not LearningTable(store).count():
        return []
    now = store.clock()
    found = {one.id: one for one in _found(store, about, owner, agent) if not one.contradicted_by}
    matches = [_match(one, recency(one, now)) for one in found.values()]
    return sorted(matches, key=lambda match: -match.relevance)


def constraints(store: Store, about: str | None, owner: str, agent: str | None) -> list[Match]:
    """Those of them that people approved, rules in force among them."""
    found = {one.id: one for one in _approved(store, about, owner, agent) if not one.contradicted_by}
    return [_match(one, 1.0) for one in found.values()]


def _approved(store: Store, about: str | None, owner: str, agent: str | None) -> Iterator[AnyLearning]:
    yield from Rules(store).in_force(agent or NONE)
    table, scope = LearningTable(store), _scope(about)
    wanted = {**_ACTIVE, **scope, OWN_OR_NO_OWNER: owner}
    insights, corrections = ({**wanted, "kind": kind.name} for kind in (INSIGHT, CORRECTION))
    yield from (one for one in map(INSIGHT.record, table.approved(insights)) if one.rule)
    yield from (one for one in map(CORRECTION.record, table.approved(corrections)) if one.always)


def _scope(about: str | None) -> dict[str, str | None]:
    return {"scope": NONE} if about is None else {OWN_OR_NO_SCOPE: about}


def _found(store: Store, about: str | None, owner: str, agent: str | None) -> Iterator[AnyLearning]:
    yield from _approved(store, about, owner, agent)
    table, corrections = LearningTable(store), {**_ACTIVE, "kind": CORRECTION.name}
    rows: list[LearningRow] = []
    if about is not None:
        rows += table.page({**corrections, "scope": about, OWN_OR_NO_OWNER: owner}, None, _READ)
    if owner != NONE:
        rows += table.page({**corrections, **_scope(about), "owner": owner}, None, _READ)
    yield from (one for one in map(CORRECTION.record, rows) if one.always)


def _match(learning: AnyLearning, recent: float) -> Match:
    certain = 1.0 if learning.approved else recent
    return Match(learning, 1.0, 1.0, recent, 1.0, learning.confidence * certain)

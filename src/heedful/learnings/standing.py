"""What holds whatever is asked: rules in force, and what people asked to follow from now on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from heedful.learnings.audience import is_taught_by
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.relevance import recency
from heedful.learnings.repetition import repetitions
from heedful.learnings.row import LearningRow
from heedful.learnings.rules import Rules
from heedful.learnings.table import NONE, OWN_OR_NO_OWNER, OWN_OR_NO_SCOPE, LearningTable
from heedful.records.insight import Insight
from heedful.records.learning import Status
from heedful.records.learnings import AnyLearning, Match
from heedful.records.rule import Rule
from heedful.records.transcript import Speaker
from heedful.store import Store

_READ = 50  # of the newest corrections of a project or a person, and of the newest insights of a project
_WISHES, _SURE = 5, 0.65  # of a person, that nobody has approved, and how sure it must be that they are wishes
_ACTIVE = {"status": Status.ACTIVE.value}


def standing(store: Store, about: str | None, owner: str, agent: str | None) -> list[Match]:
    """What always holds for an agent at work on a project for a person, best first.

    Rules in force for this agent or for all; approved insights that are rules, and approved corrections that hold
    always, of this project or of none; corrections that hold always of just this project or this person, approved or
    not; and what this person said in this project in so many words that lasts, although nobody has approved it for the
    others. What people disagree about is left out.
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


def orders(store: Store, about: str | None, owner: str, agent: str | None) -> list[Rule | Insight]:
    """Those of them that correct nothing: rules in force, insights that are rules, and what this person asked for."""
    found: list[Rule | Insight] = [*_rules(store, about, owner, agent)]
    if about is not None:
        found += islice(_wishes(store, about, owner), _WISHES)
    return [one for one in found if not one.contradicted_by]


def _approved(store: Store, about: str | None, owner: str, agent: str | None) -> Iterator[AnyLearning]:
    yield from _rules(store, about, owner, agent)
    corrections = {**_of(about, owner), "kind": CORRECTION.name}
    yield from (one for one in map(CORRECTION.record, LearningTable(store).approved(corrections)) if one.always)


def _rules(store: Store, about: str | None, owner: str, agent: str | None) -> Iterator[Rule | Insight]:
    yield from Rules(store).in_force(agent or NONE)
    insights = {**_of(about, owner), "kind": INSIGHT.name}
    yield from (one for one in map(INSIGHT.record, LearningTable(store).approved(insights)) if one.rule)


def _of(about: str | None, owner: str) -> dict[str, str | None]:
    return {**_ACTIVE, **_scope(about), OWN_OR_NO_OWNER: owner}


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
    if about is not None:
        yield from islice(_wishes(store, about, owner), _WISHES)


def _wishes(store: Store, about: str, owner: str) -> Iterator[Insight]:
    """What was said most often comes first, and of that the newest."""
    rows = LearningTable(store).page({**_ACTIVE, "kind": INSIGHT.name, "scope": about, "owner": NONE}, None, _READ)
    wishes = [(row, one) for row in rows if _is_wish(row, one := INSIGHT.record(row))]
    said = repetitions(store, (one for _, one in wishes if one.confirmed))
    theirs = [
        one for row, one in wishes if is_taught_by(store, row, owner, said[one.id].people if one.confirmed else ())
    ]
    yield from sorted(theirs, key=lambda one: -one.confirmed)


def _is_wish(row: LearningRow, one: Insight) -> bool:
    """Whether it is what a person said themselves, to the letter, and in so many words that it lasts."""
    is_untouched = row.state.said == row.state.no
    if not (one.rule and is_untouched) or one.approved or one.confidence < _SURE or one.questioned_by:
        return False
    from heedful.text.dictation import message_lasting  # noqa: PLC0415 - its patterns take long to compile
    from heedful.text.lasting import Lasting  # noqa: PLC0415

    return any(quote.role is Speaker.USER and message_lasting(quote.text) is Lasting.EXPLICIT for quote in one.quotes)


def _match(learning: AnyLearning, recent: float) -> Match:
    certain = 1.0 if learning.approved else recent
    return Match(learning, 1.0, 1.0, recent, 1.0, learning.confidence * certain)

"""Rules in force: which rules an agent gets, now or at an earlier time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from heedful.learnings.events import ENTITY, OPPOSED, RECURRED
from heedful.learnings.fold import advanced
from heedful.learnings.kinds.rule import RULE
from heedful.learnings.row import LearningRow
from heedful.learnings.table import OWN_OR_NO_SCOPE, LearningTable
from heedful.records.event import Entity, Event, EventFilter
from heedful.records.learning import Status
from heedful.records.rule import MOST_RULES, Rule, RuleType, RuleWords
from heedful.store import Store

_DAY = 86_400.0
_HALF = 180.0  # days after which a rule counts half as recent


class Rules:
    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self, status: Status | None = Status.ACTIVE) -> list[Rule]:
        wanted = {"kind": RULE.name, "status": None if status is None else status.value}
        return [RULE.record(row) for row in LearningTable(self._store).each(wanted)]

    def in_force(self, agent: str | None, at: datetime | None = None) -> list[Rule]:
        """At most twenty, best first; of all agents without one. With a time, those that were in force then."""
        # A rule for one agent has it as its scope: those of others need not be read.
        rows = (
            self._then(at) if at is not None else LearningTable(self._store).each({**_ACTIVE, OWN_OR_NO_SCOPE: agent})
        )
        rules = [RULE.record(row) for row in rows if row.state.approved]
        mine = [rule for rule in rules if agent is None or not rule.agents or agent in rule.agents]
        now = at or self._store.clock()
        mine.sort(key=lambda rule: (-_worth(rule, now), rule.id))
        return mine if agent is None else mine[:MOST_RULES]

    def _then(self, at: datetime) -> Iterator[LearningRow]:
        """The state of each rule after the events until a time."""
        table = LearningTable(self._store)
        for row in table.each({"kind": RULE.name}):
            state, events = None, [event for event in table.history(row.state.id) if event.at <= at]
            for event in events:
                state = advanced(state, event)
            if state is not None and state.status == Status.ACTIVE:
                places = {event.seq: event for event in events}
                yield LearningRow(state, places[state.no], places[state.said])

    def recurrences(self, rule: str) -> list[Event]:
        return self._about(rule, RECURRED)

    def objections(self, rule: str) -> list[Event]:
        return self._about(rule, OPPOSED)

    def _about(self, rule: str, kind: str) -> list[Event]:
        return list(self._store.log.each(EventFilter(kind=kind, entity=Entity(ENTITY, rule))))


_ACTIVE = {"kind": RULE.name, "status": Status.ACTIVE.value}


def _worth(rule: Rule, now: datetime) -> float:
    """By benefit, evidence and recency; what must never be done comes before what is nice to have."""
    age = max(0.0, (now - rule.renewed_at).total_seconds()) / _DAY
    recent = float(0.5 ** (age / _HALF))
    must = 0.5 if rule.category is RuleType.CONSTRAINT else 0.0
    return rule.benefit + 0.05 * min(len(rule.evidence), 10) + 0.3 * recent + must


def words_of(rule: Rule) -> RuleWords:
    return RuleWords(rule.text, rule.category, rule.agents, rule.insertion_point, rule.before, rule.after)


def names(rules: Sequence[Rule]) -> list[str]:
    return [rule.id for rule in rules]

"""Whether rules help: how often the corrected thing occurs again with the rule in force.

What does not help is proposed to be retired. What reviewers object to, or what the agent's outputs got worse with, is
suspended at once, and people are asked whether to resume it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from heedful.learnings.rules import Rules
from heedful.measure.suspension import suspend
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records import proposal
from heedful.records.event import Entity, Event, EventFilter
from heedful.records.interval import wilson
from heedful.records.names import Name, identifier
from heedful.records.proposal import Act
from heedful.records.review import AGENT, REVIEWED, ReviewDecision
from heedful.records.rule import Rule, RuleEffect, Verdict
from heedful.store import Store

_LEAST = 20  # reviews with the rule in force before anything is concluded
_AGAIN = 3  # recurrences before a rule is said not to help
_OBJECTORS = 2  # different reviewers who want the contrary
_COUNTED = 1_000  # reviews on either side


class RuleMeasures:
    """`loop.measure.rules`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation("GET /rules:effects", policy.AnalyticsPolicy.read, example={"agent": "coder"})
    def effects(self, *, agent: Name | None = None) -> list[RuleEffect]:
        """Show how often the thing that a rule is about occurs, before the rule and with it, for rules in force."""
        named = None if agent is None else identifier(agent, "agent")
        return [self._effect(rule) for rule in Rules(self._store).in_force(named)]

    def tend(self) -> dict[str, int]:
        """Suspend rules that do harm, and propose to retire those that do not help. Workers call it once a day."""
        caller.owner_only("tend rules")
        counts = {"suspended": 0, "sunset": 0}
        for rule in Rules(self._store).in_force(None):
            if (harm := self._harm(rule)) is not None:
                suspend(self._store, rule.id, rule.kind, harm)
                counts["suspended"] += 1
            elif self._effect(rule).verdict == "does not help":
                counts["sunset"] += self._propose_sunset(rule)
        return counts

    def _effect(self, rule: Rule) -> RuleEffect:
        evidence = self._store.log.known(list(rule.evidence)).values()
        since = min((event.at for event in evidence), default=rule.at)
        before = len(list(self._reviews(rule, since, rule.at)))
        after = len(list(self._reviews(rule, rule.at, None)))
        again = [str(event.meta.get("review")) for event in Rules(self._store).recurrences(rule.id)]
        earlier, later = wilson(len(evidence), max(before, len(evidence))), wilson(len(again), max(after, len(again)))
        verdict: Verdict = "too early" if after < _LEAST else "helps"
        if after >= _LEAST and len(again) >= _AGAIN and len(again) / after >= earlier.low:
            verdict = "does not help"
        return RuleEffect(rule.id, rule.text, earlier, later, before, after, tuple(again), verdict)

    def _harm(self, rule: Rule) -> str | None:
        objections = Rules(self._store).objections(rule.id)
        people = {event.meta.get("voice") for event in objections} - {None, ""}
        if len(people) >= _OBJECTORS:
            return f"{len(people)} reviewers want the contrary."
        newest = max(Rules(self._store).in_force(rule.agents[0] if rule.agents else None), key=lambda one: one.at)
        if newest.id != rule.id:
            return None  # what changed since may be due to a later rule
        worse = self._worse(rule)
        return None if worse is None else f"Outputs that had to be changed or rejected: {worse}."

    def _worse(self, rule: Rule) -> str | None:
        before, after = list(self._reviews(rule, None, rule.at)), list(self._reviews(rule, rule.at, None))
        if min(len(before), len(after)) < _LEAST:
            return None
        was, now = sum(map(_is_bad, before)), sum(map(_is_bad, after))
        if wilson(now, len(after)).low <= wilson(was, len(before)).high:
            return None
        return f"{was} of {len(before)} before it, {now} of {len(after)} with it"

    def _reviews(self, rule: Rule, since: datetime | None, until: datetime | None) -> Iterator[Event]:
        """The newest reviews of its agents in a time."""
        entities: list[Entity | None] = [Entity(AGENT, agent) for agent in rule.agents]
        for entity in entities or [None]:
            wanted = EventFilter(kind=REVIEWED, entity=entity, since=since, until=until, newest_first=True)
            yield from self._store.log.page(wanted, None, _COUNTED)

    def _propose_sunset(self, rule: Rule) -> int:
        effect = self._effect(rule)
        reason = f"It does not help: said again {len(effect.recurrences)} times in {effect.reviews_after} reviews."
        draft = proposal.made(self._store.clock(), Act.RETIRE, (rule.id,), reason)
        if self._store.log.known([draft.id]):
            return 0
        self._store.record([draft])
        return 1


def _is_bad(event: Event) -> bool:
    return event.meta.get("decision") != ReviewDecision.APPROVED

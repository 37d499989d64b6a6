"""Proposals, read from the log, with what is only known now: conflicts, suspicions and the lane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from heedful.errors import NotFound
from heedful.learnings.conflicts import OtherRule, RuleConflicts
from heedful.learnings.rules import Rules, words_of
from heedful.records import mining, proposal
from heedful.records.embedding import Embedder
from heedful.records.event import Event, EventFilter
from heedful.records.names import identifier
from heedful.records.proposal import (
    MORE_PEOPLE,
    Act,
    ConflictKind,
    Lane,
    Proposal,
    ProposalStatus,
    RuleConflict,
)
from heedful.records.rule import RuleType
from heedful.store import Store
from heedful.text.suspicion import suspicions

_EXPEDITED = 0.8  # confidence
_KEPT = 2_048  # readings of texts, because each look at the inbox reads the same ones


class ProposalLog:
    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, id: str) -> Proposal:
        return self.of(self.event(id))

    def event(self, id: str) -> Event:
        event = self._store.log.get(identifier(id, "id"))
        if event is None or event.kind != proposal.MADE:
            raise NotFound(f"There is no proposal {id!r} here.", hint="List them with `heedful proposals list`.")
        return event

    def of(self, event: Event) -> Proposal:
        return self.each([event])[0]

    def each(self, made: Sequence[Event]) -> list[Proposal]:
        """The state of each proposal, after reading what happened to all of them at once."""
        later: dict[str, list[Event]] = {event.id: [] for event in made}
        for event in self._store.log.about(proposal.ENTITY, list(later)):
            if event.kind in proposal.LATER and event.entity is not None:
                later[event.entity.id].append(event)
        messages = self._store.log.known([str(event.meta["message"]) for event in made if "message" in event.meta])
        folded = (proposal.folded([event, *later[event.id]]) for event in made)
        return [_with_words(_with_suspicions(one), event, messages) for one, event in zip(folded, made, strict=True)]

    def page(self, previous: int | None, limit: int) -> list[Event]:
        """The events that made proposals, newest first."""
        return self._store.log.page(EventFilter(kind=proposal.MADE, newest_first=True), previous, limit)

    def all(self, act: Act | None = None) -> Iterator[Proposal]:
        made = list(self._store.log.each(EventFilter(kind=proposal.MADE)))
        yield from self.each([event for event in made if act is None or event.meta.get("act") == act.value])


class ProposalConflicts:
    """Finds conflicts of pending rules with the rules in force and with one another. Made for one look at the inbox."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._finder = RuleConflicts(store, embedder)
        self._store = store
        self._others: list[OtherRule] | None = None

    def of(self, found: Proposal) -> Proposal:
        if found.rule is None or found.status is not ProposalStatus.PENDING:
            return found
        replaced = {found.id, *found.learnings}
        others = [other for other in self._known() if other.id not in replaced]
        conflicts = self._finder.of(found.rule, others)
        return replace(found, conflicts=conflicts, lane=_lane(found, conflicts))

    def _known(self) -> Sequence[OtherRule]:
        if self._others is None:
            rules = Rules(self._store).in_force(None)
            pending = [
                one
                for one in ProposalLog(self._store).all(Act.ADOPT)
                if one.status is ProposalStatus.PENDING and one.rule
            ]
            self._others = [OtherRule(rule.id, words_of(rule), True) for rule in rules]
            self._others += [OtherRule(one.id, one.rule, False) for one in pending if one.rule is not None]
        return self._others


_suspicions = lru_cache(_KEPT)(suspicions)


def _with_suspicions(found: Proposal) -> Proposal:
    signs = _suspicions(f"{found.rule.text} {found.rule.before} {found.rule.after}") if found.rule is not None else ()
    if not signs:
        return replace(found, lane=_lane(found, ()))
    return replace(found, suspicions=signs, needed=MORE_PEOPLE, lane=Lane.SLOW)


def _with_words(found: Proposal, made: Event, messages: Mapping[str, Event]) -> Proposal:
    """What a person said, for which it was made. The words stay where they were said, so that they go with them."""
    message = messages.get(str(made.meta.get("message")))
    return found if message is None else replace(found, summary=f"“{mining.sentence_of(message, made.meta)}”")


def _lane(found: Proposal, conflicts: Sequence[RuleConflict]) -> Lane:
    if found.rule is None:
        return Lane.NORMAL
    contrary = any(one.kind is ConflictKind.CONTRARY for one in conflicts)
    if found.suspicions or contrary or found.rule.type is RuleType.CONSTRAINT:
        return Lane.SLOW
    return Lane.EXPEDITED if found.confidence >= _EXPEDITED and not conflicts else Lane.NORMAL

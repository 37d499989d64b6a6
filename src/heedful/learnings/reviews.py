"""Reviews, read from the log: the event, and its last evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from heedful.errors import NotFound
from heedful.learnings.events import ENTITY, EVALUATED
from heedful.learnings.kinds.remark import REMARK
from heedful.records.event import Draft, Entity, Event, EventFilter, noted
from heedful.records.names import identifier
from heedful.records.review import (
    AGENT,
    REVIEWED,
    Action,
    Classification,
    Edit,
    Evaluation,
    ProposedAction,
    Review,
    ReviewDecision,
)
from heedful.store import Store


class ReviewLog:
    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, id: str) -> Review:
        return self.of(self.event(id))

    def event(self, id: str) -> Event:
        event = self._store.log.get(identifier(id, "id"))
        if event is None or event.kind != REVIEWED:
            raise NotFound(f"There is no review {id!r} here.", hint="List them with `heedful reviews list`.")
        return event

    def known(self, ids: Sequence[str]) -> list[Review]:
        """Those that are there, in the same order."""
        found = self._store.log.known(list(dict.fromkeys(ids)))
        return [self.of(found[id]) for id in ids if id in found and found[id].kind == REVIEWED]

    def recent(self, agent: str | None, previous: int | None, limit: int) -> list[Event]:
        """Newest first."""
        entity = None if agent is None else Entity(AGENT, agent)
        return self._store.log.page(EventFilter(kind=REVIEWED, entity=entity, newest_first=True), previous, limit)

    def of(self, event: Event) -> Review:
        return review(event, self.evaluation(event))

    def evaluation(self, event: Event) -> Evaluation | None:
        if REMARK.wording(event) is None:
            return _without_a_word(event)
        found = self._store.log.page(
            EventFilter(kind=EVALUATED, entity=Entity(ENTITY, event.id), newest_first=True), None, 1
        )
        return evaluation(found[0]) if found else None


def review(event: Event, evaluated: Evaluation | None) -> Review:
    meta = event.meta
    return Review(
        id=event.id,
        at=event.at,
        agent=event.entity.id if event.entity is not None else "",
        decision=ReviewDecision(meta["decision"]),
        reviewer=event.actor,
        **{name: meta.get(name) for name in ("gate", "epic", "task", "seconds")},
        comment=str(meta.get("comment", "")),
        tags=tuple(meta.get("tags", ())),
        edits=tuple(_edits(meta.get("edits", ()))),
        summary=str(meta.get("summary", "")),
        output=str(event.before.get("output", "")),
        approved=str(event.after.get("approved", "")),
        **{name: meta.get(name) for name in ("output_sha", "approved_sha", "diff_path")},
        evaluation=evaluated,
    )


def evaluation(event: Event) -> Evaluation:
    meta = event.meta
    action = meta.get("action")
    return Evaluation(
        review=event.entity.id if event.entity is not None else "",
        classification=Classification(meta["category"]),
        confidence=float(meta["confidence"]),
        rationale=str(meta.get("reason", "")),
        similar=tuple(meta.get("similar", ())),
        action=None if action is None else _action(action),
        by=str(meta.get("by", "local")),
        local=Classification(meta.get("local", meta["category"])),
    )


def _action(found: Mapping[str, Any]) -> ProposedAction:
    return ProposedAction(Action(found["type"]), found.get("agent"), found.get("proposal"))


def linked(store: Store, id: str, proposal: str) -> Draft | None:
    """The last evaluation of a review again, with the proposal that it became evidence for."""
    entity = Entity(ENTITY, id)
    found = store.log.page(EventFilter(kind=EVALUATED, entity=entity, newest_first=True), None, 1)
    if not found or "action" not in found[0].meta:
        return None
    meta = found[0].meta
    return noted(
        EVALUATED, store.clock(), entity=entity, meta={**meta, "action": {**meta["action"], "proposal": proposal}}
    )


def _without_a_word(event: Event) -> Evaluation:
    """An approval or a rejection without a comment and without a change needs no criteria."""
    if event.meta["decision"] == ReviewDecision.APPROVED:
        found = (Classification.POSITIVE, 1.0, "It was approved unchanged.")
    else:
        found = (Classification.AMBIGUOUS, 0.9, "Nobody said what should be different.")
    return Evaluation(event.id, *found, (), None, "local", found[0])


def _edits(found: Iterable[Any]) -> Iterable[Edit]:
    for one in found:
        if isinstance(one, list) and len(one) == 3 and one[0] in ("line", "word"):
            yield Edit(one[0], str(one[1]), str(one[2]))

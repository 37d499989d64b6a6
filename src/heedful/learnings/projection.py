"""The projection that keeps the table of learnings in step with the log. Learnings are derived again in place."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.learnings.events import BEGINNINGS, LEARNING_EVENTS, PROJECTION, subject
from heedful.learnings.table import LearningTable
from heedful.learnings.verification import LearningVerification
from heedful.records.event import Event
from heedful.store import Store
from heedful.store.database import Transaction
from heedful.store.projection import Progress, Projection, ProjectionState, Tracked

_CHUNK = 500


class LearningProjection(Projection):
    name = PROJECTION
    version = 7
    kinds = LEARNING_EVENTS

    def fold(self, store: Store, transaction: Transaction, tracked: Tracked, events: Sequence[Event]) -> None:  # noqa: ARG002
        LearningTable(store).advance(transaction, events)

    def unfold(self, store: Store, transaction: Transaction, tracked: Tracked | None, events: Sequence[Event]) -> None:  # noqa: ARG002
        """Even events that the projection has not reached: a process that is deriving it may have."""
        ids = [id for event in events if (id := subject(event)) is not None]
        LearningTable(store).refold(transaction, ids, erased=events)

    def refold(self, store: Store, transaction: Transaction, tracked: Tracked, events: Sequence[Event]) -> None:  # noqa: ARG002
        ids = [id for event in events if (id := subject(event)) is not None]
        LearningTable(store).refold(transaction, ids)

    def derive(self, store: Store, tracked: Tracked | None, *, from_scratch: bool, progress: Progress) -> bool:
        # If nothing is derived yet, the old index may refer to events that were erased since.
        position = 0 if tracked is None or from_scratch else tracked.state.position
        _LearningDerivation(store, progress, whole=not position).run(position)
        return True

    def verification(self, store: Store, transaction: Transaction, tracked: Tracked) -> LearningVerification:  # noqa: ARG002
        return LearningVerification(LearningTable(store), store.org, transaction)


LEARNINGS = LearningProjection()


class _LearningDerivation:
    """A few hundred events at a time. Of several processes, the one with the latest generation finishes."""

    def __init__(self, store: Store, progress: Progress, *, whole: bool) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._progress = progress
        self._whole = whole
        self._generation: int | None = None
        self._head = store.log.head()
        self._made: set[str] = set()

    def run(self, position: int) -> None:
        postings = self._table.postings
        if self._whole:
            with self._store.recording() as record:
                self._generation = postings.begin_generation(record.transaction)
        while (head := self._store.log.head()) - position >= _CHUNK:
            with self._store.recording() as record:
                if self._overtaken(record.transaction):
                    return
                position = self._make(record.transaction, position, head)
        with self._store.recording() as record:
            transaction, head = record.transaction, record.head
            if self._overtaken(transaction):
                return
            while position < head:
                position = self._make(transaction, position, head)
            self._table.drop_lost(transaction)
            if self._whole:
                postings.switch(transaction)
            state = ProjectionState(PROJECTION, LEARNINGS.version, head, live=True)
            self._store.projections.save(transaction, Tracked(state, PROJECTION))
        postings.sweep()

    def _make(self, transaction: Transaction, position: int, head: int) -> int:
        """Derives the learnings of the next events; returns the position reached."""
        events = self._store.log.after(position, _CHUNK)
        ids = self._unmade(LEARNINGS.concerns(events))
        self._table.refold(transaction, ids)
        if self._generation is not None:
            self._table.index(transaction, self._generation, ids)
        self._progress(len(events))
        last = events[-1].seq if events else position
        return last if len(events) == _CHUNK else max(last, head)

    def _unmade(self, events: Sequence[Event]) -> list[str]:
        """A learning is derived from all of its events at once, so its later events need no work."""
        found = {
            id: None
            for event in events
            if (id := subject(event)) is not None
            and (event.kind in BEGINNINGS or event.seq > self._head or not (self._whole or id in self._made))
        }
        if not self._whole:
            self._made |= found.keys()
        return list(found)

    def _overtaken(self, transaction: Transaction) -> bool:
        return self._whole and self._table.postings.generations(transaction)[1] != self._generation

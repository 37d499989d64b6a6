"""What was said to be learned: the projection that keeps the table of learnings, and making it anew.

A learning depends on its own events alone, so it is made again where it is. Only its full text is written beside, as a
new edition: what an older code had filed under other terms could not be found to be taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from heedful.errors import Misconfigured
from heedful.records.event import Event
from heedful.records.learning import BEGINNINGS, LEARNING_EVENTS, PROJECTION, subject
from heedful.store import Store
from heedful.store.database import Transaction
from heedful.store.projection import Derived, Projection, ProjectionState
from heedful.store.projections import Tracked

_CHUNK = 500


def _fold(events: Sequence[Event], derived: Derived) -> None:
    for event in events:
        derived.learn(event)


LEARNINGS = Projection(PROJECTION, version=3, fold=_fold, kinds=LEARNING_EVENTS)


def derive_learnings(store: Store, *, anew: bool, progress: Callable[[int], None]) -> None:
    """Bring learnings up to date with the log (`anew`: make all of them again), and have them follow it."""
    found = store.derivation.tracked().get(PROJECTION)
    state = found.state if found is not None else None
    if state is not None and state.version > LEARNINGS.version:
        if anew:
            raise Misconfigured(
                f"{PROJECTION} was derived by version {state.version} of its code; this is {LEARNINGS.version}.",
                hint="Rebuild with the newer code.",
            )
        return
    if state is not None and not anew:
        if state.version == LEARNINGS.version and state.live:
            return
        anew = state.version != LEARNINGS.version
    # Where nothing counts as derived, what was filed before may be about events that were erased since.
    position = 0 if state is None or anew else state.position
    _Relearning(store, progress, whole=not position).run(position)


class _Relearning:
    """Some hundred events at a time, so that nobody waits long. Whoever begins a later edition is the one to finish."""

    def __init__(self, store: Store, progress: Callable[[int], None], *, whole: bool) -> None:
        self._store = store
        self._progress = progress
        self._whole = whole
        self._edition: int | None = None
        self._head = store.log.head()
        self._made: set[str] = set()

    def run(self, position: int) -> None:
        learnings = self._store.learnings
        if self._whole:
            with self._store.transaction() as transaction:
                self._store.log.hold(transaction)
                self._edition = learnings.postings.begin_edition(transaction)
        while (head := self._store.log.head()) - position >= _CHUNK:
            with self._store.transaction() as transaction:
                self._store.log.hold(transaction)
                if self._overtaken(transaction):
                    return
                position = self._make(transaction, position, head)
        with self._store.transaction() as transaction:
            head = self._store.log.hold(transaction).head
            if self._overtaken(transaction):
                return
            while position < head:
                position = self._make(transaction, position, head)
            learnings.drop_lost(transaction)
            if self._whole:
                learnings.postings.take_over(transaction)
            state = ProjectionState(PROJECTION, LEARNINGS.version, head, live=True)
            self._store.derivation.save(transaction, Tracked(state, PROJECTION))
        learnings.postings.sweep()

    def _make(self, transaction: Transaction, position: int, head: int) -> int:
        """The learnings that the next events are about, and up to which place these go."""
        events = self._store.log.after(position, _CHUNK)
        ids = self._unmade(LEARNINGS.concerns(events))
        self._store.learnings.refold(transaction, ids)
        if self._edition is not None:
            self._store.learnings.index(transaction, self._edition, ids)
        self._progress(len(events))
        last = events[-1].seq if events else position
        return last if len(events) == _CHUNK else max(last, head)

    def _unmade(self, events: Sequence[Event]) -> list[str]:
        """Whoever makes a learning takes all events about it: when the next ones of these come, it is made already. One
        that is applied with every output would be made again with every chunk."""
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
        return self._whole and self._store.learnings.postings.editions(transaction)[1] != self._edition

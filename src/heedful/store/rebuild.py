"""Deriving a projection from the log, while the log goes on growing."""

from __future__ import annotations

from collections.abc import Callable

from heedful.errors import Misconfigured
from heedful.learnings.projection import LEARNINGS, derive_learnings
from heedful.store import Store
from heedful.store.database import Transaction
from heedful.store.projection import Derived, Projection, ProjectionState
from heedful.store.projections import Tracked

_CHUNK = 2_000


def derive(store: Store, projection: Projection, *, anew: bool, progress: Callable[[int], None]) -> None:
    """Fold what the projection has not seen (`anew`: everything), and make it live.

    Most of the log is folded in chunks, each in a transaction of its own, so nobody is held up for long and a log
    of any length takes little memory. Only for the last of them recording waits: that makes the switch atomic, and
    a process that dies on the way leaves what was there before.
    """
    if not store.log.head():
        return  # nothing was ever recorded, and looking must not bring an organisation into being
    if projection is LEARNINGS:
        derive_learnings(store, anew=anew, progress=progress)
        return
    while not _attempt(store, projection, anew=anew, progress=progress):
        pass  # someone else derived it in the meantime, or events were erased: look again


def _attempt(store: Store, projection: Projection, *, anew: bool, progress: Callable[[int], None]) -> bool:
    erasures = store.log.erasures()
    tracked = store.derivation.tracked().get(projection.name)
    state = tracked.state if tracked is not None else None
    if state is not None and state.version > projection.version:
        if anew:
            raise Misconfigured(
                f"{projection.name} was derived by version {state.version} of its code; this is {projection.version}.",
                hint="Rebuild with the newer code.",
            )
        return True
    if state is not None and not anew:
        if state.version == projection.version and state.live:
            return True
        anew = state.version != projection.version
    if anew or tracked is None or tracked.state.position == 0:
        building = store.derivation.open_place(projection)
        return _Derivation(store, projection, progress, expected=tracked, erasures=erasures).run(building)
    return _Derivation(store, projection, progress, expected=tracked, erasures=erasures).run(tracked)


class _Derivation:
    """One try: it ends without result when the ground shifts under it."""

    def __init__(
        self,
        store: Store,
        projection: Projection,
        progress: Callable[[int], None],
        *,
        expected: Tracked | None,
        erasures: int,
    ) -> None:
        self._store = store
        self._projection = projection
        self._progress = progress
        self._expected = expected
        self._erasures = erasures

    def run(self, building: Tracked) -> bool:
        beside = building if building != self._expected else None
        position = building.state.position
        while (head := self._store.log.head()) - position >= _CHUNK:
            with self._store.transaction() as transaction:
                if beside is None:
                    self._store.log.hold(transaction)  # it is in use already: two must not add the same to it
                if self._shifted(transaction, beside):
                    return False
                position = self._fold(transaction, building.place, position, head)
                if beside is None:
                    self._expected = self._at(building, position, live=False)
                    self._store.derivation.save(transaction, self._expected)
        with self._store.transaction() as transaction:
            head = self._store.log.hold(transaction).head
            if self._shifted(transaction, beside):
                return False
            while position < head:
                position = self._fold(transaction, building.place, position, head)
            finished = self._at(building, head, live=True)
            if beside is None:
                self._store.derivation.save(transaction, finished)
            else:
                self._store.derivation.take_over(transaction, finished, self._expected)
        if beside is not None:
            self._store.derivation.sweep(self._projection.name)
        return True

    def _fold(self, transaction: Transaction, place: str, position: int, head: int) -> int:
        """Fold the next events, and tell up to which place. A chunk that is not full reaches the head, as it was."""
        events = self._store.log.after(position, _CHUNK)
        derived = Derived()
        self._projection.fold(self._projection.concerns(events), derived)
        self._store.derivation.add(transaction, place, derived)
        self._progress(len(events))
        last = events[-1].seq if events else position
        return last if len(events) == _CHUNK else max(last, head)

    def _at(self, building: Tracked, position: int, *, live: bool) -> Tracked:
        state = ProjectionState(self._projection.name, self._projection.version, position, live=live)
        return Tracked(state, building.place)

    def _shifted(self, transaction: Transaction, beside: Tracked | None) -> bool:
        """Whether somebody else derived it, or erased events. What was begun beside is swept by whoever comes next."""
        tracked = self._store.derivation.tracked().get(self._projection.name)
        if beside is not None and not self._store.derivation.hold_place(transaction, beside):
            return True
        return tracked != self._expected or self._store.log.erasures() != self._erasures

"""Deriving a projection from the log, while the log goes on growing."""

from __future__ import annotations

from collections.abc import Callable

from heedful.errors import Misconfigured
from heedful.model.projection import Derived, Projection, ProjectionState
from heedful.store import Store

_CHUNK = 5_000


def derive(store: Store, projection: Projection, *, anew: bool, progress: Callable[[int], None]) -> None:
    """Fold what the projection has not seen (`anew`: everything), and make it live.

    Most of the log is folded without holding anyone up. Only for what came in meanwhile, and to put the
    result in place, recording waits: that makes the switch atomic, and a process that dies changes nothing.
    """
    if not store.log.head():
        return  # nothing was ever recorded, and looking must not bring an organisation into being
    while not _attempt(store, projection, anew=anew, progress=progress):
        pass  # someone else derived it in the meantime: look again


def _attempt(store: Store, projection: Projection, *, anew: bool, progress: Callable[[int], None]) -> bool:
    state = store.derivation.states().get(projection.name)
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
    start = 0 if anew or state is None else state.position
    derived = Derived()
    position = _fold_rest(store, projection, derived, start, progress)
    with store.transaction() as transaction:
        head = store.log.hold(transaction).head
        if store.derivation.states().get(projection.name) != state:
            return False
        _fold_rest(store, projection, derived, position, progress)
        if start == 0:
            store.derivation.clear(transaction, projection.name)
        store.derivation.add(transaction, projection.name, derived)
        settled = ProjectionState(projection.name, projection.version, position=head, live=True)
        store.derivation.save(transaction, settled)
    return True


def _fold_rest(
    store: Store, projection: Projection, derived: Derived, position: int, progress: Callable[[int], None]
) -> int:
    while events := store.log.after(position, _CHUNK):
        projection.fold(events, derived)
        position = events[-1].seq
        progress(len(events))
    return position

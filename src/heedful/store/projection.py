"""A projection: state derived from events, in the transaction that records them. After a change, raise `version`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, NamedTuple, Protocol

from heedful.errors import Misconfigured
from heedful.records.event import Event
from heedful.records.record import Record

if TYPE_CHECKING:
    from heedful.store.database import Transaction
    from heedful.store.store import Store

STAGING = "~"
"""Separates a projection's name from the id of a generation of its rows that is being filled, or removed."""

Progress = Callable[[int], None]
"""Called with the number of events read since the last call."""


@dataclass(frozen=True, slots=True)
class ProjectionState(Record):
    """How far a projection has come in one organisation. A live one follows every recording by itself."""

    name: str
    version: int
    position: int
    live: bool


@dataclass(frozen=True, slots=True)
class Count(Record):
    """The value of one counter on one day (`day` is None for timeless ones)."""

    key: str
    day: date | None
    value: int


class Tracked(NamedTuple):
    """A projection's state, and the generation of rows that is its own."""

    state: ProjectionState
    generation: str


class Verification(Protocol):
    """What a projection should hold, derived again in memory: fold all events, then ask for differences."""

    def fold(self, events: Sequence[Event]) -> None: ...

    def differences(self) -> Iterator[str]: ...


class Projection(ABC):
    name: str
    version: int
    kinds: tuple[str, ...] = ()
    """The kinds of events it folds; empty for all of them."""

    def concerns(self, events: Sequence[Event]) -> Sequence[Event]:
        return [event for event in events if event.kind in self.kinds] if self.kinds else events

    @abstractmethod
    def fold(self, store: Store, transaction: Transaction, tracked: Tracked, events: Sequence[Event]) -> None:
        """Add events, in the transaction that records them."""

    @abstractmethod
    def unfold(self, store: Store, transaction: Transaction, tracked: Tracked | None, events: Sequence[Event]) -> None:
        """Subtract events, in the transaction that erases them. They may be later than `tracked.state.position`."""

    def refold(self, store: Store, transaction: Transaction, tracked: Tracked, events: Sequence[Event]) -> None:
        """Add events that were rewritten: they are not the last of the log."""
        seen = [event for event in events if tracked.state.live or event.seq <= tracked.state.position]
        self.fold(store, transaction, tracked, seen)

    @abstractmethod
    def derive(self, store: Store, tracked: Tracked | None, *, from_scratch: bool, progress: Progress) -> bool:
        """Fold what it has not seen, or everything, and make it live. False if it must be tried again."""

    @abstractmethod
    def verification(self, store: Store, transaction: Transaction, tracked: Tracked) -> Verification: ...

    def rebuild(self, store: Store, *, from_scratch: bool, progress: Progress) -> None:
        """Bring it up to date with the log, or derive all of it again. Recording goes on meanwhile."""
        if not store.log.head():
            return  # nothing was ever recorded, and reading must not create an organisation
        while not self._attempt(store, from_scratch=from_scratch, progress=progress):
            pass

    def _attempt(self, store: Store, *, from_scratch: bool, progress: Progress) -> bool:
        tracked = store.projections.tracked().get(self.name)
        state = tracked.state if tracked is not None else None
        if state is not None and state.version > self.version:
            if from_scratch:
                raise Misconfigured(
                    f"{self.name} was derived by version {state.version} of its code; this is {self.version}.",
                    hint="Rebuild with the newer code.",
                )
            return True
        if state is not None and not from_scratch:
            if state.version == self.version and state.live:
                return True
            from_scratch = state.version != self.version
        return self.derive(store, tracked, from_scratch=from_scratch, progress=progress)

"""Projections: named functions from events to derived state, which can be thrown away and made again.

A projection must depend on nothing but the events it is given. It runs inside the transaction that
records them, so what it derives is never behind; after a change of its code, raise `version`, and
heedful derives it anew from the whole log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from heedful.errors import InvalidInput
from heedful.records.clock import to_day
from heedful.records.event import Event
from heedful.records.record import Record

TIMELESS = -(2**31)


class CounterKey(NamedTuple):
    name: str
    day: int
    key: str


TALLY_WIDTH = 8


class TallyKey(NamedTuple):
    name: str
    part: str
    day: int
    key: str


class Derived:
    """What a projection made of some events: additions to whole-number counters and tallies.

    Whole numbers, because sums of them are the same in any order, and what is erased can be taken out again;
    keep fractions in fixed point.
    """

    def __init__(self) -> None:
        self.counts: Counter[CounterKey] = Counter()
        self.tallies: dict[TallyKey, list[int]] = {}
        self.about_learnings: list[Event] = []

    def count(self, name: str, key: str, day: date | None = None, *, by: int = 1) -> None:
        """Add to the counter `name` of `key`: on that day, or for all time without one."""
        if type(by) is not int:
            raise InvalidInput(f"A counter cannot grow by {by!r}.", hint="Count in whole numbers; use fixed point.")
        self.counts[CounterKey(name, TIMELESS if day is None else to_day(day), key)] += by

    def tally(self, name: str, key: str, values: Sequence[int], *, part: str = "", day: int = TIMELESS) -> None:
        """Add up to eight numbers at once. Rows of one `part` are read together, and within it by day."""
        row = self.tallies.setdefault(TallyKey(name, part, day, key), [0] * TALLY_WIDTH)
        for place, value in enumerate(values):
            if type(value) is not int:
                raise InvalidInput(f"A tally cannot grow by {value!r}.", hint="Count in whole numbers.")
            row[place] += value

    def learn(self, event: Event) -> None:
        """Let a learning be what this event makes of it (`model/learning.py`). Only heedful's own projection does."""
        self.about_learnings.append(event)

    def undone(self) -> Derived:
        """The opposite: what takes counts and tallies out again."""
        opposite = Derived()
        opposite.counts = Counter({at: -value for at, value in self.counts.items()})
        opposite.tallies = {at: [-value for value in row] for at, row in self.tallies.items()}
        return opposite


Fold = Callable[[Sequence[Event], Derived], None]


@dataclass(frozen=True, slots=True)
class Projection:
    name: str
    version: int
    fold: Fold
    kinds: tuple[str, ...] = ()
    """The kinds of events it is about; none named: all of them. Of others it is told nothing."""

    def concerns(self, events: Sequence[Event]) -> Sequence[Event]:
        return [event for event in events if event.kind in self.kinds] if self.kinds else events


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

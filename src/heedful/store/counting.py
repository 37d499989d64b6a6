"""Projections that count: named counters and tallies of whole numbers, whose rows belong to a generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from heedful.errors import InvalidInput
from heedful.records.clock import to_day
from heedful.records.event import Event
from heedful.store.digest import digest, same
from heedful.store.projection import Progress, Projection, ProjectionState, Tracked

if TYPE_CHECKING:
    from heedful.store.database import Row, Transaction
    from heedful.store.store import Store

TIMELESS = -(2**31)

_CHUNK = 2_000
TALLY_COLUMNS = (
    "accepted", "modified", "rejected", "skipped", "imported_accepted", "imported_modified", "imported_rejected",
    "version", "stated", "correct", "decisions", "stated_squared", "stated_accepted", "times", "imported",
    "units", "total", "squares", "followed", "broken", "said",
)  # fmt: skip
_OF = "org_id = :org and generation = :generation"
_IN_TALLY = f"{_OF} and name = :name and part = :part and day = :day and key = :key"
_IN_COUNTER = f"{_OF} and name = :name and day = :day and key = :key"

ADD_TO_COUNTER = """
insert into counter (org_id, generation, name, day, key, value)
values (:org, :generation, :name, :day, :key, :value)
on conflict (org_id, generation, name, day, key) do update set value = counter.value + excluded.value
"""

ADD_TO_TALLY = """
insert into tally (org_id, generation, name, part, day, key, {columns})
values (:org, :generation, :name, :part, :day, :key, {values})
on conflict (org_id, generation, name, part, day, key) do update set {sums}
"""

DROP_EMPTY_COUNTER = f"delete from counter where {_IN_COUNTER} and value = 0"
DROP_EMPTY_TALLY = f"delete from tally where {_IN_TALLY} and {{zeros}}"
"""A row of zeros is deleted: its key may be what was to be forgotten."""

SWEEP = """
delete from {table} where (org_id, generation, name, {part}day, key) in (
    select org_id, generation, name, {part}day, key from {table}
    where org_id = :org and generation = :generation limit 10000)
"""
"""Some rows at a time, so that others do not wait long."""

FORGET = "delete from {table} where org_id = :org and generation = :generation"

SELECT_COUNTERS = f"""
select name, day, key, value from counter where {_OF}
and (name, day, key) > (:name, :day, :key) order by name, day, key limit :limit
"""

SELECT_TALLIES = f"""
select name, part, day, key, {", ".join(TALLY_COLUMNS)} from tally where {_OF}
and (name, part, day, key) > (:name, :part, :day, :key) order by name, part, day, key limit :limit
"""


class CounterKey(NamedTuple):
    name: str
    day: int
    key: str


class TallyKey(NamedTuple):
    name: str
    part: str
    day: int
    key: str


N = TypeVar("N", bound=NamedTuple)


@dataclass(frozen=True, slots=True)
class TallyKind(Generic[N]):
    """Rows of the table of tallies that hold the same numbers: a NamedTuple whose fields are columns of the table."""

    name: str
    counts: type[N]

    @property
    def columns(self) -> str:
        return ", ".join(self.counts._fields)

    @property
    def sums(self) -> str:
        return ", ".join(f"cast(sum({count}) as bigint)" for count in self.counts._fields)

    def read(self, values: Sequence[int]) -> N:
        """From a row's values, in the order of `columns`."""
        return self.counts._make(values)


class TallyRow(NamedTuple, Generic[N]):
    key: str
    counts: N


class Counts:
    """What some events add to counters and tallies: whole numbers, which can be subtracted again."""

    def __init__(self) -> None:
        self.counters: Counter[CounterKey] = Counter()
        self.tallies: dict[TallyKey, list[int]] = {}
        self.kinds: dict[str, TallyKind[Any]] = {}

    def count(self, name: str, key: str, day: date | None = None, *, by: int = 1) -> None:
        """Add to the counter `name` of `key`: on that day, or for all time without one."""
        if type(by) is not int:
            raise InvalidInput(f"A counter cannot grow by {by!r}.", hint="Count in whole numbers; use fixed point.")
        self.counters[CounterKey(name, TIMELESS if day is None else to_day(day), key)] += by

    def tally(self, kind: TallyKind[N], key: str, counts: N, *, part: str = "", day: int = TIMELESS) -> None:
        """Add several numbers at once. Rows of one `part` are read together, and within it by day."""
        self.kinds[kind.name] = kind
        row = self.tallies.setdefault(TallyKey(kind.name, part, day, key), [0] * len(counts))
        for position, value in enumerate(counts):
            if type(value) is not int:
                raise InvalidInput(f"A tally cannot grow by {value!r}.", hint="Count in whole numbers.")
            row[position] += value

    def negated(self) -> Counts:
        opposite = Counts()
        opposite.counters = Counter({at: -value for at, value in self.counters.items()})
        opposite.tallies = {at: [-value for value in row] for at, row in self.tallies.items()}
        opposite.kinds = self.kinds
        return opposite

    def digest(self) -> int:
        return sum(digest(key, (value,)) for key, value in self.counters.items()) + sum(
            digest(key, self.row(key)) for key in self.tallies
        )

    def by_kind(self) -> Iterator[tuple[tuple[str, ...], list[tuple[TallyKey, list[int]]]]]:
        """The tallies of each kind with the names of its counts; always in the same order."""
        for name, rows in groupby(sorted(self.tallies.items()), key=lambda row: row[0].name):
            yield self.kinds[name].counts._fields, list(rows)

    def row(self, key: TallyKey) -> list[int]:
        named = dict(zip(self.kinds[key.name].counts._fields, self.tallies[key], strict=True))
        return [named.get(column, 0) for column in TALLY_COLUMNS]


Counted = Callable[[Sequence[Event], Counts], None]


class CountingProjection(Projection):
    """Counters and tallies: pass a function that adds what events count to `Counts`."""

    def __init__(self, name: str, version: int, count: Counted, kinds: tuple[str, ...] = ()) -> None:
        self.name = name
        self.version = version
        self.kinds = kinds
        self._count = count

    def counted(self, events: Sequence[Event], counts: Counts | None = None) -> Counts:
        counts = Counts() if counts is None else counts
        self._count(self.concerns(events), counts)
        return counts

    def fold(self, store: Store, transaction: Transaction, tracked: Tracked, events: Sequence[Event]) -> None:
        _add(store, transaction, tracked.generation, self.counted(events))

    def unfold(self, store: Store, transaction: Transaction, tracked: Tracked | None, events: Sequence[Event]) -> None:
        if tracked is None:
            return
        state = tracked.state
        counts = self.counted([event for event in events if state.live or event.seq <= state.position])
        _add(store, transaction, tracked.generation, counts.negated())
        _drop_empty(store, transaction, tracked.generation, counts)

    def derive(self, store: Store, tracked: Tracked | None, *, from_scratch: bool, progress: Progress) -> bool:
        """Fold most of the log in chunks, each in its own transaction. Recording waits for the last chunk only."""
        attempt = _Derivation(store, self, progress, tracked)
        if from_scratch or tracked is None or tracked.state.position == 0:
            return attempt.run(store.projections.open_staging(self))
        return attempt.run(tracked)

    def verification(self, store: Store, transaction: Transaction, tracked: Tracked) -> _CountVerification:
        return _CountVerification(self, store, transaction, tracked)


class _Derivation:
    """One attempt: it ends without a result when the log or the projection is changed by others."""

    def __init__(
        self, store: Store, projection: CountingProjection, progress: Progress, expected: Tracked | None
    ) -> None:
        self._store = store
        self._projection = projection
        self._progress = progress
        self._expected = expected
        self._erasures = store.log.erasures()

    def run(self, building: Tracked) -> bool:
        staging = building if building != self._expected else None
        projections, position = self._store.projections, building.state.position
        while (head := self._store.log.head()) - position >= _CHUNK:
            # What is in use already is locked: two processes must not add the same to it.
            with self._locked() if staging is None else self._store.transaction() as transaction:
                if self._has_changed(transaction, staging):
                    return False
                position = self._fold(transaction, building, position, head)
                if staging is None:
                    self._expected = self._at(building, position, live=False)
                    projections.save(transaction, self._expected)
        with self._store.recording() as record:
            transaction, head = record.transaction, record.head
            if self._has_changed(transaction, staging):
                return False
            while position < head:
                position = self._fold(transaction, building, position, head)
            finished = self._at(building, head, live=True)
            if staging is None:
                projections.save(transaction, finished)
            else:
                projections.switch(transaction, finished, self._expected)
        if staging is not None:
            projections.sweep(self._projection.name)
        return True

    @contextmanager
    def _locked(self) -> Iterator[Transaction]:
        with self._store.recording() as record:
            yield record.transaction

    def _fold(self, transaction: Transaction, building: Tracked, position: int, head: int) -> int:
        """Fold the next events; returns the position reached. A chunk that is not full reaches the head, as it was."""
        events = self._store.log.after(position, _CHUNK)
        self._projection.fold(self._store, transaction, building, events)
        self._progress(len(events))
        last = events[-1].seq if events else position
        return last if len(events) == _CHUNK else max(last, head)

    def _at(self, building: Tracked, position: int, *, live: bool) -> Tracked:
        state = ProjectionState(self._projection.name, self._projection.version, position, live=live)
        return Tracked(state, building.generation)

    def _has_changed(self, transaction: Transaction, staging: Tracked | None) -> bool:
        """Whether another process derived it, or erased events. The next attempt sweeps an abandoned generation."""
        projections = self._store.projections
        tracked = projections.tracked().get(self._projection.name)
        if staging is not None and not projections.lock(transaction, staging.state.name):
            return True
        return tracked != self._expected or self._store.log.erasures() != self._erasures


class _CountVerification:
    def __init__(
        self, projection: CountingProjection, store: Store, transaction: Transaction, tracked: Tracked
    ) -> None:
        self._projection = projection
        self._transaction = transaction
        self._of = {"org": store.org, "generation": tracked.generation}
        self._sum = 0

    def fold(self, events: Sequence[Event]) -> None:
        self._sum += self._projection.counted(events).digest()

    def differences(self) -> Iterator[str]:
        counters = self._pages(SELECT_COUNTERS, ("name", "day", "key"))
        tallies = self._pages(SELECT_TALLIES, ("name", "part", "day", "key"))
        stored = sum(digest(row[:3], row[3:]) for row in counters) + sum(digest(row[:4], row[4:]) for row in tallies)
        if not same(self._sum, stored):
            yield self._projection.name

    def _pages(self, sql: str, key: tuple[str, ...]) -> Iterator[Row]:
        last: Mapping[str, object] = {name: -(2**31) - 1 if name == "day" else "" for name in key}
        while rows := self._transaction.query(sql, {**self._of, "limit": _CHUNK, **last}):
            yield from rows
            last = dict(zip(key, rows[-1], strict=False))


def forget(store: Store, transaction: Transaction, generation: str) -> None:
    for table in ("counter", "tally"):
        transaction.execute(FORGET.format(table=table), {"org": store.org, "generation": generation})


def sweep(store: Store, transaction: Transaction, generation: str) -> int:
    """Delete some rows of a generation; returns how many."""
    return sum(
        transaction.execute(SWEEP.format(table=table, part=part), {"org": store.org, "generation": generation})
        for table, part in (("counter", ""), ("tally", "part, "))
    )


def _add(store: Store, transaction: Transaction, generation: str, counts: Counts) -> None:
    at = {"org": store.org, "generation": generation}
    # Always in the same order, so that two who add to the same rows never wait for each other.
    counters = [{**at, **key._asdict(), "value": value} for key, value in sorted(counts.counters.items())]
    transaction.execute_many(ADD_TO_COUNTER, counters)
    for columns, rows in counts.by_kind():
        params = [{**at, **key._asdict(), **dict(zip(columns, values, strict=True))} for key, values in rows]
        transaction.execute_many(_adding(columns), params)


@cache
def _adding(columns: tuple[str, ...]) -> str:
    return ADD_TO_TALLY.format(
        columns=", ".join(columns),
        values=", ".join(f":{column}" for column in columns),
        sums=", ".join(f"{column} = tally.{column} + excluded.{column}" for column in columns),
    )


def _drop_empty(store: Store, transaction: Transaction, generation: str, counts: Counts) -> None:
    at = {"org": store.org, "generation": generation}
    transaction.execute_many(DROP_EMPTY_COUNTER, [{**at, **key._asdict()} for key in sorted(counts.counters)])
    for columns, rows in counts.by_kind():
        sql = DROP_EMPTY_TALLY.format(zeros=" and ".join(f"{column} = 0" for column in columns))
        transaction.execute_many(sql, [{**at, **key._asdict()} for key, _ in rows])

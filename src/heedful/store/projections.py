"""Derived state: counters and tallies, and the projections that keep them in step with the log.

A projection keeps its rows in a place of its own. When it is derived anew, the new rows are written to another
place beside it, which then becomes the projection's: so readers see the old state or the new one, and never half.
Places that are being filled, or waiting to be swept, are on record: `name~id` in the table of projections.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from uuid_utils import uuid7

from heedful.errors import InvalidInput
from heedful.learnings.table import LearningTable
from heedful.records.clock import from_day
from heedful.records.event import Event
from heedful.records.job import JobRequest
from heedful.records.learning import PROJECTION, subject
from heedful.store.database import Database, Transaction
from heedful.store.extension import Reaction
from heedful.store.jobs import JobTable
from heedful.store.projection import TALLY_WIDTH, TIMELESS, Count, Derived, Projection, ProjectionState

BESIDE = "~"
"""Parts a projection's name from what tells its places apart."""

DERIVE_JOB = "derive"
"""The name of the job that brings a projection up to date."""

_VALUES = tuple(f"v{number}" for number in range(TALLY_WIDTH))
_IN_TALLY = "org_id = :org and projection = :place and name = :name and part = :part and day = :day and key = :key"
_IN_COUNTER = "org_id = :org and projection = :place and name = :name and day = :day and key = :key"

SELECT_STATES = """
select name, version, position, live, coalesce(place, name) from projection where org_id = :org order by name
"""

SAVE_STATE = """
insert into projection (org_id, name, version, position, live, place)
values (:org, :name, :version, :position, :live, :place)
on conflict (org_id, name) do update set version = :version, position = :position, live = :live, place = :place
"""

PLACE = "(select coalesce(place, name) from projection where org_id = :org and name = :projection)"
"""Where a projection's rows are, for whoever reads them."""

SELECT_KIND = "select 1 from feedback_event where org_id = :org and kind = :kind and seq <= :head limit 1"

ADD_TO_COUNTER = """
insert into counter (org_id, projection, name, day, key, value)
values (:org, :place, :name, :day, :key, :value)
on conflict (org_id, projection, name, day, key) do update set value = counter.value + excluded.value
"""

ADD_TO_TALLY = f"""
insert into tally (org_id, projection, name, part, day, key, {", ".join(_VALUES)})
values (:org, :place, :name, :part, :day, :key, {", ".join(":" + value for value in _VALUES)})
on conflict (org_id, projection, name, part, day, key) do update set
    {", ".join(f"{value} = tally.{value} + excluded.{value}" for value in _VALUES)}
"""

DROP_EMPTY_COUNTER = f"delete from counter where {_IN_COUNTER} and value = 0"
DROP_EMPTY_TALLY = f"delete from tally where {_IN_TALLY} and {' and '.join(f'{value} = 0' for value in _VALUES)}"
"""A row that counts nothing goes: its key may be what somebody wanted to be forgotten."""

SWEEP = """
delete from {table} where (org_id, projection, name, {part}day, key) in (
    select org_id, projection, name, {part}day, key from {table}
    where org_id = :org and projection = :place limit 10000)
"""
"""Some rows at a time, so that nobody waits long."""

FORGET = "delete from {table} where org_id = :org and projection = :place"

SELECT_PLACE = "select 1 from projection where org_id = :org and name = :name"
STRIKE = "delete from projection where org_id = :org and name = :name"

SELECT_COUNT = f"""
select value from counter
where org_id = :org and projection = {PLACE} and name = :name and day = :day and key = :key
"""

SELECT_COUNTS = f"""
select key, day, value from counter
where org_id = :org and projection = {PLACE} and name = :name and day between :first and :last
order by day, key
"""


class Tracked(NamedTuple):
    """A projection's state, and the place of its rows."""

    state: ProjectionState
    place: str


class Derivation:
    """What is derived in one organisation."""

    def __init__(
        self,
        database: Database,
        org: str,
        jobs: JobTable,
        projections: Sequence[Projection],
        reactions: Sequence[Reaction],
        learnings: LearningTable,
    ) -> None:
        self._database = database
        self._org = org
        self._jobs = jobs
        self._learnings = learnings
        self._reactions = reactions
        self.projections = {projection.name: projection for projection in projections}

    def follow(self, transaction: Transaction, events: Sequence[Event], head: int) -> None:
        """In the transaction that records `events` after place `head`: fold them in, queue their jobs."""
        tracked = self.tracked_in(transaction)
        self._drop_behind(transaction, tracked, head)
        for projection in self.projections.values():
            found = tracked.get(projection.name)
            concerned = projection.concerns(events)
            if found is None and not self._missed(transaction, projection, head):
                state = ProjectionState(projection.name, projection.version, position=0, live=True)
                found = Tracked(state, projection.name)
                self.save(transaction, found)
            if found is not None and found.state.version > projection.version:
                continue  # newer code derives it
            if found is None or found.state.version < projection.version or not found.state.live:
                self._ask_for(transaction, projection)
                continue
            if concerned:
                derived = Derived()
                projection.fold(concerned, derived)
                self.add(transaction, found.place, derived)
                self._learnings.advance(transaction, derived.about_learnings)
        self._react(transaction, events)

    def unfollow(self, transaction: Transaction, events: Sequence[Event]) -> None:
        """In the transaction that erases `events`: take out again what they had added, and give up what is being
        derived beside, which may hold them."""
        for name, (_, place) in self.beside(transaction).items():
            self.strike(transaction, name)  # first: it waits for whoever is just adding to the place
            self.forget(transaction, place)
        tracked = self.tracked_in(transaction)
        for state, place in tracked.values():
            seen = events if state.live else [event for event in events if event.seq <= state.position]
            projection = self.projections.get(state.name)
            if projection is not None:
                seen = projection.concerns(seen)
            if not seen:
                continue
            if projection is None or projection.version != state.version:
                # Only other code knows what they had added; it shall derive all of it anew.
                self.forget(transaction, place)
                self.save(transaction, Tracked(ProjectionState(state.name, state.version, 0, live=False), place))
                continue
            derived = Derived()
            projection.fold(seen, derived)
            self.add(transaction, place, derived.undone())
            self._drop_empty(transaction, place, derived)
        self._unlearn(transaction, events, tracked.get(PROJECTION))

    def _unlearn(self, transaction: Transaction, events: Sequence[Event], tracked: Tracked | None) -> None:
        """Even those that the projection has not come to: whoever is just deriving them may have."""
        mine = self.projections.get(PROJECTION)
        if mine is not None and (tracked is None or tracked.state.version == mine.version):
            ids = [id for event in events if (id := subject(event)) is not None]
            self._learnings.refold(transaction, ids, erased=events)

    def _missed(self, transaction: Transaction, projection: Projection, head: int) -> bool:
        """Whether a projection that is new here would have had something to fold before."""
        if not projection.kinds or not head:
            return head > 0
        return any(
            transaction.query(SELECT_KIND, {"org": self._org, "kind": kind, "head": head}) for kind in projection.kinds
        )

    def _drop_behind(self, transaction: Transaction, tracked: dict[str, Tracked], head: int) -> None:
        """Processes with older or newer code may write the same log. What this one cannot fold in
        falls behind here, and is brought up to date by someone who can."""
        for state, place in tracked.values():
            mine = self.projections.get(state.name)
            if state.live and (mine is None or mine.version != state.version):
                behind = ProjectionState(state.name, state.version, position=head, live=False)
                self.save(transaction, Tracked(behind, place))

    def _ask_for(self, transaction: Transaction, projection: Projection) -> None:
        request = JobRequest(DERIVE_JOB, {"projection": projection.name}, key=projection.name)
        self._jobs.add(transaction, [request])

    def _react(self, transaction: Transaction, events: Sequence[Event]) -> None:
        requests = [
            request
            for reaction in self._reactions
            for event in events
            if event.kind == reaction.kind and (request := reaction.request(event)) is not None
        ]
        for request in requests:
            if not isinstance(request, JobRequest):
                raise InvalidInput(
                    f"A reaction answered {type(request).__name__}.", hint="Answer with a JobRequest, or None."
                )
        if requests:
            self._jobs.add(transaction, requests)

    def states(self) -> dict[str, ProjectionState]:
        return {name: found.state for name, found in self.tracked().items()}

    def tracked(self) -> dict[str, Tracked]:
        with self._database.read(self._org) as transaction:
            return self.tracked_in(transaction)

    def tracked_in(self, transaction: Transaction) -> dict[str, Tracked]:
        return {name: found for name, found in self._on_record(transaction).items() if BESIDE not in name}

    def beside(self, transaction: Transaction) -> dict[str, Tracked]:
        """Places that are not, or not yet, or no longer a projection's own."""
        return {name: found for name, found in self._on_record(transaction).items() if BESIDE in name}

    def _on_record(self, transaction: Transaction) -> dict[str, Tracked]:
        rows = transaction.query(SELECT_STATES, {"org": self._org})
        return {row[0]: Tracked(ProjectionState(row[0], row[1], row[2], bool(row[3])), row[4]) for row in rows}

    def save(self, transaction: Transaction, tracked: Tracked) -> None:
        state, place = tracked
        params = {
            "org": self._org,
            "name": state.name,
            "version": state.version,
            "position": state.position,
            "live": int(state.live),
            "place": place,
        }
        transaction.execute(SAVE_STATE, params)

    def open_place(self, projection: Projection) -> Tracked:
        """A place beside the projection's own, on record from now on."""
        name = f"{projection.name}{BESIDE}{uuid7()}"
        place = Tracked(ProjectionState(name, projection.version, 0, live=False), name)
        with self._database.write(self._org) as transaction:
            self.save(transaction, place)
        return place

    def take_over(self, transaction: Transaction, tracked: Tracked, instead: Tracked | None) -> None:
        """Make a place the projection's own; the one it had is for sweeping."""
        transaction.execute(STRIKE, {"org": self._org, "name": tracked.place})
        self.save(transaction, tracked)
        if instead is not None:
            self._condemn(transaction, tracked.state.name, instead.place)

    def _condemn(self, transaction: Transaction, projection: str, place: str) -> str:
        """Put a place on record as one to be swept, under a name that nobody fills it by."""
        name = f"{projection}{BESIDE}{uuid7()}"
        self.save(transaction, Tracked(ProjectionState(name, 0, 0, live=False), place))
        return name

    def hold_place(self, transaction: Transaction, place: Tracked) -> bool:
        """Let nobody strike a place off the record before the end of the transaction; False if somebody has."""
        return self._is_on_record(transaction, place.state.name)

    def _is_on_record(self, transaction: Transaction, name: str) -> bool:
        return bool(transaction.query(SELECT_PLACE + self._database.for_update, {"org": self._org, "name": name}))

    def strike(self, transaction: Transaction, name: str) -> None:
        transaction.execute(STRIKE, {"org": self._org, "name": name})

    def add(self, transaction: Transaction, place: str, derived: Derived) -> None:
        at = {"org": self._org, "place": place}
        # In one order, so that two who add to the same rows never wait for each other.
        counts = [{**at, **key._asdict(), "value": value} for key, value in sorted(derived.counts.items())]
        tallies = [
            {**at, **key._asdict(), **dict(zip(_VALUES, values, strict=True))}
            for key, values in sorted(derived.tallies.items())
        ]
        transaction.execute_many(ADD_TO_COUNTER, counts)
        transaction.execute_many(ADD_TO_TALLY, tallies)

    def _drop_empty(self, transaction: Transaction, place: str, derived: Derived) -> None:
        at = {"org": self._org, "place": place}
        transaction.execute_many(DROP_EMPTY_COUNTER, [{**at, **key._asdict()} for key in sorted(derived.counts)])
        transaction.execute_many(DROP_EMPTY_TALLY, [{**at, **key._asdict()} for key in sorted(derived.tallies)])

    def forget(self, transaction: Transaction, place: str) -> None:
        for table in ("counter", "tally"):
            transaction.execute(FORGET.format(table=table), {"org": self._org, "place": place})

    def sweep(self, projection: str) -> None:
        """Remove what other places still hold of a projection: the one before, and those of the unfinished. Whoever is
        still filling one finds it struck off the record, and begins anew."""
        with self._database.write(self._org) as transaction:
            others = {name: at.place for name, at in self.beside(transaction).items() if _of(name) == projection}
            condemned = {self._condemn(transaction, projection, place): place for place in others.values()}
            for name in others:
                self.strike(transaction, name)
        for name, place in condemned.items():
            while self._sweep_some(name, place):
                pass

    def _sweep_some(self, name: str, place: str) -> bool:
        """Some rows of a place; or, when none are left, its record: until then it is known what is to be swept."""
        with self._database.write(self._org) as transaction:
            if not self._is_on_record(transaction, name):  # held, for whoever erases events deletes the same rows
                return False
            swept = sum(
                transaction.execute(SWEEP.format(table=table, part=part), {"org": self._org, "place": place})
                for table, part in (("counter", ""), ("tally", "part, "))
            )
            if not swept:
                self.strike(transaction, name)
            return swept > 0

    def count_of(self, projection: str, name: str, key: str) -> int:
        """The value of one counter for all time."""
        with self._database.read(self._org) as transaction:
            params = {"org": self._org, "projection": projection, "name": name, "key": key, "day": TIMELESS}
            rows = transaction.query(SELECT_COUNT, params)
        return int(rows[0][0]) if rows else 0

    def counts(self, projection: str, name: str, first: int, last: int) -> list[Count]:
        with self._database.read(self._org) as transaction:
            rows = transaction.query(
                SELECT_COUNTS,
                {"org": self._org, "projection": projection, "name": name, "first": first, "last": last},
            )
        return [Count(key, None if day == TIMELESS else from_day(day), value) for key, day, value in rows]


def _of(name: str) -> str:
    return name.rpartition(BESIDE)[0]

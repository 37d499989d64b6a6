"""Derived state: counters, and the projections that keep them in step with the log."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.errors import InvalidInput
from heedful.model.clock import from_day
from heedful.model.event import Event
from heedful.model.extension import Reaction
from heedful.model.job import JobRequest
from heedful.model.projection import TIMELESS, Count, Derived, Projection, ProjectionState
from heedful.store.database import Database, Transaction
from heedful.store.jobs import JobTable

DERIVE_JOB = "derive"
"""The name of the job that brings a projection up to date."""

SELECT_STATES = "select name, version, position, live from projection where org_id = :org order by name"

SAVE_STATE = """
insert into projection (org_id, name, version, position, live) values (:org, :name, :version, :position, :live)
on conflict (org_id, name) do update set version = :version, position = :position, live = :live
"""

ADD_TO_COUNTER = """
insert into counter (org_id, projection, name, day, key, value)
values (:org, :projection, :name, :day, :key, :value)
on conflict (org_id, projection, name, day, key) do update set value = counter.value + excluded.value
"""

CLEAR_COUNTERS = "delete from counter where org_id = :org and projection = :projection"

SELECT_COUNTS = """
select key, day, value from counter
where org_id = :org and projection = :projection and name = :name and day between :first and :last
order by day, key
"""


class Derivation:
    """What is derived in one organisation."""

    def __init__(
        self,
        database: Database,
        org: str,
        jobs: JobTable,
        projections: Sequence[Projection],
        reactions: Sequence[Reaction],
    ) -> None:
        self._database = database
        self._org = org
        self._jobs = jobs
        self._reactions = reactions
        self.projections = {projection.name: projection for projection in projections}

    def follow(self, transaction: Transaction, events: Sequence[Event], head: int) -> None:
        """In the transaction that records `events` after place `head`: fold them in, queue their jobs."""
        states = self._states(transaction)
        self._drop_behind(transaction, states, head)
        for projection in self.projections.values():
            state = states.get(projection.name)
            if state is None and head == 0:
                state = ProjectionState(projection.name, projection.version, position=0, live=True)
                self.save(transaction, state)
            if state is not None and state.version > projection.version:
                continue  # newer code derives it
            if state is None or state.version < projection.version or not state.live:
                self._ask_for(transaction, projection)
                continue
            derived = Derived()
            projection.fold(events, derived)
            self.add(transaction, projection.name, derived)
        self._react(transaction, events)

    def _drop_behind(self, transaction: Transaction, states: dict[str, ProjectionState], head: int) -> None:
        """Processes with older or newer code may write the same log. What this one cannot fold in
        falls behind here, and is brought up to date by someone who can."""
        for state in states.values():
            mine = self.projections.get(state.name)
            if state.live and (mine is None or mine.version != state.version):
                self.save(transaction, ProjectionState(state.name, state.version, position=head, live=False))

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
        with self._database.read(self._org) as transaction:
            return self._states(transaction)

    def _states(self, transaction: Transaction) -> dict[str, ProjectionState]:
        rows = transaction.query(SELECT_STATES, {"org": self._org})
        return {row[0]: ProjectionState(row[0], row[1], row[2], bool(row[3])) for row in rows}

    def save(self, transaction: Transaction, state: ProjectionState) -> None:
        params = {
            "org": self._org,
            "name": state.name,
            "version": state.version,
            "position": state.position,
            "live": int(state.live),
        }
        transaction.execute(SAVE_STATE, params)

    def add(self, transaction: Transaction, projection: str, derived: Derived) -> None:
        rows = [
            {"org": self._org, "projection": projection, "name": at.name, "key": at.key, "day": at.day, "value": value}
            for at, value in sorted(derived.counts.items())
        ]
        transaction.execute_many(ADD_TO_COUNTER, rows)

    def clear(self, transaction: Transaction, projection: str) -> None:
        transaction.execute(CLEAR_COUNTERS, {"org": self._org, "projection": projection})

    def counts(self, projection: str, name: str, first: int, last: int) -> list[Count]:
        with self._database.read(self._org) as transaction:
            rows = transaction.query(
                SELECT_COUNTS,
                {"org": self._org, "projection": projection, "name": name, "first": first, "last": last},
            )
        return [Count(key, None if day == TIMELESS else from_day(day), value) for key, day, value in rows]

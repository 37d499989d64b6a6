"""The projections of one organisation: how far each has come, and keeping them in step with the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from uuid_utils import uuid7

from heedful.errors import InvalidInput
from heedful.records.clock import from_day
from heedful.records.event import Event
from heedful.records.job import JobRequest
from heedful.store import counting
from heedful.store.counting import TIMELESS
from heedful.store.database import Transaction, in_parts
from heedful.store.extension import Reaction
from heedful.store.projection import STAGING, Count, Projection, ProjectionState, Tracked

if TYPE_CHECKING:
    from heedful.store.store import Store

DERIVE_JOB = "derive"

SELECT_STATES = """
select name, version, position, live, generation from projection where org_id = :org order by name
"""

SAVE_STATE = """
insert into projection (org_id, name, version, position, live, generation)
values (:org, :name, :version, :position, :live, :generation)
on conflict (org_id, name) do update set
    version = :version, position = :position, live = :live, generation = :generation
"""

GENERATION = "(select generation from projection where org_id = :org and name = :projection)"

SELECT_KIND = "select 1 from feedback_event where org_id = :org and kind = :kind and seq <= :head limit 1"

SELECT_NAME = "select 1 from projection where org_id = :org and name = :name"
RELEASE = "delete from projection where org_id = :org and name = :name"

SELECT_COUNT = f"""
select value from counter
where org_id = :org and generation = {GENERATION} and name = :name and day = :day and key = :key
"""

SELECT_COUNTS = f"""
select key, day, value from counter
where org_id = :org and generation = {GENERATION} and name = :name and day between :first and :last
order by day, key
"""

SELECT_TIMELESS = f"""
select name, key, value from counter
where org_id = :org and generation = {GENERATION} and name in ({{names}}) and day = :day {{only}}
"""

SELECT_LARGEST = f"""
select key, value from counter
where org_id = :org and generation = {GENERATION} and name = :name and day = :day order by value desc, key limit :limit
"""

SELECT_NEWEST = f"""
select key, day, value from counter
where org_id = :org and generation = {GENERATION} and name = :name order by day desc, key desc limit :limit
"""

_PER_QUERY = 200


class Projections:
    def __init__(self, store: Store, projections: Sequence[Projection], reactions: Sequence[Reaction]) -> None:
        self._store = store
        self._database = store.database
        self._org = store.org
        self._reactions = reactions
        self.known = {projection.name: projection for projection in projections}

    # Following the log

    def follow(self, transaction: Transaction, events: Sequence[Event], head: int) -> None:
        """In the transaction that records `events` after position `head`: fold them, and queue their jobs."""
        tracked = self.tracked_in(transaction)
        self._drop_behind(transaction, tracked, head)
        for projection in self.known.values():
            found = tracked.get(projection.name)
            if found is None and not self._missed(transaction, projection, head):
                state = ProjectionState(projection.name, projection.version, position=0, live=True)
                found = Tracked(state, projection.name)
                self.save(transaction, found)
            if found is not None and found.state.version > projection.version:
                continue  # newer code derives it
            if found is None or found.state.version < projection.version or not found.state.live:
                request = JobRequest(DERIVE_JOB, {"projection": projection.name}, key=projection.name)
                self._store.jobs.add(transaction, [request])
            elif concerned := projection.concerns(events):
                projection.fold(self._store, transaction, found, concerned)
        self._react(transaction, events)

    def unfollow(self, transaction: Transaction, events: Sequence[Event]) -> None:
        """In the transaction that erases `events`: subtract them, and give up what is being derived."""
        for name, (_, generation) in self._staging(transaction).items():
            self.release(transaction, name)  # first: it waits for a process that is just adding to the generation
            counting.forget(self._store, transaction, generation)
        tracked = self.tracked_in(transaction)
        for name, (state, generation) in tracked.items():
            projection = self.known.get(name)
            concerned = events if projection is None else projection.concerns(events)
            seen = state.live or any(event.seq <= state.position for event in concerned)
            if concerned and seen and (projection is None or projection.version != state.version):
                # Only other code knows what they had added; it must derive all of it again.
                counting.forget(self._store, transaction, generation)
                self.save(transaction, Tracked(ProjectionState(name, state.version, 0, live=False), generation))
        for name, projection in self.known.items():
            found = tracked.get(name)
            concerned = projection.concerns(events)
            if concerned and (found is None or found.state.version == projection.version):
                projection.unfold(self._store, transaction, found, concerned)

    def refollow(self, transaction: Transaction, events: Sequence[Event]) -> None:
        """In the transaction that rewrites events: add them as they are now."""
        tracked = self.tracked_in(transaction)
        for name, projection in self.known.items():
            found = tracked.get(name)
            concerned = projection.concerns(events)
            if concerned and found is not None and found.state.version == projection.version:
                projection.refold(self._store, transaction, found, concerned)

    def _missed(self, transaction: Transaction, projection: Projection, head: int) -> bool:
        """Whether a projection that is new here would have had something to fold before."""
        if not projection.kinds or not head:
            return head > 0
        return any(
            transaction.query(SELECT_KIND, {"org": self._org, "kind": kind, "head": head}) for kind in projection.kinds
        )

    def _drop_behind(self, transaction: Transaction, tracked: dict[str, Tracked], head: int) -> None:
        """Processes with older or newer code may write the same log. What this one cannot fold falls behind here, and
        is brought up to date by one that can."""
        for state, generation in tracked.values():
            mine = self.known.get(state.name)
            if state.live and (mine is None or mine.version != state.version):
                behind = ProjectionState(state.name, state.version, position=head, live=False)
                self.save(transaction, Tracked(behind, generation))

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
                    f"A reaction returned {type(request).__name__}.", hint="Return a JobRequest, or None."
                )
        if requests:
            self._store.jobs.add(transaction, requests)

    # How far each has come

    def states(self) -> dict[str, ProjectionState]:
        return {name: found.state for name, found in self.tracked().items()}

    def tracked(self) -> dict[str, Tracked]:
        with self._database.read(self._org) as transaction:
            return self.tracked_in(transaction)

    def tracked_in(self, transaction: Transaction) -> dict[str, Tracked]:
        return {name: found for name, found in self._registered(transaction).items() if STAGING not in name}

    def _staging(self, transaction: Transaction) -> dict[str, Tracked]:
        """Generations that are not, not yet, or no longer a projection's own."""
        return {name: found for name, found in self._registered(transaction).items() if STAGING in name}

    def _registered(self, transaction: Transaction) -> dict[str, Tracked]:
        rows = transaction.query(SELECT_STATES, {"org": self._org})
        return {row[0]: Tracked(ProjectionState(row[0], row[1], row[2], bool(row[3])), row[4]) for row in rows}

    def save(self, transaction: Transaction, tracked: Tracked) -> None:
        state, generation = tracked
        params = {**asdict(state), "org": self._org, "live": int(state.live), "generation": generation}
        transaction.execute(SAVE_STATE, params)

    # Generations

    def open_staging(self, projection: Projection) -> Tracked:
        name = f"{projection.name}{STAGING}{uuid7()}"
        staging = Tracked(ProjectionState(name, projection.version, 0, live=False), name)
        with self._database.write(self._org) as transaction:
            self.save(transaction, staging)
        return staging

    def switch(self, transaction: Transaction, tracked: Tracked, old: Tracked | None) -> None:
        """Make a generation the projection's own, and mark the old one for deletion."""
        self.release(transaction, tracked.generation)
        self.save(transaction, tracked)
        if old is not None:
            self._mark_for_deletion(transaction, tracked.state.name, old.generation)

    def _mark_for_deletion(self, transaction: Transaction, projection: str, generation: str) -> str:
        """Register it under a name that no process fills."""
        name = f"{projection}{STAGING}{uuid7()}"
        self.save(transaction, Tracked(ProjectionState(name, 0, 0, live=False), generation))
        return name

    def lock(self, transaction: Transaction, name: str) -> bool:
        """Keep a generation registered until the end of the transaction; False if it was released."""
        return bool(transaction.query(SELECT_NAME + self._database.for_update, {"org": self._org, "name": name}))

    def release(self, transaction: Transaction, name: str) -> None:
        transaction.execute(RELEASE, {"org": self._org, "name": name})

    def sweep(self, projection: str) -> None:
        """Delete rows of a projection's other generations: the one before, and unfinished ones."""
        with self._database.write(self._org) as transaction:
            staging = self._staging(transaction)
            others = {name: at.generation for name, at in staging.items() if name.rpartition(STAGING)[0] == projection}
            marked = {self._mark_for_deletion(transaction, projection, at): at for at in others.values()}
            for name in others:
                self.release(transaction, name)
        for name, generation in marked.items():
            while self._sweep_some(name, generation):
                pass

    def _sweep_some(self, name: str, generation: str) -> bool:
        """Delete some rows; or, when none are left, the registration: until then it is known what must go."""
        with self._database.write(self._org) as transaction:
            if not self.lock(transaction, name):  # a process that erases events deletes the same rows
                return False
            swept = counting.sweep(self._store, transaction, generation)
            if not swept:
                self.release(transaction, name)
            return swept > 0

    # Reading counters

    def count_of(self, projection: str, name: str, key: str) -> int:
        params = {"org": self._org, "projection": projection, "name": name, "key": key, "day": TIMELESS}
        rows = self._database.query(self._org, SELECT_COUNT, **params)
        return int(rows[0][0]) if rows else 0

    def timeless(self, projection: str, names: Sequence[str], keys: Sequence[str] = ()) -> dict[str, dict[str, int]]:
        """The timeless counters of these names, by name and key: all of them, or those of these keys."""
        found: dict[str, dict[str, int]] = {}
        of = {"org": self._org, "projection": projection, "day": TIMELESS}
        for listed, params in in_parts(names, _PER_QUERY):
            for among, more in in_parts(keys, _PER_QUERY) if keys else [("", dict[str, Any]())]:
                wanted = {f"key_{name}": value for name, value in more.items()}
                only = f"and key in ({among.replace(':', ':key_')})" if keys else ""
                sql = SELECT_TIMELESS.format(names=listed, only=only)
                for name, key, value in self._database.query(self._org, sql, **of, **params, **wanted):
                    found.setdefault(name, {})[key] = value
        return found

    def largest(self, projection: str, name: str, limit: int) -> list[Count]:
        """The timeless counters of a name with the largest values."""
        params = {"org": self._org, "projection": projection, "name": name, "day": TIMELESS, "limit": limit}
        rows = self._database.query(self._org, SELECT_LARGEST, **params)
        return [Count(key, None, value) for key, value in rows]

    def newest(self, projection: str, name: str, limit: int) -> list[Count]:
        """The counters of a name with the latest days and keys."""
        params = {"org": self._org, "projection": projection, "name": name, "limit": limit}
        rows = self._database.query(self._org, SELECT_NEWEST, **params)
        return [Count(key, None if day == TIMELESS else from_day(day), value) for key, day, value in rows]

    def counts(self, projection: str, name: str, first: int, last: int) -> list[Count]:
        params = {"org": self._org, "projection": projection, "name": name, "first": first, "last": last}
        rows = self._database.query(self._org, SELECT_COUNTS, **params)
        return [Count(key, None if day == TIMELESS else from_day(day), value) for key, day, value in rows]

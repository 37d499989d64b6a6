"""Whether an organisation's log is what was written, and what is derived from it is what the log gives: read anew,
event by event, at one moment of the database.

Counters and tallies are compared by digests (`store/digest.py`), so that a log of any length takes little memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from heedful.errors import StoreDamaged
from heedful.learnings.verification import Relearning
from heedful.records.clock import to_hour
from heedful.records.event import Event
from heedful.records.health import Finding, failure, ok
from heedful.records.json import decode
from heedful.store import orgs
from heedful.store.damage import damaged
from heedful.store.database import Row, Transaction
from heedful.store.digest import digest, same
from heedful.store.log import SELECT_EVENTS
from heedful.store.projection import TALLY_WIDTH, Derived, Projection
from heedful.store.projections import Tracked
from heedful.store.rows import event_of
from heedful.store.store import Store

_CHUNK = 2_000
_VALUES = ", ".join(f"v{number}" for number in range(TALLY_WIDTH))

SELECT_HOURS = "select hour, first_seq, last_seq from log_hour where org_id = :org"

SELECT_COUNTERS = """
select name, day, key, value from counter where org_id = :org and projection = :place
and (name, day, key) > (:name, :day, :key) order by name, day, key limit :limit
"""

SELECT_TALLIES = f"""
select name, part, day, key, {_VALUES} from tally where org_id = :org and projection = :place
and (name, part, day, key) > (:name, :part, :day, :key) order by name, part, day, key limit :limit
"""

Progress = Callable[[int], None]


def verify(store: Store, progress: Progress = lambda _: None) -> Finding:
    """`progress` is told how many events were read since the last time."""
    try:
        with store.database.snapshot(store.org) as transaction:
            found = _Verification(store, transaction, progress)
            events = found.log()
            wrong = list(found.differences())
    except StoreDamaged as error:
        return failure("log", f"Of {store.org}: {error.message}", error.hint)
    if wrong:
        return failure(
            "derived",
            f"Of {store.org}: {', '.join(wrong)} {'is' if len(wrong) == 1 else 'are'} not what the log gives.",
            "Derive it anew: heedful rebuild; if that does not help, restore a backup.",
        )
    return ok("log", f"{store.org}: {events:,} events are as they were written, and what is derived agrees with them")


class _Verification:
    def __init__(self, store: Store, transaction: Transaction, progress: Progress) -> None:
        self._store = store
        self._transaction = transaction
        self._progress = progress
        self._org = {"org": store.org}
        projections = store.derivation.projections
        self._live = {
            name: tracked
            for name, tracked in store.derivation.tracked_in(transaction).items()
            if name in projections and tracked.state.live and tracked.state.version == projections[name].version
        }
        """Others are behind, and say so elsewhere."""
        self._sums: Counter[str] = Counter()
        self._learned = Relearning(store.learnings, store.org, transaction)

    def log(self) -> int:
        """Read all of it, and fold it; how many events there are."""
        hours = {hour: (first, last) for hour, first, last in self._query(SELECT_HOURS)}
        count = last = 0
        while events := self._after(last):
            for event in events:
                first, end = hours.get(to_hour(event.at), (1, 0))
                if not first <= event.seq <= end:
                    raise damaged(f"the hour of event number {event.seq}")
                for payload in (event.before_json, event.after_json, event.meta_json):
                    decode(payload)
            count, last = count + len(events), events[-1].seq
            self._fold(events)
            self._progress(len(events))
        self._no_gaps(count, last)
        return count

    def _after(self, seq: int) -> list[Event]:
        rows = self._query(f"{SELECT_EVENTS} and seq > :seq order by seq limit :limit", seq=seq, limit=_CHUNK)
        return [event_of(row) for row in rows]

    def _no_gaps(self, count: int, last: int) -> None:
        """Places are given out one after another; only what was erased leaves an empty one."""
        rows = self._query(orgs.SELECT_ERASURES)
        if count and not rows:
            raise damaged("the name of an organisation")
        if rows and not rows[0][0] and count != last:
            raise damaged(f"the order of events: {last - count} are missing, and none was erased")

    def _fold(self, events: Sequence[Event]) -> None:
        for name in self._live:
            projection: Projection = self._store.derivation.projections[name]
            derived = Derived()
            projection.fold(projection.concerns(events), derived)
            self._sums[name] += sum(digest(key, (value,)) for key, value in derived.counts.items())
            self._sums[name] += sum(digest(key, values) for key, values in derived.tallies.items())
            self._learned.fold(derived.about_learnings)

    def differences(self) -> Iterator[str]:
        """What is derived, and is not what the log gives."""
        for name, tracked in self._live.items():
            if not same(self._sums[name], self._stored(tracked)):
                yield name
        if self._learned.projection in self._live:
            yield from self._learned.differences()

    def _stored(self, tracked: Tracked) -> int:
        counters = self._pages(SELECT_COUNTERS, tracked.place, ("name", "day", "key"))
        tallies = self._pages(SELECT_TALLIES, tracked.place, ("name", "part", "day", "key"))
        return sum(digest(row[:3], row[3:]) for row in counters) + sum(digest(row[:4], row[4:]) for row in tallies)

    def _pages(self, sql: str, place: str, key: tuple[str, ...]) -> Iterator[Row]:
        last: Mapping[str, object] = {name: -(2**31) - 1 if name == "day" else "" for name in key}
        while rows := self._query(sql, place=place, limit=_CHUNK, **last):
            yield from rows
            last = dict(zip(key, rows[-1], strict=False))

    def _query(self, sql: str, **params: object) -> list[Row]:
        return self._transaction.query(sql, {**self._org, **params})

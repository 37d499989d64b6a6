"""Verifies an organisation: reads its whole log, derives everything again in memory, and compares digests."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.errors import StoreDamaged
from heedful.records.clock import to_hour
from heedful.records.event import Event
from heedful.records.health import CheckResult, failure, ok
from heedful.records.json import decode
from heedful.store import orgs
from heedful.store.damage import damaged
from heedful.store.database import Row, Transaction
from heedful.store.event_log import SELECT_EVENTS
from heedful.store.event_rows import event_of
from heedful.store.projection import Progress
from heedful.store.store import Store

_CHUNK = 2_000

SELECT_HOURS = "select hour, first_seq, last_seq from log_hour where org_id = :org"


def verify(store: Store, progress: Progress = lambda _: None) -> CheckResult:
    """`progress` is called with the number of events read since the last call."""
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
        known = store.projections.known
        self._live = [
            known[name].verification(store, transaction, tracked)
            for name, tracked in store.projections.tracked_in(transaction).items()
            if name in known and tracked.state.live and tracked.state.version == known[name].version
        ]
        """Those that are live; others are behind, and are reported elsewhere."""

    def log(self) -> int:
        """Read and fold the whole log; returns how many events there are."""
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
            for verification in self._live:
                verification.fold(events)
            self._progress(len(events))
        self._no_gaps(count, last)
        return count

    def _after(self, seq: int) -> list[Event]:
        rows = self._query(f"{SELECT_EVENTS} and seq > :seq order by seq limit :limit", seq=seq, limit=_CHUNK)
        return [event_of(row) for row in rows]

    def _no_gaps(self, count: int, last: int) -> None:
        """Positions are consecutive; only erased events leave a gap."""
        rows = self._query(orgs.SELECT_ERASURES)
        if count and not rows:
            raise damaged("the name of an organisation")
        if rows and not rows[0][0] and count != last:
            raise damaged(f"the order of events: {last - count} are missing, and none was erased")

    def differences(self) -> Iterator[str]:
        for verification in self._live:
            yield from verification.differences()

    def _query(self, sql: str, **params: object) -> list[Row]:
        return self._transaction.query(sql, {**self._org, **params})

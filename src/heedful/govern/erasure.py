"""Erasing feedback: what somebody asks to have cleared, and what has become too old or too much.

An event that goes takes with it what it added to everything derived, in one transaction. They go some hundreds at a
time, so that nobody waits long; at every moment what is left is whole.
"""

from __future__ import annotations

import base64
import heapq
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from heedful.errors import InvalidInput, NotFound, StoreError
from heedful.model.clock import from_day, to_day
from heedful.model.event import Entity, Event, EventFilter
from heedful.model.fix import DECISIONS, LEARNING_KINDS, RETENTION, RETENTION_JOB, SCRUB, is_feedback
from heedful.model.job import JobRequest
from heedful.model.json import decode, encode
from heedful.model.names import listed
from heedful.model.period import Period
from heedful.model.privacy import Cleared, Clearing, Retained
from heedful.store import Store
from heedful.store.audit import audit

_CHUNK = 500
_VALID = timedelta(minutes=10)
_LAST_DAY = 2**30
_NOW_AND_THEN = 100


@dataclass(frozen=True, slots=True)
class Selection:
    """Which feedback: of a period, of some rules, or everything."""

    period: Period
    rules: tuple[str, ...] | None

    @classmethod
    def of(cls, period: Period, rules: Sequence[str] | None, *, everything: bool) -> Selection:
        named = tuple(sorted(listed(rules or (), "rules")))
        chosen = bool(named) or period != Period()
        if everything == chosen:
            raise InvalidInput(
                "Everything, or a part of it?" if everything else "Nothing was chosen to be cleared.",
                hint="Name rules or a period (both: what fits both), or choose everything.",
            )
        return cls(period, named or None)

    def filters(self) -> Iterator[EventFilter]:
        for kind in LEARNING_KINDS:
            wanted = EventFilter(kind=kind, since=self.period.first_moment, until=self.period.end_moment)
            if self.rules is None:
                yield wanted
            else:
                yield from (replace(wanted, entity=Entity("rule", rule)) for rule in self.rules)


class Erasure:
    def __init__(self, store: Store) -> None:
        self._store = store

    def plan(self, selection: Selection) -> Clearing:
        head = self._store.log.head()
        records = sum(self._store.log.count(wanted, head) for wanted in selection.filters())
        return Clearing(records, self._token(selection, head))

    def confirm(self, token: str) -> Cleared:
        selection, head = self._promised(token)
        records = sum(self._erase(wanted, last=head) for wanted in selection.filters())
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            if not any(self._store.log.page(EventFilter(kind=kind), None, 1) for kind in LEARNING_KINDS):
                self._store.secret.forget(transaction)
            audit(self._store, "AUDIT_LEARNING_CLEARED", after={**_described(selection), "records": records})
        return Cleared(records, self._scrubbed())

    def _scrubbed(self) -> bool:
        """At once if possible: it cannot be done in the middle of a transaction, nor while others read."""
        if not self._store.database.in_transaction() and self.scrub():
            return True
        self._store.jobs.put(SCRUB)
        return False

    def scrub(self) -> bool:
        try:
            return self._store.database.scrub(thoroughly=True)
        except StoreError:  # no room for a copy, say, or another program at work: the records are gone all the same
            return False

    def retain(self) -> Retained:
        privacy = self._store.privacy()
        too_old = too_many = 0
        if privacy.max_days is not None:
            oldest = self._store.clock() - timedelta(days=privacy.max_days)
            too_old = sum(self._erase(EventFilter(kind=kind, until=oldest)) for kind in LEARNING_KINDS)
        if privacy.max_records is not None:
            too_many = self._erase_surplus(privacy.max_records)
        if too_old or too_many:
            with self._store.transaction():
                audit(self._store, "AUDIT_RETENTION_APPLIED", after={"too_old": too_old, "too_many": too_many})
            if not self._store.database.in_transaction():
                self._store.database.scrub(thoroughly=False)
        return Retained(too_old, too_many, self._records())

    def _records(self) -> int:
        return sum((self._store.suggestions.rule("") or ())[:4])

    def _erase_surplus(self, most: int) -> int:
        """The oldest ones, beyond so many. Counts by day tell on which day the surplus ends."""
        surplus = self._records() - most
        erased = 0
        for number, counted in self._store.suggestions.days(-_LAST_DAY, _LAST_DAY) if surplus > 0 else ():
            day, records = from_day(number), sum(counted[:4])
            if erased + records > surplus:
                return erased + self._erase_of_day(day, surplus - erased)
            erased += sum(self._erase(wanted) for wanted in _of_day(day))
        return erased

    def _erase_of_day(self, day: date, count: int) -> int:
        if not count:
            return 0
        moments = ((event.at, event.seq) for wanted in _of_day(day) for event in self._each(wanted))
        last = heapq.nsmallest(count, moments)[-1]
        return sum(self._erase(wanted, until=last) for wanted in _of_day(day))

    def _each(self, wanted: EventFilter) -> Iterator[Event]:
        place = None
        while events := self._store.log.page(wanted, place, _CHUNK):
            yield from events
            place = events[-1].seq

    def _erase(self, wanted: EventFilter, *, last: int | None = None, until: tuple[datetime, int] | None = None) -> int:
        """All that fit: up to a place in the log, or up to a moment (and among those of that moment, a place)."""
        erased, place = 0, None
        while True:
            with self._store.transaction() as transaction:
                self._store.log.hold(transaction)  # before looking: two must not take the same out twice
                events = self._store.log.page(wanted, place, _CHUNK)
                chosen = [event for event in events if is_feedback(event) and (last is None or event.seq <= last)]
                if until is not None:
                    chosen = [event for event in chosen if (event.at, event.seq) <= until]
                if chosen:
                    self._store.log.erase(transaction, chosen)
            erased += len(chosen)
            if len(events) < _CHUNK or (last is not None and events[-1].seq >= last):
                return erased
            place = events[-1].seq

    def _token(self, selection: Selection, head: int) -> str:
        """What is to be cleared, until when that may be confirmed, and a seal that only this installation can make."""
        expires = int((self._store.clock() + _VALID).timestamp())
        promise = encode({**_described(selection), "head": head, "expires": expires})
        return f"{base64.urlsafe_b64encode(promise.encode()).decode()}.{self._seal(promise)}"

    def _promised(self, token: str) -> tuple[Selection, int]:
        refused = NotFound("This confirmation token is not known here.", hint="Ask for a new one.")
        try:
            promise = base64.b64decode(str(token).partition(".")[0], altchars=b"-_", validate=True).decode()
            seal = str(token).partition(".")[2].encode()
        except ValueError:
            raise refused from None
        if not hmac.compare_digest(seal, self._seal(promise).encode()):
            raise refused
        told = decode(promise)
        if self._store.clock().timestamp() > told["expires"]:
            raise NotFound("This confirmation token has expired.", hint="Ask for a new one.")
        start, end = (None if told[day] is None else date.fromisoformat(told[day]) for day in ("since", "until"))
        return Selection(Period(start, end), None if told["rules"] is None else tuple(told["rules"])), told["head"]

    def _seal(self, promise: str) -> str:
        return self._store.secret.digest("clearing", promise)


def look_now_and_then(event: Event) -> JobRequest | None:
    """Should the daily looks have ended for whatever reason, this begins them again."""
    return RETENTION if event.seq % _NOW_AND_THEN == 0 else None


def next_look(store: Store) -> JobRequest:
    """Once a day, from the first feedback on."""
    tomorrow = store.clock().date() + timedelta(days=1)
    return JobRequest(RETENTION_JOB, key=str(to_day(tomorrow)), delay=timedelta(days=1))


def _of_day(day: date) -> list[EventFilter]:
    period = Period(day, day)
    return [EventFilter(kind=kind, since=period.first_moment, until=period.end_moment) for kind in DECISIONS]


def _described(selection: Selection) -> dict[str, object]:
    start, end = selection.period.start, selection.period.end
    return {
        "since": None if start is None else start.isoformat(),
        "until": None if end is None else end.isoformat(),
        "rules": None if selection.rules is None else list(selection.rules),
    }

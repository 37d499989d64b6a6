"""Retention: erases feedback that is too old or exceeds the limit, oldest first. Recording feedback triggers it."""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from heedful.errors import StoreError
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.learnings.patterns.learner import erase_decisions
from heedful.records.clock import from_day, to_day
from heedful.records.event import Event, EventFilter
from heedful.records.job import JobRequest
from heedful.records.period import Period
from heedful.records.privacy import Privacy, Retained
from heedful.records.suggestion import DECISIONS, LEARNING_KINDS, RETENTION_JOB, is_feedback
from heedful.store import Store
from heedful.store.audit import audit

_LOG = logging.getLogger("heedful.retention")
_CHUNK = 500
_ALL = 2**62
_LAST_DAY = 2**30
_LEAST_SLACK, _MOST_SLACK = 10, 100
_AGE_AGAIN = timedelta(hours=1)
_WAIT = 0.25  # seconds that a recording is held up at most while others write


def slack(max_records: int) -> int:
    """How many records above the limit are tolerated before recording erases some."""
    return min(_MOST_SLACK, max(_LEAST_SLACK, max_records // 10))


def after_recording(store: Store, events: Sequence[Event], privacy: Privacy) -> None:
    """Never fails a recording: if the database is busy, the next recording tries again."""
    recorded = sum(event.kind in DECISIONS for event in events)
    if not recorded:
        return
    try:
        with store.database.lock_timeout(_WAIT):
            Retention(store, privacy).look(max(_CHUNK, 2 * recorded))
    except StoreError as error:
        _LOG.warning("retention failed and will be retried: %s", error.code)


class Retention:
    def __init__(self, store: Store, privacy: Privacy) -> None:
        self._store = store
        self._counts = SuggestionTallies(store)
        self._privacy = privacy

    def apply(self) -> Retained:
        """Erases everything that is too old or exceeds the limit."""
        too_old, too_many = self._erase_old(_ALL), self._erase_surplus(_ALL)
        self._note(too_old, too_many)
        if (too_old or too_many) and not self._store.database.in_transaction():
            self._store.database.scrub(thoroughly=False)
        return Retained(too_old, too_many, self._records())

    def look(self, most: int) -> None:
        too_many = self._erase_surplus(most) if self._is_too_much() else 0
        too_old = self._erase_old(most) if self._is_time() else 0
        self._note(too_old, too_many)

    def _is_too_much(self) -> bool:
        allowed = self._privacy.max_records
        return allowed is not None and self._records() >= allowed + slack(allowed)

    def _is_time(self) -> bool:
        cache, name, now = self._store.database.cache, ("retention", self._store.org), self._store.clock()
        if now < (cache.get(name) or now):
            return False
        cache.put(name, now + _AGE_AGAIN)
        return True

    def _note(self, too_old: int, too_many: int) -> None:
        if too_old or too_many:
            with self._store.recording() as record:
                audit(record, "AUDIT_RETENTION_APPLIED", after={"too_old": too_old, "too_many": too_many})

    def _records(self) -> int:
        return self._counts.rule("").total

    def _erase_old(self, most: int) -> int:
        if self._privacy.max_days is None:
            return 0
        oldest = self._store.clock() - timedelta(days=self._privacy.max_days)
        filters = [EventFilter(kind=kind, until=oldest) for kind in LEARNING_KINDS]
        return self._erase([wanted for wanted in filters if self._store.log.page(wanted, None, 1)], most)

    def _erase_surplus(self, most: int) -> int:
        """Erases the oldest, day by day. Counts again when another process erases, so that no excess is erased
        twice."""
        erased = 0
        while self._privacy.max_records is not None:
            erasures = self._store.log.erasures()
            surplus = min(self._records() - self._privacy.max_records, most - erased)
            gone = self._erase_oldest(surplus, erasures) if surplus > 0 else 0
            erased += gone
            if not gone and self._store.log.erasures() == erasures:
                break
        return erased

    def _erase_oldest(self, count: int, erasures: int) -> int:
        """Erases up to a number of records of the first day that has any."""
        days = ((day, counted.total) for day, counted in self._counts.days(-_LAST_DAY, _LAST_DAY))
        day, records = next(((day, records) for day, records in days if records), (0, 0))
        wanted = _of_day(from_day(day))
        if records <= count:
            return self._erase(wanted, records, erasures=erasures)
        moments = ((event.at, event.seq) for one in wanted for event in self._store.log.each(one) if is_feedback(event))
        last = max(heapq.nsmallest(count, moments))
        return self._erase(wanted, count, lambda event: (event.at, event.seq) <= last, erasures=erasures)

    def _erase(
        self,
        filters: Sequence[EventFilter],
        most: int,
        chosen: Callable[[Event], bool] = lambda _: True,
        *,
        erasures: int | None = None,
    ) -> int:
        """Matching feedback, up to a limit; with `erasures`, only as long as no other process erases anything."""
        erased = 0
        for wanted in filters:
            place: int | None = None
            while erased < most:
                with self._store.recording() as record:  # before looking: two must not take the same out twice
                    if erasures is not None and self._store.log.erasures() != erasures:
                        return erased
                    events = self._store.log.page(wanted, place, _CHUNK)
                    gone = [event for event in events if is_feedback(event) and chosen(event)][: most - erased]
                    if gone:
                        erase_decisions(self._store, record, gone)
                        erasures = None if erasures is None else erasures + 1
                erased += len(gone)
                if len(events) < _CHUNK:
                    break
                place = events[-1].seq
        return erased


def next_look(store: Store) -> JobRequest:
    """Once a day, starting with the first feedback."""
    tomorrow = store.clock().date() + timedelta(days=1)
    return JobRequest(RETENTION_JOB, key=str(to_day(tomorrow)), delay=timedelta(days=1))


def _of_day(day: date) -> list[EventFilter]:
    period = Period(day, day)
    return [EventFilter(kind=kind, since=period.first_moment, until=period.end_moment) for kind in DECISIONS]

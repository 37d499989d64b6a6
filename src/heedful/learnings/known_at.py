"""What was known at an earlier time.

The log keeps when things happened, and the order in which they were recorded. What was imported may have happened long
before it was recorded. But some events are always dated with the moment of recording: what comes after one of them in
the log was recorded no earlier.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from heedful.learnings import events
from heedful.learnings.deeds import IMPORT
from heedful.records import mining, proposal
from heedful.records.clock import to_micros
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.event import Event, EventFilter
from heedful.store import Store

IMPORTED = "AUDIT_LEARNING_IMPORTED"
"""Recorded with the learnings of a file, after them."""
_OWN_TIME = (CONTEXT_GIVEN, events.APPROVED, events.RATED, events.EVALUATED, proposal.MADE, mining.MINED, IMPORTED)
"""Nobody can pass another time for these than that of recording."""
ALWAYS = 2**63 - 1
_NEXT = timedelta(microseconds=1)
_LAST = datetime.max.replace(tzinfo=UTC) - _NEXT


class Moment(NamedTuple):
    """A time, or a position in the log."""

    at: datetime | None = None
    end: int = ALWAYS
    """The position from which on everything was recorded later."""

    def has(self, event: Event) -> bool:
        return event.seq < self.end and (self.at is None or event.at <= self.at)

    @property
    def micros(self) -> int:
        return ALWAYS if self.at is None else to_micros(self.at)


NOW = Moment()


def moment_of(store: Store, at: datetime | None) -> Moment:
    if at is None:
        return NOW
    since = min(at, _LAST) + _NEXT
    later = (store.log.page(EventFilter(kind=kind, since=since), None, 1) for kind in _OWN_TIME)
    return Moment(at, min((event.seq for page in later for event in page), default=ALWAYS))


def known_since(store: Store, first: Event) -> datetime:
    """When a learning that begins with this event was known for sure: not before it happened, not before what was
    recorded before it, and not before its conversation was mined or its file imported."""
    before = [store.log.page(EventFilter(kind=kind, newest_first=True), first.seq, 1) for kind in _OWN_TIME]
    found = [*(event for page in before for event in page), *with_it(store, first)]
    return max([first.at, *(event.at for event in found)])


def with_it(store: Store, first: Event) -> list[Event]:
    """The event that was recorded in one transaction with the beginning of a learning, and tells where it is from."""
    if first.kind != events.EXTRACTED or first.entity is None:
        return []
    if first.entity.kind == IMPORT:
        return store.log.page(EventFilter(kind=IMPORTED), first.seq, 1)
    return store.log.page(EventFilter(kind=mining.MINED, entity=first.entity), first.seq, 1)

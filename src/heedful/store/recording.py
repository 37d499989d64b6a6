"""Recording: the one way to write to an organisation's log.

    with store.recording() as record:
        record.append(drafts)

A recording is a transaction that holds the organisation's lock, so positions in the log are given out in the order of
commits, none twice and none left out, and a reader that has seen position n has seen everything before it. That costs
little: the writers of one organisation would meet at its counters anyway. Inside another transaction of the same thread
it joins in, and an error undoes only its own part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from heedful.errors import Conflict
from heedful.records.event import Draft, Event
from heedful.records.job import JobRequest
from heedful.records.privacy import Privacy
from heedful.store import orgs
from heedful.store.database import Transaction
from heedful.store.event_rows import EVENT_COLUMNS, EVENTS, row_of
from heedful.store.hours import note_hours

if TYPE_CHECKING:
    from heedful.store.store import Store

SELECT_HEAD = f"""
select floor, (select max(seq) from {EVENTS} where org_id = :org), has_webhooks, privacy from org where org_id = :org
"""
"""A statement of its own, after the lock: it must see what was committed while the lock was waited for."""

ERASE = f"delete from {EVENTS} where org_id = :org and seq = :seq"

FAN_OUT_JOB = "webhooks.fan_out"

FAN_OUT = JobRequest(FAN_OUT_JOB, key="all")


class _Head(NamedTuple):
    position: int
    has_webhooks: bool
    privacy: str | None


class Recording:
    """What can be written while the organisation is locked."""

    def __init__(self, store: Store, transaction: Transaction) -> None:
        self._store = store
        self.transaction = transaction
        self.clock = store.clock
        self.org = orgs.lock(transaction, store.database, store.org, store.clock)

    @property
    def privacy(self) -> Privacy:
        return Privacy.read(self.org.privacy)

    @property
    def head(self) -> int:
        return self._head().position

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Record events, all or nothing. Returns one event per draft; for one that was recorded before, the
        first event."""
        answers = self.append_fitting(drafts)
        for answer in answers:
            if isinstance(answer, Conflict):
                raise answer
        return cast("list[Event]", answers)

    def append_fitting(self, drafts: Sequence[Draft], *, whole: bool = True) -> list[Event | Conflict]:
        """Record events; with `whole`, none of them if one is in conflict with the log."""
        known = self._store.log.known([draft.id for draft in drafts if draft.own_id])
        head, new, answers = self._head(), list[Event](), list[Event | Conflict]()
        for draft in drafts:
            event = known.get(draft.id) if draft.own_id else None
            if event is None:
                event = _event(draft, self._store.org, head.position + len(new) + 1)
                new.append(event)
                if draft.own_id:
                    known[draft.id] = event
            elif not _is_same(event, draft):
                answers.append(_taken(draft.id))
                continue
            answers.append(event)
        if not (whole and len(new) < len(drafts) and any(isinstance(answer, Conflict) for answer in answers)):
            self._write(new, head)
        return answers

    def append_new(self, drafts: Sequence[Draft]) -> list[Event]:
        """Record events that the caller knows to be new."""
        if not drafts:
            return []
        head = self._head()
        new = [_event(draft, self._store.org, head.position + number) for number, draft in enumerate(drafts, 1)]
        self._write(new, head)
        return new

    def erase(self, events: Sequence[Event]) -> None:
        """Delete events from the log, with their files, and subtract them from everything derived. Their positions stay
        empty."""
        head, org = self._head(), self._store.org
        self.transaction.execute_many(ERASE, [{"org": org, "seq": event.seq} for event in events])
        self._store.files.erase(self.transaction, [event.id for event in events])
        self.transaction.execute(orgs.NOTE_ERASURE, {"org": org, "head": head.position})
        self._store.projections.unfollow(self.transaction, events)

    def rewrite(self, changed: Sequence[tuple[Event, Event]]) -> None:
        """Replace events by what may stay of them, at the positions they had, and derive again what they touched. Their
        files stay."""
        head, org = self._head(), self._store.org
        old, new = [before for before, _ in changed], [after for _, after in changed]
        self.transaction.execute_many(ERASE, [{"org": org, "seq": event.seq} for event in old])
        self.transaction.execute(orgs.NOTE_ERASURE, {"org": org, "head": head.position})
        self._store.projections.unfollow(self.transaction, old)
        self._insert(new)
        self._store.projections.refollow(self.transaction, new)

    def put_back(self, events: Sequence[Event]) -> None:
        """Write events at the positions they had, when a log is restored. Positions between them count as erased."""
        self._insert(events)
        head = max([self._head().position, *(event.seq for event in events)])
        self.transaction.execute(orgs.NOTE_ERASURE, {"org": self._store.org, "head": head})

    def queue(self, requests: Iterable[JobRequest]) -> None:
        self._store.jobs.add(self.transaction, requests)

    def _head(self) -> _Head:
        """Read again each time: something else may have been recorded in the same transaction."""
        floor, last, has_webhooks, privacy = self.transaction.query(SELECT_HEAD, {"org": self._store.org})[0]
        return _Head(max(floor, last or 0), bool(has_webhooks), privacy)

    def _write(self, new: Sequence[Event], head: _Head) -> None:
        if not new:
            return
        store = self._store
        self._insert(new)
        store.projections.follow(self.transaction, new, head.position)
        if head.has_webhooks:
            self.queue([FAN_OUT])
        for notice in store.notices:
            store.database.after_commit(partial(notice, new))
        if store.maintenance is not None:
            store.database.after_commit(partial(store.maintenance, store, new, Privacy.read(head.privacy)))

    def _insert(self, events: Sequence[Event]) -> None:
        self.transaction.append(EVENTS, EVENT_COLUMNS, [row_of(event) for event in events])
        note_hours(self.transaction, self._store.org, events)


def _event(draft: Draft, org: str, seq: int) -> Event:
    id, kind, at, actor, entity, layout, before, after, meta, _, _ = draft
    return Event(id, org, seq, kind, at, actor, entity, layout, before, after, meta)


def _is_same(event: Event, draft: Draft) -> bool:
    """A time that the caller left to us does not count: the first recording had its own."""
    again = _event(draft, event.org, event.seq)
    return event == (again if draft.own_time else again._replace(at=event.at))


def _taken(id: str) -> Conflict:
    return Conflict(
        f"An event with the id {id!r} is recorded already, with different content.",
        hint="Give a new act a new id; to send the same act again, send it unchanged.",
    )

"""The event log: append and read. There is no way to change an event; there is one to erase it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from heedful.errors import Conflict
from heedful.records.clock import Clock, to_hour, to_micros
from heedful.records.event import Draft, Event, EventFilter
from heedful.records.job import JobRequest
from heedful.records.privacy import Privacy
from heedful.store import orgs
from heedful.store.database import Database, Transaction
from heedful.store.jobs import JobTable
from heedful.store.projections import Projections
from heedful.store.rows import EVENT_COLUMNS, event_of, row_of

_TABLE = "feedback_event"
_ID = EVENT_COLUMNS.index("id")
_IDS_PER_QUERY = 500
_STRETCH = 255  # the end of an hour's stretch is rounded up to a multiple of this plus one

SELECT_LAST = f"select max(seq) from {_TABLE} where org_id = :org"

NOTE_HOUR = """
insert into log_hour (org_id, hour, first_seq, last_seq) values (:org, :hour, :first, :last)
on conflict (org_id, hour) do update set
    first_seq = case when excluded.first_seq < log_hour.first_seq then excluded.first_seq else log_hour.first_seq end,
    last_seq = case when excluded.last_seq > log_hour.last_seq then excluded.last_seq else log_hour.last_seq end
where excluded.first_seq < log_hour.first_seq or excluded.last_seq > log_hour.last_seq
"""
"""Widen the stretch of the log where an hour's events are; mostly it is wide enough, and nothing is written."""

SINCE = f"""
at >= :since and seq >= (
    select coalesce(min(first_seq), {2**63 - 1}) from log_hour where org_id = :org and hour >= :since_hour)
"""
UNTIL = """
at < :until and seq <= (
    select coalesce(max(last_seq), 0) from log_hour where org_id = :org and hour <= :until_hour)
"""
"""Times are compared exactly; the hours only tell which part of the log to look at."""

ERASE = f"delete from {_TABLE} where org_id = :org and seq = :seq"

SELECT_EVENTS = f"select {', '.join(EVENT_COLUMNS)} from {_TABLE} where org_id = :org"


FAN_OUT_JOB = "webhooks.fan_out"
"""The name of the job that tells webhooks of new events."""

FAN_OUT = JobRequest(FAN_OUT_JOB, key="all")


class Held(NamedTuple):
    head: int
    """The place of the newest event."""
    org: orgs.Held
    """What is known of the organisation, and stays so while it is held."""


class EventLog:
    """The log of one organisation."""

    def __init__(
        self,
        database: Database,
        org: str,
        clock: Clock,
        projections: Projections,
        *,
        jobs: JobTable,
        notice: Sequence[Callable[[Sequence[Event]], object]] = (),
        upkeep: Callable[[Sequence[Event], Privacy], object] | None = None,
    ) -> None:
        self._database = database
        self._org = org
        self._clock = clock
        self._projections = projections
        self._jobs = jobs
        self._notice = notice
        self._upkeep = upkeep

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Record events, and with them what they change and cause: all or nothing.

        Answers with one event per draft; a draft that was recorded before answers with the event it
        became then.
        """
        answers = self.append_fitting(drafts)
        for answer in answers:
            if isinstance(answer, Conflict):
                raise answer
        return cast("list[Event]", answers)

    def append_fitting(self, drafts: Sequence[Draft], *, whole: bool = True) -> list[Event | Conflict]:
        """Record events; with `whole`, none of them if one is in conflict with the log."""
        with self._database.write(self._org) as transaction:
            held = self.hold(transaction)
            new: list[Event] = []
            answers = self._place(
                drafts, self.known(transaction, [draft.id for draft in drafts if draft.own_id]), held.head, new
            )
            if not (whole and len(new) < len(drafts) and any(isinstance(answer, Conflict) for answer in answers)):
                self._write(transaction, new, held)
        return answers

    def append_new(self, transaction: Transaction, held: Held, drafts: Sequence[Draft]) -> list[Event]:
        """Record events of which the caller, who holds the organisation, knows that they are new."""
        new = [_placed(draft, self._org, held.head + number) for number, draft in enumerate(drafts, 1)]
        self._write(transaction, new, held)
        return new

    def _write(self, transaction: Transaction, new: Sequence[Event], held: Held) -> None:
        if not new:
            return
        transaction.append(_TABLE, EVENT_COLUMNS, [row_of(event) for event in new])
        transaction.execute_many(NOTE_HOUR, self._hours(new))
        self._projections.follow(transaction, new, held.head)
        if held.org.followed:
            self._jobs.add(transaction, [FAN_OUT])
        for notice in self._notice:
            self._database.after_commit(partial(notice, new))
        if self._upkeep is not None:
            self._database.after_commit(partial(self._upkeep, new, Privacy.read(held.org.privacy)))

    def _place(
        self, drafts: Sequence[Draft], known: dict[str, Event], head: int, new: list[Event]
    ) -> list[Event | Conflict]:
        answers: list[Event | Conflict] = []
        for draft in drafts:
            event = known.get(draft.id) if draft.own_id else None
            if event is None:
                event = _placed(draft, self._org, head + len(new) + 1)
                new.append(event)
                if draft.own_id:
                    known[draft.id] = event
            elif not _says_the_same(event, draft):
                answers.append(_taken(draft.id))
                continue
            answers.append(event)
        return answers

    def put_back(self, transaction: Transaction, events: Sequence[Event]) -> None:
        """Write events at the places they had, for whoever makes a log again; what is derived must be derived anew.
        Places between them count as erased."""
        held = self.hold(transaction)
        transaction.append(_TABLE, EVENT_COLUMNS, [row_of(event) for event in events])
        transaction.execute_many(NOTE_HOUR, self._hours(events))
        head = max([held.head, *(event.seq for event in events)])
        transaction.execute(orgs.NOTE_ERASURE, {"org": self._org, "head": head})

    def erase(self, transaction: Transaction, events: Sequence[Event]) -> None:
        """Take events out of the log, and what they added out of everything derived. Their places stay empty."""
        held = self.hold(transaction)
        transaction.execute_many(ERASE, [{"org": self._org, "seq": event.seq} for event in events])
        transaction.execute(orgs.NOTE_ERASURE, {"org": self._org, "head": held.head})
        self._projections.unfollow(transaction, events)

    def erasures(self) -> int:
        """How often something was erased: for those who read the log in several goes."""
        with self._database.read(self._org) as transaction:
            rows = transaction.query(orgs.SELECT_ERASURES, {"org": self._org})
        return int(rows[0][0]) if rows else 0

    def hold(self, transaction: Transaction) -> Held:
        """Let nobody else record until the end of the transaction, and tell the newest event's place.

        So places are given out in the order of commits, none twice and none left out, and a reader who has seen
        place n has seen everything before it. It costs little: the writers of one organisation would meet at its
        counters anyway.
        """
        org = orgs.hold(transaction, self._database, self._org, self._clock)
        # A statement of its own: it must see what was committed while this one waited for the row.
        last = transaction.query(SELECT_LAST, {"org": self._org})
        return Held(max(org.floor, int(last[0][0] or 0)), org)

    def _hours(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        stretches: dict[int, list[int]] = {}
        for event in events:
            hour = to_hour(event.at)
            if hour in stretches:
                stretches[hour][1] = event.seq
            else:
                stretches[hour] = [event.seq, event.seq]
        return [
            {"org": self._org, "hour": hour, "first": first, "last": last | _STRETCH}
            for hour, (first, last) in sorted(stretches.items())
        ]

    def known(self, transaction: Transaction, ids: Sequence[str]) -> dict[str, Event]:
        """Those that are recorded already."""
        known: dict[str, Event] = {}
        for start in range(0, len(ids), _IDS_PER_QUERY):
            params = {f"id{n}": id for n, id in enumerate(ids[start : start + _IDS_PER_QUERY])}
            places = ", ".join(f":{name}" for name in params)
            rows = transaction.query(f"{SELECT_EVENTS} and id in ({places})", {"org": self._org, **params})
            known |= {row[_ID]: event_of(row) for row in rows}
        return known

    def get(self, id: str) -> Event | None:
        events = self._select("id = :id", {"id": id})
        return events[0] if events else None

    def head(self) -> int:
        """The place of the newest event; 0 before the first."""
        with self._database.read(self._org) as transaction:
            floor = transaction.query(orgs.SELECT_HELD, {"org": self._org})
            last = transaction.query(SELECT_LAST, {"org": self._org})
        return int(max(floor[0][0] if floor else 0, last[0][0] or 0))

    def after(self, seq: int, limit: int) -> list[Event]:
        """The next events in the order they were recorded."""
        return self._select("seq > :seq order by seq limit :limit", {"seq": seq, "limit": limit})

    def page(self, wanted: EventFilter, previous: int | None, limit: int) -> list[Event]:
        """The next events that fit, in the order they were recorded, beginning after place `previous`."""
        given = _conditions(wanted)
        order, beyond = ("desc", "<") if wanted.newest_first else ("asc", ">")
        if previous is not None:
            given[f"seq {beyond} :previous"] = {"previous": previous}
        params = {name: value for part in given.values() for name, value in part.items()}
        condition = " and ".join(given) or "true"
        return self._select(f"{condition} order by seq {order} limit :limit", {**params, "limit": limit})

    def count(self, wanted: EventFilter, until_place: int) -> int:
        given = _conditions(wanted) | {"seq <= :last": {"last": until_place}}
        params = {name: value for part in given.values() for name, value in part.items()}
        sql = f"select count(*) from {_TABLE} where org_id = :org and {' and '.join(given)}"
        with self._database.read(self._org) as transaction:
            return int(transaction.query(sql, {"org": self._org, **params})[0][0])

    def _select(self, condition: str, params: dict[str, Any]) -> list[Event]:
        with self._database.read(self._org) as transaction:
            rows = transaction.query(f"{SELECT_EVENTS} and {condition}", {"org": self._org, **params})
        return [event_of(row) for row in rows]


def _conditions(wanted: EventFilter) -> dict[str, dict[str, Any]]:
    """Only what was asked for becomes SQL, so that the database can pick the index that fits."""
    found: dict[str, dict[str, Any]] = {}
    for column in ("kind", "actor", "layout"):
        value = getattr(wanted, column)
        if value is not None:
            found[f"{column} = :{column}"] = {column: value}
    if wanted.entity is not None:
        found["entity_kind = :entity_kind and entity_id = :entity_id"] = {
            "entity_kind": wanted.entity.kind,
            "entity_id": wanted.entity.id,
        }
    if not wanted.audit:
        found["substr(kind, 1, 6) <> 'AUDIT_'"] = {}
    if wanted.since is not None:
        found[SINCE] = {"since": to_micros(wanted.since), "since_hour": to_hour(wanted.since)}
    if wanted.until is not None:
        found[UNTIL] = {"until": to_micros(wanted.until), "until_hour": to_hour(wanted.until)}
    return found


def _placed(draft: Draft, org: str, seq: int) -> Event:
    id, kind, at, actor, entity, layout, before, after, meta, _, _ = draft
    return Event(id, org, seq, kind, at, actor, entity, layout, before, after, meta)


def _says_the_same(event: Event, draft: Draft) -> bool:
    """A time that the caller left to us does not count: the first recording had its own."""
    again = _placed(draft, event.org, event.seq)
    return event == (again if draft.own_time else again._replace(at=event.at))


def _taken(id: str) -> Conflict:
    return Conflict(
        f"An event with the id {id!r} is recorded already, with different content.",
        hint="Give a new act a new id; to send the same act again, send it unchanged.",
    )

"""The event log, read. Events are never changed; `recording.py` appends and erases them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from heedful.records.clock import to_hour, to_micros
from heedful.records.event import Event, EventFilter
from heedful.store import orgs
from heedful.store.database import OrgTable, in_parts
from heedful.store.event_rows import EVENT_COLUMNS, EVENTS, event_of
from heedful.store.hours import SINCE, UNTIL

_IDS_PER_QUERY = 500
_PAGE = 500
_ESCAPED, _ESCAPE = re.compile("[!%_]"), r"!\g<0>"  # what means something in a LIKE pattern

SELECT_LAST = f"select max(seq) from {EVENTS} where org_id = :org"
COUNT_BY_KIND = f"select kind, count(*) from {EVENTS} where org_id = :org group by kind order by kind"
SELECT_ACTORS = f"select distinct actor from {EVENTS} where org_id = :org and actor is not null order by actor"
SELECT_EVENTS = f"select {', '.join(EVENT_COLUMNS)} from {EVENTS} where org_id = :org"


class EventLog(OrgTable):
    """The log of one organisation, to be read. `Recording` writes it."""

    def erasures(self) -> int:
        """How often events were erased: for those that read the log in several steps."""
        rows = self._query(orgs.SELECT_ERASURES)
        return int(rows[0][0]) if rows else 0

    def known(self, ids: Sequence[str]) -> dict[str, Event]:
        known: dict[str, Event] = {}
        for listed, params in in_parts(ids, _IDS_PER_QUERY):
            known |= {event.id: event for event in self._select(f"id in ({listed})", params)}
        return known

    def get(self, id: str) -> Event | None:
        events = self._select("id = :id", {"id": id})
        return events[0] if events else None

    def about(self, kind: str, ids: Sequence[str]) -> list[Event]:
        """All events about these entities, in the order they were recorded."""
        found: list[Event] = []
        for listed, params in in_parts(ids, _IDS_PER_QUERY):
            found += self._select(f"entity_kind = :kind and entity_id in ({listed})", {**params, "kind": kind})
        return sorted(found, key=lambda event: event.seq)

    def head(self) -> int:
        with self._database.read(self._org) as transaction:
            floor = transaction.query(orgs.SELECT_FLOOR, {"org": self._org})
            last = transaction.query(SELECT_LAST, {"org": self._org})
        return int(max(floor[0][0] if floor else 0, last[0][0] or 0))

    def after(self, seq: int, limit: int) -> list[Event]:
        """The next events in the order they were recorded."""
        return self._select("seq > :seq order by seq limit :limit", {"seq": seq, "limit": limit})

    def page(self, wanted: EventFilter, previous: int | None, limit: int) -> list[Event]:
        """The next events that fit, in the order they were recorded, beginning after position `previous`."""
        given = _conditions(wanted)
        order, beyond = ("desc", "<") if wanted.newest_first else ("asc", ">")
        if previous is not None:
            given[f"seq {beyond} :previous"] = {"previous": previous}
        params = {name: value for part in given.values() for name, value in part.items()}
        condition = " and ".join(given) or "true"
        return self._select(f"{condition} order by seq {order} limit :limit", {**params, "limit": limit})

    def each(self, wanted: EventFilter) -> Iterator[Event]:
        """All events that fit, read page by page."""
        position = None
        while events := self.page(wanted, position, _PAGE):
            yield from events
            position = events[-1].seq

    def count(self, wanted: EventFilter, last: int) -> int:
        given = _conditions(wanted) | {"seq <= :last": {"last": last}}
        params = {name: value for part in given.values() for name, value in part.items()}
        sql = f"select count(*) from {EVENTS} where org_id = :org and {' and '.join(given)}"
        return int(self._query(sql, **params)[0][0])

    def count_by_kind(self) -> dict[str, int]:
        return dict(self._query(COUNT_BY_KIND))

    def actors(self) -> list[str]:
        return [row[0] for row in self._query(SELECT_ACTORS)]

    def naming(self, text: str, after: int, limit: int) -> list[Event]:
        """The next events with this text anywhere in their payloads, after a position. Reads the whole log."""
        found = " or ".join(f"{part} like :text escape '!'" for part in ("meta", "after", "before"))
        pattern = f"%{_ESCAPED.sub(_ESCAPE, text)}%"
        condition = f"seq > :seq and ({found}) order by seq limit :limit"
        return self._select(condition, {"text": pattern, "seq": after, "limit": limit})

    def _select(self, condition: str, params: dict[str, Any]) -> list[Event]:
        return [event_of(row) for row in self._query(f"{SELECT_EVENTS} and {condition}", **params)]


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

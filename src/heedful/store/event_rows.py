"""Events as rows of the log's table, each with a checksum: what is read is what was written, or an error."""

from __future__ import annotations

from heedful.records.clock import from_micros, to_micros
from heedful.records.event import Entity, Event
from heedful.store.damage import checksum, damaged
from heedful.store.database import Row

EVENTS = "feedback_event"

EVENT_COLUMNS = (
    "org_id", "seq", "id", "kind", "at", "actor", "entity_kind", "entity_id", "layout", "before", "after", "meta",
    "checksum",
)  # fmt: skip


def event_of(row: Row) -> Event:
    org, seq, id, kind, at, actor, entity_kind, entity_id, layout, before, after, meta, kept = row
    if kept != checksum(*row[:-1]):
        raise damaged(f"event number {seq}" if type(seq) is int else "an event")
    entity = None if entity_id is None else Entity(entity_kind, entity_id)
    return Event(id, org, seq, kind, from_micros(at), actor, entity, layout, before, after, meta)


def row_of(event: Event) -> Row:
    id, org, seq, kind, at, actor, entity, layout, before, after, meta = event
    entity_kind, entity_id = entity or (None, None)
    row = (org, seq, id, kind, to_micros(at), actor, entity_kind, entity_id, layout, before, after, meta)
    return (*row, checksum(*row))

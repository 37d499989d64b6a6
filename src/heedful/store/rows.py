"""Events as rows of the log's table."""

from __future__ import annotations

from heedful.model.clock import from_micros, to_micros
from heedful.model.event import Entity, Event
from heedful.store.database import Row

EVENT_COLUMNS = (
    "org_id", "seq", "id", "kind", "at", "actor", "entity_kind", "entity_id", "layout", "before", "after", "meta",
)  # fmt: skip


def event_of(row: Row) -> Event:
    org, seq, id, kind, at, actor, entity_kind, entity_id, layout, before, after, meta = row
    entity = None if entity_id is None else Entity(entity_kind, entity_id)
    return Event(id, org, seq, kind, from_micros(at), actor, entity, layout, before, after, meta)


def row_of(event: Event) -> Row:
    id, org, seq, kind, at, actor, entity, layout, before, after, meta = event
    entity_kind, entity_id = entity or (None, None)
    return (org, seq, id, kind, to_micros(at), actor, entity_kind, entity_id, layout, before, after, meta)

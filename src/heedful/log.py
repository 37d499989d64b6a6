"""The log: read one event, a page, all events, or follow new ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict, Unpack

from heedful.errors import NotFound
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records import names
from heedful.records.clock import When, moment
from heedful.records.event import Entity, EntityPair, Event, EventFilter
from heedful.records.names import Kind, Limit, Name, Place
from heedful.records.page import Page, every
from heedful.store import Store
from heedful.store.audit import PREFIX


class Filters(TypedDict, total=False):
    """A filter of events. A field that is left out is not filtered by."""

    kind: str | None
    actor: str | None
    entity: Sequence[str] | None
    layout: str | None
    since: When | None
    until: When | None
    newest_first: bool


class Log:
    """`loop.log`: the recorded events, read-only."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation("GET /events/{id}", policy.EventPolicy.read, example={"id": "order-4711-line-2"}, errors=(NotFound,))
    def get(self, id: Name) -> Event:
        """Show one event."""
        found = self._store.log.get(names.identifier(id, "id"))
        if found is None or (found.kind.startswith(PREFIX) and not caller.allows(policy.AuditPolicy.read)):
            raise NotFound(f"There is no event {id!r} here.", hint="List events with `heedful events`.")
        return found

    @operation(
        "GET /events",
        policy.EventPolicy.read,
        example={"kind": "MAPPING_CONFIRMED", "since": "2026-01-05T09:00:00Z", "limit": 20},
        tool="list_events",
    )
    def page(
        self,
        *,
        kind: Kind | None = None,
        actor: Name | None = None,
        entity: EntityPair | None = None,
        layout: Name | None = None,
        since: When | None = None,
        until: When | None = None,
        newest_first: bool = False,
        limit: Limit = 100,
        cursor: Place | None = None,
    ) -> Page[Event]:
        """List events, a page at a time, in the order they were recorded.

        `since` and `until` refer to when events happened; `since` is included, `until` is not. The audit trail (kinds
        that begin with AUDIT_) is shown to admins.
        """
        now = self._store.clock()
        wanted = EventFilter(
            kind=None if kind is None else names.kind(kind),
            actor=None if actor is None else names.identifier(actor, "actor"),
            entity=None if entity is None else Entity.of(entity),
            layout=None if layout is None else names.identifier(layout, "layout"),
            since=None if since is None else moment(since, "since", now),
            until=None if until is None else moment(until, "until", now),
            newest_first=newest_first,
            audit=caller.allows(policy.AuditPolicy.read),
        )
        size = names.page_limit(limit)
        previous = None if cursor is None else names.place(cursor)
        events = self._store.log.page(wanted, previous, size + 1)
        more = len(events) > size
        return Page(events[:size], str(events[size - 1].seq) if more else None)

    def all(self, *, limit: int | None = None, cursor: str | None = None, **wanted: Unpack[Filters]) -> Iterator[Event]:
        """Iterates over the matching events, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor, **wanted)

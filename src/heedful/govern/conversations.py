"""Mined conversations: list them, explain their outcome, delete them."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.errors import NotFound
from heedful.govern.forgetting import Forgetting
from heedful.learnings.forgetting import scrubbed
from heedful.operations import policy
from heedful.operations.operation import operation
from heedful.records import mining
from heedful.records.event import Entity, EventFilter
from heedful.records.mining import Forgotten, Mined, mined_of
from heedful.records.names import Limit, Name, Place, identifier, page_limit, place
from heedful.records.page import Page, every
from heedful.store import Store
from heedful.store.audit import audit

_SAMPLE = "3b1f9a52-7d80-4c0e-9a55-0b7c5d1e2f60"


class Conversations:
    """`loop.govern.conversations`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation("GET /conversations", policy.ConversationPolicy.read, example={"limit": 20})
    def page(self, *, limit: Limit = 100, cursor: Place | None = None) -> Page[Mined]:
        """List mined conversations, a page at a time, last mined first, each with its outcome."""
        size = page_limit(limit)
        previous = None if cursor is None else place(cursor)
        found = self._store.log.page(EventFilter(kind=mining.MINED, newest_first=True), previous, size + 1)
        more = str(found[size - 1].seq) if len(found) > size else None
        return Page([mined_of(event) for event in found[:size]], more)

    def all(self, *, limit: int | None = None, cursor: str | None = None) -> Iterator[Mined]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor)

    @operation("GET /conversations/{id}", policy.ConversationPolicy.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def get(self, id: Name) -> Mined:
        """Show the steps and the outcome of mining a conversation: why it taught something, or why not."""
        entity = Entity(mining.ENTITY, identifier(id, "id"))
        found = self._store.log.page(EventFilter(kind=mining.MINED, entity=entity, newest_first=True), None, 1)
        if not found:
            raise self._missing(entity)
        return mined_of(found[0])

    @operation(
        "DELETE /conversations/{id}", policy.ConversationPolicy.delete, example={"id": _SAMPLE}, errors=(NotFound,)
    )
    def delete(self, id: Name) -> Forgotten:
        """Delete a conversation, and everything that was learned from it alone.

        Learnings with evidence from other conversations stay, without the evidence of this one.
        """
        entity, forgetting = Entity(mining.ENTITY, identifier(id, "id")), Forgetting(self._store)
        with self._store.recording() as record:
            events = forgetting.erase_conversation(entity.id)
            if not events:
                raise self._missing(entity)
            audit(record, "AUDIT_CONVERSATION_DELETED", after={"events": events})
        scrubbed(self._store)
        return Forgotten(entity.id, events, len(forgetting.erased.learnings))

    def _missing(self, entity: Entity) -> NotFound:
        said = self._store.log.page(EventFilter(entity=entity), None, 1)
        state = "was not mined yet" if said else "is not known here"
        hint = "Run: heedful work" if said else "List them with `heedful conversations list`."
        return NotFound(f"The conversation {entity.id!r} {state}.", hint=hint)

"""Documents that must go: deleted for now, erased for good, or too old."""

from __future__ import annotations

from datetime import timedelta

from heedful.errors import NotFound
from heedful.learnings.documents.library import Library
from heedful.learnings.documents.projection import ACTS
from heedful.learnings.forgetting import scrubbed
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records.document import DOCUMENT, DOCUMENT_DELETED, DRAFT, EXTRACTED, OWN_KINDS, Document
from heedful.records.event import Entity, Event, EventFilter, noted
from heedful.records.mining import Forgotten
from heedful.records.names import Name, identifier
from heedful.store import Store
from heedful.store.audit import audit

_SAMPLE = "order-4711"
_CHUNK = 500
KINDS = (*OWN_KINDS, *ACTS)


class DocumentReview:
    """`loop.govern.documents`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation("DELETE /documents/{id}", policy.DocumentPolicy.delete, example={"id": _SAMPLE}, errors=(NotFound,))
    def delete(self, id: Name | Document) -> Document:
        """Delete a document and its drafts. What people corrected in it stays until it is too old.

        Its values are no examples any more. To erase everything at once, use `erase`.
        """
        library, name = Library(self._store), identifier(id, "id")
        event = library.event(name)
        if name not in library.deleted([name]):
            now = self._store.clock()
            self._store.record([noted(DOCUMENT_DELETED, now, actor=caller.actor(), entity=Entity(DOCUMENT, name))])
        return library.of(event)

    @operation("POST /documents/{id}/erasure", policy.DocumentPolicy.erase, example={"id": _SAMPLE}, errors=(NotFound,))
    def erase(self, id: Name | Document) -> Forgotten:
        """Erase a document for good: the file, its words, its drafts, and what people corrected in them."""
        name = identifier(id, "id")
        with self._store.recording() as record:
            events = self._events(Library(self._store).event(name))
            record.erase(events)
            audit(record, "AUDIT_DOCUMENT_ERASED", after={"events": len(events)})
        scrubbed(self._store)
        return Forgotten(name, len(events), 0)

    def _events(self, event: Event) -> list[Event]:
        about = self._store.log.about(DOCUMENT, [event.id])
        drafts = [one.id for one in about if one.kind == EXTRACTED]
        return [event, *about, *self._store.log.about(DRAFT, drafts)]


def erase_old(store: Store, days: int | None) -> int:
    """Erases documents and what people did with them that are older; returns how many events. Mappings stay."""
    if days is None:
        return 0
    oldest, erased = store.clock() - timedelta(days=days), 0
    for kind in KINDS:
        while True:
            with store.recording() as record:
                events = store.log.page(EventFilter(kind=kind, until=oldest), None, _CHUNK)
                if events:
                    record.erase(events)
            erased += len(events)
            if len(events) < _CHUNK:
                break
    if erased:
        with store.recording() as record:
            audit(record, "AUDIT_RETENTION_APPLIED", after={"too_old": erased, "too_many": 0})
        scrubbed(store)
    return erased

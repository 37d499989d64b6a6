"""Documents that must go: deleted for now, erased for good, or too old."""

from __future__ import annotations

from datetime import datetime, timedelta

from heedful.errors import NotFound
from heedful.govern.forgetting import Forgetting, events_of
from heedful.learnings.documents.library import Library
from heedful.learnings.documents.projection import ACTS
from heedful.learnings.forgetting import scrubbed
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records.document import (
    DOCUMENT,
    DOCUMENT_DELETED,
    DRAFT_CONFIRMED,
    RECEIVED,
    Document,
)
from heedful.records.event import Entity, EventFilter, noted
from heedful.records.mining import Forgotten
from heedful.records.names import Name, identifier
from heedful.store import Store
from heedful.store.audit import audit

_SAMPLE = "order-4711"
_CHUNK = 500
_DOCUMENTS = 50  # at once


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
        name, forgetting = identifier(id, "id"), Forgetting(self._store)
        with self._store.recording() as record:
            events = forgetting.erase_document(Library(self._store), name)
            audit(record, "AUDIT_DOCUMENT_ERASED", after={"events": events})
        scrubbed(self._store)
        return Forgotten(name, events, 0)


def erase_old(store: Store, days: int | None) -> int:
    """Erases what is older, and returns how many events: what people did with documents, and whole documents about
    which nothing is younger. Mappings stay."""
    if days is None:
        return 0
    oldest = store.clock() - timedelta(days=days)
    erased = sum(_erase_acts(store, kind, oldest) for kind in (*ACTS, DRAFT_CONFIRMED)) + _erase_documents(
        store, oldest
    )
    if erased:
        with store.recording() as record:
            audit(record, "AUDIT_RETENTION_APPLIED", after={"too_old": erased, "too_many": 0})
        scrubbed(store)
    return erased


def _erase_acts(store: Store, kind: str, oldest: datetime) -> int:
    erased = 0
    while True:
        with store.recording() as record:
            events = store.log.page(EventFilter(kind=kind, until=oldest), None, _CHUNK)
            if events:
                record.erase(events)
        erased += len(events)
        if len(events) < _CHUNK:
            return erased


def _erase_documents(store: Store, oldest: datetime) -> int:
    """A document stays as long as somebody works with it: its words are part of what they corrected."""
    erased, place = 0, None
    while True:
        with store.recording() as record:
            received = store.log.page(EventFilter(kind=RECEIVED, until=oldest), place, _DOCUMENTS)
            for event in received:
                events = events_of(store, event)
                if all(one.at < oldest for one in events):
                    record.erase(events)
                    erased += len(events)
        if len(received) < _DOCUMENTS:
            return erased
        place = received[-1].seq

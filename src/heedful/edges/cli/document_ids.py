"""Documents, drafts and layouts by an abbreviated id, and the names of families of layouts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from heedful.edges.cli.ids import IdLookup, short
from heedful.errors import NotFound
from heedful.records.document import EXTRACTED, RECEIVED
from heedful.records.event import Event

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.document import Document, DocumentDraft


def find_document(loop: Loop, id: str) -> Document:
    return loop.learn.documents.get(_lookup(loop, RECEIVED).find(id).id)


def find_draft(loop: Loop, id: str) -> DocumentDraft:
    """The draft with this id, or the newest one of the document with this id."""
    event = _lookup(loop, EXTRACTED, RECEIVED).find(id)
    if event.kind == EXTRACTED:
        return loop.learn.documents.draft(event.id)
    document = loop.learn.documents.get(event.id)
    if not document.drafts:
        raise NotFound(
            f"{document.name} was not extracted yet.",
            hint=f"Extract it: heedful documents extract {short(document.id)}",
        )
    return loop.learn.documents.draft(document.drafts[-1])


def find_layout(loop: Loop, fingerprint: str) -> str:
    def get(id: str) -> str:
        return loop.learn.layouts.get(id).layout

    def each() -> Iterator[str]:
        return iter(dict.fromkeys(event.entity.id for event in _received(loop) if event.entity is not None))

    return IdLookup("layout", get, each, lambda one: one, lambda _: "").find(fingerprint)


def name_of(loop: Loop, document: str) -> str:
    """The name of a document's file; empty if it was erased."""
    event = loop.store.log.get(document)
    return "" if event is None else str(event.after.get("name", ""))


def family_name(loop: Loop, document: Document) -> str:
    """The name of the document that its layout was recognised from; empty if it is the first of its family."""
    return "" if document.family == document.id else name_of(loop, document.family) or short(document.family)


def _received(loop: Loop) -> Iterator[Event]:
    return loop.events(kind=RECEIVED, newest_first=True)


def _lookup(loop: Loop, *kinds: str) -> IdLookup[Event]:
    def each() -> Iterator[Event]:
        return chain.from_iterable(loop.events(kind=kind, newest_first=True) for kind in kinds)

    return IdLookup("document", partial(_event, loop, kinds), each, lambda one: one.id, partial(_line, loop))


def _event(loop: Loop, kinds: tuple[str, ...], id: str) -> Event:
    event = loop.store.log.get(id)
    if event is not None and event.kind in kinds:
        return event
    hint = "List them with `heedful documents list`."
    if event is not None and event.kind == EXTRACTED:
        hint = f"It is a draft: heedful documents draft {id}"
    raise NotFound(f"There is no {'draft or ' if EXTRACTED in kinds else ''}document {id!r} here.", hint=hint)


def _line(loop: Loop, event: Event) -> str:
    if event.kind == RECEIVED:
        return str(event.after.get("name", ""))
    return "" if event.entity is None else f"draft of {name_of(loop, event.entity.id)}"

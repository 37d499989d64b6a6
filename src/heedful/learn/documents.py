"""Documents, layouts, drafts and mappings, read."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.errors import NotFound
from heedful.learnings.documents.drafts import Drafts
from heedful.learnings.documents.library import Library
from heedful.learnings.documents.mappings import Mappings as MappingTable
from heedful.learnings.documents.words import PDF
from heedful.learnings.kinds.mapping import MAPPING, STATUSES
from heedful.learnings.table import LearningTable
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records.document import Document, DocumentDraft, LayoutProfile
from heedful.records.event import Event, EventFilter
from heedful.records.mapping import AnyMappingState, AnyMappingType, Mapping, MappingState, MappingType
from heedful.records.names import Limit, Name, Place, identifier, page_limit, place
from heedful.records.outside import Outside
from heedful.records.page import Page, every
from heedful.store import Store

_DOCUMENT, _DRAFT, _MAPPING = "order-4711", "draft-4711", "mapping-4711"
_LAYOUT = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_LAYOUTS = 100


class Documents:
    """`loop.learn.documents`"""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    @operation("GET /documents/{id}", policy.DocumentPolicy.read, example={"id": _DOCUMENT}, errors=(NotFound,))
    def get(self, id: Name | Document) -> Document:
        """Show one document: its layout, its text, and the drafts that were extracted from it."""
        return Library(self._store).get(identifier(id, "id"))

    @operation("GET /documents", policy.DocumentPolicy.read, example={"limit": 20})
    def page(self, *, layout: Name | None = None, limit: Limit = 100, cursor: Place | None = None) -> Page[Document]:
        """List documents, newest first: of one layout, or of all. Deleted ones are marked."""
        size, library = page_limit(limit), Library(self._store)
        previous = None if cursor is None else place(cursor)
        found = (
            library.recent(previous, size + 1)
            if layout is None
            else library.of_layout(identifier(layout, "layout"), previous, size + 1)
        )
        more = str(found[size - 1].seq) if len(found) > size else None
        return Page([library.of(event) for event in found[:size]], more)

    def all(
        self, *, layout: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> Iterator[Document]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor, layout=layout)

    @operation("GET /drafts/{id}", policy.DocumentPolicy.read, example={"id": _DRAFT}, errors=(NotFound,))
    def draft(self, id: Name | DocumentDraft) -> DocumentDraft:
        """Show a draft as it is now: extracted values, corrections of people, and mappings."""
        return Drafts(self._store).get(identifier(id, "id"))

    def image(self, document: str | Document, page: int = 1, *, width: int = 1_000) -> bytes:
        """A page of a document as a PNG image."""
        return self._outside.pdf.image(self.file(document), page, width)

    def file(self, document: str | Document) -> bytes:
        """The PDF file, as it was received."""
        caller.require(policy.DocumentPolicy.read)
        event = Library(self._store).event(document.id if isinstance(document, Document) else document)
        content = self._store.files.get(event.id, PDF)
        if content is None:
            raise NotFound("Only the words of this document were received.", hint="There is no file to show.")
        return content


class Layouts:
    """`loop.learn.layouts`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation("GET /layouts", policy.DocumentPolicy.read, example={"limit": 20})
    def list(self, *, limit: Limit = _LAYOUTS) -> list[LayoutProfile]:
        """List layouts, most seen first, with their corrections."""
        return Library(self._store).profiles(page_limit(limit))

    @operation("GET /layouts/{layout}", policy.DocumentPolicy.read, example={"layout": _LAYOUT}, errors=(NotFound,))
    def get(self, layout: Name) -> LayoutProfile:
        """Show what is known of a layout, by its fingerprint."""
        found = Library(self._store).profile(identifier(layout, "layout"))
        if not found.seen_count and not found.example_count:
            raise NotFound(f"No document has the layout {layout!r}.", hint="List them with `heedful layouts`.")
        return found

    @operation(
        "GET /layouts/{layout}/events",
        policy.AnalyticsPolicy.read,
        example={"layout": _LAYOUT, "limit": 20},
    )
    def page(self, layout: Name, *, limit: Limit = 100, cursor: Place | None = None) -> Page[Event]:
        """List what people corrected in documents of a layout, newest first, with before and after."""
        size = page_limit(limit)
        wanted = EventFilter(layout=identifier(layout, "layout"), newest_first=True)
        found = self._store.log.page(wanted, None if cursor is None else place(cursor), size + 1)
        return Page(found[:size], str(found[size - 1].seq) if len(found) > size else None)

    def all(self, layout: str, *, limit: int | None = None, cursor: str | None = None) -> Iterator[Event]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor, layout=layout)


class Mappings:
    """`loop.learn.mappings`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation("GET /mappings/{id}", policy.MappingPolicy.read, example={"id": _MAPPING}, errors=(NotFound,))
    def get(self, id: Name) -> Mapping:
        """Show one mapping: its support, its uses, and who contradicts it."""
        row = LearningTable(self._store).get(identifier(id, "id"))
        if row is None or row.state.kind != MAPPING.name:
            raise NotFound(f"There is no mapping {id!r}.", hint="List them with `heedful mappings list`.")
        return MappingTable(self._store).record(row)

    @operation("GET /mappings", policy.MappingPolicy.read, example={"customer": "C-9", "limit": 20})
    def page(
        self,
        *,
        customer: Name | None = None,
        type: AnyMappingType | None = None,
        state: AnyMappingState | None = MappingState.CONFIRMED,
        limit: Limit = 100,
        cursor: Place | None = None,
    ) -> Page[Mapping]:
        """List mappings, newest first: of one customer, or of all."""
        size, table = page_limit(limit), MappingTable(self._store)
        wanted = {
            "kind": MAPPING.name,
            "category": None if type is None else MappingType.of(type).value,
            "status": None if state is None else STATUSES[MappingState.of(state)].value,
            "scope": None if customer is None else identifier(customer, "customer"),
        }
        found = LearningTable(self._store).page(wanted, None if cursor is None else place(cursor), size + 1)
        more = str(found[size - 1].state.no) if len(found) > size else None
        return Page([table.record(row) for row in found[:size]], more)

    def all(
        self,
        *,
        customer: str | None = None,
        type: AnyMappingType | None = None,
        state: AnyMappingState | None = MappingState.CONFIRMED,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[Mapping]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor, customer=customer, type=type, state=state)

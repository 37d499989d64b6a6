"""The documents of an organisation, their layouts, and the drafts that were extracted from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from heedful.errors import NotFound
from heedful.learnings.documents import projection as counted
from heedful.learnings.documents.layout import FamilyMatch, Features, best_family
from heedful.learnings.documents.projection import PROJECTION
from heedful.learnings.documents.words import WORDS, words_of
from heedful.records.document import (
    DOCUMENT,
    DOCUMENT_DELETED,
    EXTRACTED,
    LAYOUT,
    RECEIVED,
    CustomerCandidate,
    Document,
    DocumentText,
    LayoutProfile,
)
from heedful.records.event import Entity, Event, EventFilter
from heedful.records.names import identifier
from heedful.store import Store
from heedful.text.page_text import plain

_TEXT = 20_000  # characters of a document's text in its record
_CANDIDATES = 5
_PER_LAYOUT = (
    counted.SEEN, counted.EXAMPLES, counted.LAYOUT_EXTRACTIONS, counted.LAYOUT_CORRECTED, counted.PAGES,
    counted.TABLES, counted.COVERAGE,
)  # fmt: skip


class Library:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._log = store.log

    # Documents

    def event(self, id: str) -> Event:
        found = self._log.get(identifier(id, "document"))
        if found is None or found.kind != RECEIVED:
            raise NotFound(f"There is no document {id!r}.", hint="List them with learn.documents.page().")
        return found

    def get(self, id: str) -> Document:
        return self.of(self.event(id))

    def of(self, event: Event) -> Document:
        about = self._log.about(DOCUMENT, [event.id])
        text = self._store.files.text(event.id, WORDS)
        after, layout = event.after, layout_of(event)
        return Document(
            id=event.id,
            at=event.at,
            name=str(after.get("name", "")),
            actor=event.actor,
            customer=after.get("customer"),
            sha256=str(after.get("sha256", "")),
            page_count=int(after.get("page_count", 0)),
            page_dimensions=tuple((int(width), int(height)) for width, height in after.get("page_dimensions", ())),
            table_count=int(after.get("table_count", 0)),
            text_coverage_ratio=float(after.get("text_coverage_ratio", 0.0)),
            layout=layout,
            family=family_of(event),
            similarity=float(after.get("similarity", 0.0)),
            alike=self._store.projections.count_of(PROJECTION, counted.FAMILIES, family_of(event)),
            is_pdf=after.get("is_pdf") is True,
            deleted=any(one.kind == DOCUMENT_DELETED for one in about),
            drafts=tuple(one.id for one in about if one.kind == EXTRACTED),
            profile=self.profile(layout),
            text="" if text is None else plain(words_of(text), _TEXT),
        )

    def words(self, id: str) -> DocumentText:
        text = self._store.files.text(id, WORDS)
        if text is None:
            raise NotFound(f"The words of {id!r} are not there any more.", hint="Send the document again.")
        return words_of(text)

    def of_layout(self, layout: str, previous: int | None, limit: int) -> list[Event]:
        wanted = EventFilter(kind=RECEIVED, entity=Entity(LAYOUT, layout), newest_first=True)
        return self._log.page(wanted, previous, limit)

    def recent(self, previous: int | None, limit: int) -> list[Event]:
        return self._log.page(EventFilter(kind=RECEIVED, newest_first=True), previous, limit)

    def deleted(self, ids: Sequence[str]) -> set[str]:
        return {
            event.entity.id
            for event in self._log.about(DOCUMENT, ids)
            if event.kind == DOCUMENT_DELETED and event.entity is not None
        }

    # Layouts

    def profile(self, layout: str) -> LayoutProfile:
        counts = self._store.projections.timeless(PROJECTION, _PER_LAYOUT, [layout])
        counts |= self._store.projections.timeless(PROJECTION, [counted.FAMILY_OF + layout])
        return self._profile(layout, counts)

    def profiles(self, limit: int) -> list[LayoutProfile]:
        """Those that were seen most."""
        found = [count.key for count in self._store.projections.largest(PROJECTION, counted.SEEN, limit)]
        if not found:
            return []
        counts = self._store.projections.timeless(PROJECTION, _PER_LAYOUT, found)
        counts |= self._store.projections.timeless(PROJECTION, [counted.FAMILY_OF + layout for layout in found])
        return [self._profile(layout, counts) for layout in found]

    def _profile(self, layout: str, counts: Mapping[str, Mapping[str, int]]) -> LayoutProfile:
        numbers = [counts.get(name, {}).get(layout, 0) for name in _PER_LAYOUT]
        seen, examples, extractions, corrected, pages, tables, coverage = numbers
        named = counts.get(counted.FAMILY_OF + layout, {})
        first, last = (self._seen_at(layout, newest_first=newest) for newest in (False, True))
        averages = {"page_count": pages, "table_count": tables, "text_coverage_ratio": coverage / counted.MILLION}
        return LayoutProfile(
            layout=layout,
            family=max(named, key=lambda family: (named[family], family)) if named else None,
            seen_count=seen,
            example_count=examples,
            extractions=extractions,
            corrected=corrected,
            created_at=None if first is None else first.at,
            last_seen_at=None if last is None else last.at,
            stats={name: round(total / seen, 4) for name, total in averages.items()} if seen else {},
        )

    def _seen_at(self, layout: str, *, newest_first: bool) -> Event | None:
        """The first or the last document of a layout, or, of programs that only report corrections, act."""
        of = EventFilter(kind=RECEIVED, entity=Entity(LAYOUT, layout), newest_first=newest_first)
        found = self._log.page(of, None, 1) or self._log.page(
            EventFilter(layout=layout, newest_first=newest_first), None, 1
        )
        return found[0] if found else None

    # Families of layouts

    def family(self, features: Features) -> FamilyMatch | None:
        """The family that a document with these features belongs to."""
        names = [f"{counted.FEATURE}{token}" for token in features.tokens]
        rows = self._store.projections.timeless(PROJECTION, names)
        near = {name.removeprefix(counted.FEATURE): families for name, families in rows.items()}
        families = sorted({family for row in near.values() for family in row})
        sizes = self._store.projections.timeless(PROJECTION, [counted.FAMILIES], families) if families else {}
        return best_family(features, near, sizes.get(counted.FAMILIES, {}))

    def taught(self, family: str, limit: int) -> list[str]:
        """The drafts of a family that people corrected or confirmed, newest first."""
        found = self._store.projections.newest(PROJECTION, counted.TAUGHT + family, 4 * limit)
        return list(dict.fromkeys(count.key for count in found))[:limit]

    def customers(self, family: str) -> tuple[CustomerCandidate, ...]:
        """Whose documents those of a family were, most frequent first."""
        found = self._store.projections.largest(PROJECTION, counted.CUSTOMERS + family, _CANDIDATES)
        return tuple(CustomerCandidate(count.key, count.value) for count in found if count.value > 0)


def layout_of(event: Event) -> str:
    return "" if event.entity is None else event.entity.id


def family_of(event: Event) -> str:
    family: Any = event.after.get("family")
    return family if isinstance(family, str) else event.id

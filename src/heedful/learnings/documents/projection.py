"""What is counted of documents: layouts and their families, corrections by field and day, confidence, uses of mappings.

The index by which a layout is recognised again is made of counters as well: for each feature, how many documents of
each family have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from heedful.records import mapping
from heedful.records.document import (
    CORRECTIONS,
    CUSTOMER_SELECTED,
    DRAFT,
    DRAFT_CONFIRMED,
    EXTRACTED,
    FIELD_CORRECTED,
    LAYOUT,
    RECEIVED,
)
from heedful.records.event import Event
from heedful.records.names import ID_LIMIT
from heedful.store.counting import CountingProjection, Counts

PROJECTION = "documents"

ACTS = (mapping.CONFIRMED, mapping.REJECTED, *CORRECTIONS, CUSTOMER_SELECTED)
"""What people do with extractions: the feedback that analytics are about."""

# The names of counters per day
ACT = "act"
FIELD = "field"
DOCUMENTS_PER_DAY = "documents"
EXTRACTIONS = "extractions"
CORRECTED = "corrected"
CONFIDENCE = "confidence"
"""The sum, in millionths."""

# Timeless ones, by layout
SEEN = "layout.seen"
EXAMPLES = "layout.examples"
LAYOUT_EXTRACTIONS = "layout.extractions"
LAYOUT_CORRECTED = "layout.corrected"
PAGES, TABLES, COVERAGE = "layout.pages", "layout.tables", "layout.coverage"
FAMILY_OF = "layout.family/"

# By family
FAMILIES = "families"
FEATURE = "feature/"
CUSTOMERS = "customers/"
TAUGHT = "taught/"
"""Per day: the drafts of a family that people corrected or confirmed."""

USED = "used/"
"""Per day: uses of a mapping."""

MILLION = 1_000_000
_MOST_FIELDS = 20


def _fold(events: Sequence[Event], counts: Counts) -> None:
    for event in events:
        if event.kind in ACTS:
            _act(event, counts)
        elif event.kind == RECEIVED:
            _received(event, counts)
        elif event.kind == EXTRACTED:
            _extracted(event, counts)
        elif event.kind == DRAFT_CONFIRMED:
            _taught(event, counts)


def _act(event: Event, counts: Counts) -> None:
    day = event.at.date()
    counts.count(ACT, event.kind, day)
    if event.layout is not None:
        counts.count(EXAMPLES, event.layout)
    if event.kind in CORRECTIONS:
        for field in corrected_fields(event):
            counts.count(FIELD, field, day)
        if event.meta.get("first") is True:
            counts.count(CORRECTED, "", _extracted_on(event))
            if event.layout is not None:
                counts.count(LAYOUT_CORRECTED, event.layout)
        _taught(event, counts)
    family, customer = _text(event.meta, "family"), _text(event.after, "customer_id")
    if event.kind == CUSTOMER_SELECTED and family and customer:
        counts.count(CUSTOMERS + family, customer)
        if before := _text(event.meta, "instead_of"):
            counts.count(CUSTOMERS + family, before, by=-1)


def corrected_fields(event: Event) -> list[str]:
    """The fields that a correction changed: named in it, or the keys of its payloads."""
    before, after = event.before, event.after
    if event.kind == FIELD_CORRECTED and (field := _text(after, "field")):
        return [field]
    keys = sorted({*before, *after} - {"field", "line", "line_id"})
    changed = [key for key in keys if before.get(key) != after.get(key) and _is_key(key)]
    return changed[:_MOST_FIELDS]


def _extracted_on(event: Event) -> date:
    """The day of the extraction that was corrected: of it this is a share, whenever it was corrected."""
    try:
        return date.fromisoformat(_text(event.meta, "extracted_on"))
    except ValueError:  # a program did not tell
        return event.at.date()


def _taught(event: Event, counts: Counts) -> None:
    family = _text(event.meta, "family")
    if family and event.entity is not None and event.entity.kind == DRAFT:
        counts.count(TAUGHT + family, event.entity.id, event.at.date())


def _received(event: Event, counts: Counts) -> None:
    counts.count(DOCUMENTS_PER_DAY, "", event.at.date())
    if event.entity is None or event.entity.kind != LAYOUT:
        return
    layout, after, meta = event.entity.id, event.after, event.meta
    counts.count(SEEN, layout)
    counts.count(PAGES, layout, by=_number(after, "page_count"))
    counts.count(TABLES, layout, by=_number(after, "table_count"))
    counts.count(COVERAGE, layout, by=_number(after, "text_coverage_ratio", MILLION))
    if family := _text(after, "family"):
        counts.count(FAMILIES, family)
        counts.count(FAMILY_OF + layout, family)
        for feature in meta.get("features", ()):
            counts.count(f"{FEATURE}{feature}", family)
        if customer := _text(after, "customer"):
            counts.count(CUSTOMERS + family, customer)


def _extracted(event: Event, counts: Counts) -> None:
    day, meta = event.at.date(), event.meta
    counts.count(EXTRACTIONS, "", day)
    counts.count(CONFIDENCE, "", day, by=_number(event.after, "confidence", MILLION))
    if layout := _text(meta, "layout"):
        counts.count(LAYOUT_EXTRACTIONS, layout)
    for id in meta.get("mappings", ()):
        counts.count(f"{USED}{id}", "", day)


def _text(values: Any, name: str) -> str:
    """A short text that fits every database; programs may record anything."""
    value = values.get(name)
    return value if isinstance(value, str) and _is_key(value) else ""


def _is_key(value: str) -> bool:
    return len(value) <= ID_LIMIT and value.isprintable()


def _number(values: Any, name: str, times: int = 1) -> int:
    value = values.get(name, 0)
    return round(value * times) if isinstance(value, int | float) and not isinstance(value, bool) else 0


DOCUMENTS = CountingProjection(PROJECTION, version=1, count=_fold, kinds=(*ACTS, RECEIVED, EXTRACTED, DRAFT_CONFIRMED))

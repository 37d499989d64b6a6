"""Orders whose words are given, people who correct what was extracted, and ways to look at what is derived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import heedful
from heedful.records import mapping
from heedful.records.document import CUSTOMER_SELECTED, FIELD_CORRECTED, LINE_CORRECTED, Document, DocumentDraft
from heedful.store.health import inspect

FEEDBACK = {mapping.CONFIRMED, mapping.REJECTED, LINE_CORRECTED, FIELD_CORRECTED, CUSTOMER_SELECTED}
"""The acts of people that the specification counts."""

A4 = (595.0, 842.0)
_CHARACTER, _HEIGHT = 0.0085, 0.0107  # of 9 points on A4, as shares of the page
_COLUMNS = (0.08, 0.14, 0.30, 0.60, 0.68, 0.76, 0.87)
_HEADING = ("Pos", "Item", "Description", "Qty", "Unit", "Price", "Amount")

Row = Sequence[tuple[float, str]]
Line = tuple[str, str, int, float]
"""Article number, description, quantity and price."""

LINES: tuple[Line, ...] = (
    ("ABC-123", "Brass screw", 10, 1.5),
    ("ABC-124", "Steel washer", 20, 2.5),
    ("ABC-125", "Copper rivet", 30, 3.5),
)


def page(rows: Iterable[tuple[float, Row]], size: tuple[float, float] = A4) -> dict[str, Any]:
    """A page of texts: how far down, and in each row how far to the right they begin."""
    words = [word for y, row in rows for x, text in row for word in _words(x, y, text)]
    return {"width": size[0], "height": size[1], "words": words}


def _words(x: float, y: float, text: str) -> Iterable[list[Any]]:
    for word in text.split():
        end = x + _CHARACTER * len(word)
        yield [round(x, 4), y, round(end, 4), round(y + _HEIGHT, 4), word]
        x = end + _CHARACTER


def order(
    number: int = 4711,
    *,
    lines: Sequence[Line] = LINES,
    size: tuple[float, float] = A4,
    supplier: str = "Nordwind Trading Ltd",
    note: str = "",
) -> list[dict[str, Any]]:
    """The pages of an order. Orders with numbers of four digits and the same lines look the same."""
    rows: list[tuple[float, Row]] = [
        (0.05, [(0.08, supplier), (0.60, f"www.{supplier.partition(' ')[0].lower()}.example")]),
        (0.07, [(0.08, "12 Harbour Road, 4020 Linz")]),
        (0.14, [(0.08, "Purchase order")]),
        (0.17, [(0.08, f"Order number: {number}"), (0.60, "Date: 2026-01-05")]),
        (0.24, list(zip(_COLUMNS, _HEADING, strict=True))),
        *((0.27 + 0.02 * place, _cells(place, line)) for place, line in enumerate(lines)),
        (0.30 + 0.02 * len(lines), [(0.68, "Total:"), (0.87, f"{sum(one[2] * one[3] for one in lines):.2f}")]),
        (0.90, [(0.08, note)]),
    ]
    return [page(rows, size)]


def _cells(place: int, line: Line) -> Row:
    sku, description, qty, price = line
    texts = (str(place + 1), sku, description, str(qty), "pcs", f"{price:.2f}", f"{qty * price:.2f}")
    return list(zip(_COLUMNS, texts, strict=True))


def received(loop: heedful.Loop, number: int = 4711, **given: Any) -> Document:
    """An order that came in."""
    looks = {name: given.pop(name) for name in ("lines", "size", "supplier", "note") if name in given}
    return loop.capture.document_words(order(number, **looks), **given)


def extracted(loop: heedful.Loop, number: int = 4711, **given: Any) -> DocumentDraft:
    return loop.apply.extract(received(loop, number, **given))


def added(loop: heedful.Loop, draft: DocumentDraft | str, **values: Any) -> tuple[DocumentDraft, int]:
    """The draft with one line more, and its number."""
    changed = loop.capture.line_added(draft, **values)
    return changed, changed.lines[-1].number


def feedback(loop: heedful.Loop, kind: str | None = None) -> list[heedful.Event]:
    """What people did with extractions, oldest first."""
    return [event for event in loop.events() if event.kind in (FEEDBACK if kind is None else {kind})]


def values(draft: DocumentDraft) -> tuple[Mapping[str, Any], dict[int, Mapping[str, Any]]]:
    return draft.values, {line.number: line.values for line in draft.lines}


def derived(loop: heedful.Loop) -> dict[str, Any]:
    """All that anybody can see that is derived from the log."""
    return {
        "layouts": loop.learn.layouts.list(),
        "mappings": list(loop.learn.mappings.all(state=None)),
        "analytics": loop.measure.learning("2025-01-01", "2030-12-31"),
        "documents": list(loop.learn.documents.all()),
    }


def check_sound(loop: heedful.Loop) -> None:
    """`heedful doctor` derives everything again from the log, and finds what is stored."""
    assert [finding for finding in inspect(loop.store) if finding.status == "failure"] == []

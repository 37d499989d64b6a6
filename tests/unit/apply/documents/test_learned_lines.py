"""Corrected lines teach columns, rows and how numbers are read."""

from __future__ import annotations

from heedful.apply.documents.extraction import extracted
from heedful.records.document import DocumentText, Extraction, Value
from tests.unit.apply.documents.pages import Text, document, example

_LABELS: list[Text] = [
    *((0.08, 0.30, "Item no."), (0.22, 0.30, "Description"), (0.50, 0.30, "Ordered"), (0.60, 0.30, "Sent")),
    *((0.72, 0.30, "Price"), (0.85, 0.30, "Amount")),
]
Row = tuple[str, str, str, str, str, str]
_FIRST: list[Row] = [("A-1", "Valve", "5", "4", "2.50", "10.00"), ("A-2", "Seal", "9", "9", "1.00", "9.00")]
_SECOND: list[Row] = [("B-7", "Gasket", "8", "6", "1.50", "9.00"), ("B-8", "Flange", "3", "3", "20.00", "60.00")]


def _page(rows: list[Row], *more: Text, labels: bool = True) -> DocumentText:
    texts: list[Text] = [(0.1, 0.05, "Marsh Supply Ltd"), (0.6, 0.05, "Invoice no. 4711"), *(_LABELS if labels else ())]
    for at, row in enumerate(rows):
        y = 0.33 + 0.03 * at
        for right, text in zip((0, 0, 0.54, 0.63, 0.77, 0.92), row, strict=True):
            left = right - 0.009 * len(text) if right else 0.08 if text == row[0] else 0.22
            texts.append((left, y, text))
    return document([*texts, *more, (0.6, 0.7, "Total"), (0.86, 0.7, "69.00")])


def _line(row: Row, qty: float) -> dict[str, Value | None]:
    return {"sku": row[0], "description": row[1], "qty": qty, "price": float(row[4]), "amount": float(row[5])}


def _lines(found: Extraction) -> list[dict[str, Value | None]]:
    return [{field: one.value for field, one in line.items()} for line in found.lines]


def test_a_corrected_column_is_taken_from_now_on() -> None:
    assert [line["qty"] for line in _lines(extracted(_page(_FIRST), ()))] == [5, 9]
    taught = example(_page(_FIRST), {}, ["lines.qty"], lines=[_line(_FIRST[0], 4), _line(_FIRST[1], 9)])
    found = extracted(_page(_SECOND), [taught])
    assert _lines(found) == [_line(_SECOND[0], 6), _line(_SECOND[1], 3)]
    quantity, price = found.lines[0]["qty"], found.lines[0]["price"]
    assert (quantity.source, quantity.taught_by) == ("learned", ("e1.lines.qty",))
    assert (price.source, price.taught_by) == ("label", ())


def test_rows_that_people_removed_are_left_out() -> None:
    pallet: Row = ("P-0", "Pallet deposit", "1", "1", "7.00", "7.00")
    first, second = [*_FIRST, pallet], [*_SECOND, pallet]
    assert len(extracted(_page(second), ()).lines) == 3
    taught = example(_page(first), {}, ["lines.removed"], lines=[_line(row, float(row[2])) for row in _FIRST])
    assert [line["sku"] for line in _lines(extracted(_page(second), [taught]))] == ["B-7", "B-8"]


def test_rows_that_the_rules_miss_are_found_as_in_the_example() -> None:
    """Without column labels, and with prices before a discount, nothing multiplies out."""
    first: list[Row] = [("A-1", "Valve", "5", "4", "2.50", "8.01"), ("A-2", "Seal", "9", "8", "1.00", "6.13")]
    second: list[Row] = [("B-7", "Gasket", "8", "7", "1.50", "7.47"), ("B-8", "Flange", "3", "2", "20.00", "39.10")]
    assert extracted(_page(second, labels=False), ()).lines == ()
    taught = example(_page(first, labels=False), {}, ["lines.removed"], lines=[_line(first[0], 4), _line(first[1], 8)])
    found = extracted(_page(second, labels=False), [taught])
    assert _lines(found) == [_line(second[0], 7), _line(second[1], 2)]


def test_quantities_are_read_as_people_read_them() -> None:
    first: list[Row] = [("A-1", "Valve", "4.000", "", "2.50", "10.00"), ("A-2", "Seal", "9.000", "", "1.00", "9.00")]
    second: list[Row] = [("B-7", "Gasket", "6.000", "", "1.50", "9.00")]
    whole = example(_page(first), {}, lines=[_line(first[0], 4), _line(first[1], 9)])
    thousands = example(_page(first), {}, ["lines.qty"], lines=[_line(first[0], 4000), _line(first[1], 9000)])
    assert _lines(extracted(_page(second), [whole]))[0]["qty"] == 6
    assert _lines(extracted(_page(second), [thousands]))[0]["qty"] == 6000


def test_a_label_under_the_description_is_no_part_of_it() -> None:
    note: Text = (0.22, 0.346, "packed in oak crates")
    taught = example(
        _page(_FIRST, note), {}, ["lines.description"], lines=[_line(row, float(row[2])) for row in _FIRST]
    )
    assert _lines(extracted(_page(_SECOND, note), ()))[0]["description"] == "Gasket packed in oak crates"
    assert _lines(extracted(_page(_SECOND, note), [taught]))[0]["description"] == "Gasket"


def test_a_misread_label_costs_no_column_where_examples_know_it() -> None:
    right = example(_page(_FIRST), {}, lines=[_line(row, float(row[2])) for row in _FIRST])
    words = _page(_SECOND).pages[0].words
    misread = tuple(word._replace(text="Pnce") if word.text == "Price" else word for word in words)
    text = DocumentText((_page(_SECOND).pages[0]._replace(words=misread),), 0, 0.1)
    assert "price" not in _lines(extracted(text, ()))[0]
    assert _lines(extracted(text, [right])) == [_line(row, float(row[2])) for row in _SECOND]


def test_lines_that_the_rules_get_right_stay_as_they_are() -> None:
    right = example(_page(_FIRST), {}, lines=[_line(row, float(row[2])) for row in _FIRST])
    assert extracted(_page(_SECOND), [right]).lines == extracted(_page(_SECOND), ()).lines


def test_a_layout_without_lines_has_none() -> None:
    none = example(_page(_FIRST), {}, ["lines.removed"], lines=[])
    assert extracted(_page(_SECOND), [none]).lines == ()

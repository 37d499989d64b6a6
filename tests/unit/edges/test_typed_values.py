"""What people type into the fields of a document, and where a typed value is printed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from heedful.edges.web.paper import paper, printed_at
from heedful.edges.web.shown_values import label, shown
from heedful.errors import InvalidInput
from heedful.records.document import Box, DocumentDraft, DocumentText, DraftStatus, Found, PageText, Value, Word
from heedful.text.typed_values import Notation


def _draft(**fields: tuple[Value, str]) -> DocumentDraft:
    found = {name: Found(value, 0.9, text) for name, (value, text) in fields.items()}
    now = datetime(2025, 1, 1, tzinfo=UTC)
    return DocumentDraft("d", "doc", now, DraftStatus.OPEN, "local", 0.9, "l", "f", None, (), found, (), ())


_GERMAN = Notation.of(_draft(grand_total=(1234.5, "1.234,50"), issue_date=("2025-03-02", "02.03.2025")))
_AMERICAN = Notation.of(_draft(grand_total=(1234.5, "$1,234.50"), issue_date=("2025-02-03", "02/03/2025")))
_UNKNOWN = Notation()


@pytest.mark.parametrize(
    ("notation", "typed", "meant"),
    [
        (_GERMAN, "1.000", 1000),
        (_AMERICAN, "1.000", 1),
        (_AMERICAN, "1,000", 1000),
        (_UNKNOWN, "1.234,50", 1234.5),
        (_UNKNOWN, "1,234.50", 1234.5),
        (_GERMAN, "12,5", 12.5),
        (_GERMAN, "12.5", 12.5),
        (_GERMAN, "-3", -3),
        (_UNKNOWN, "1 234,50", 1234.5),
        (_UNKNOWN, "12\u202f345 \u20ac", 12345),
        (_GERMAN, " 12 Stk ", 12),
        (_GERMAN, "  ", None),
    ],
)
def test_numbers_are_understood_as_the_document_writes_them(notation: Notation, typed: str, meant: object) -> None:
    assert notation.understood(typed, "qty") == meant


@pytest.mark.parametrize(
    ("notation", "typed", "meant"),
    [
        (_GERMAN, "04.03.2025", "2025-03-04"),
        (_AMERICAN, "04/03/2025", "2025-04-03"),
        (_AMERICAN, "2025-04-03", "2025-04-03"),
        (_UNKNOWN, "3 March 2025", "2025-03-03"),
    ],
)
def test_dates_are_understood_as_the_document_writes_them(notation: Notation, typed: str, meant: str) -> None:
    assert notation.understood(typed, "due_date") == meant


def test_what_is_neither_number_nor_date_is_refused_and_texts_stay() -> None:
    for field, typed in (("qty", "many"), ("grand_total", "12 of 13"), ("due_date", "soon")):
        with pytest.raises(InvalidInput, match=label(field)):
            _UNKNOWN.understood(typed, field, None, label(field))
    assert _UNKNOWN.understood("0012", "sku") == "0012"
    assert _UNKNOWN.understood("12", "points", 7) == 12  # a number before


def test_money_has_two_decimals_and_quantities_only_those_they_need() -> None:
    assert [shown(value, "price") for value in (11.2, 112, 0.0125, None)] == ["11.20", "112.00", "0.0125", ""]
    assert [shown(value, "qty") for value in (2.5, 10, 1000000)] == ["2.5", "10", "1000000"]
    for value in (11.2, 112, 0.0125):
        assert _UNKNOWN.understood(shown(value, "price"), "price") == value


def _row(y: float, *texts: str) -> list[Word]:
    return [Word(0.1 * place, y, 0.1 * place + 0.08, y + 0.01, text) for place, text in enumerate(texts)]


_TEXT = DocumentText(
    (
        PageText(595, 842, (*_row(0.1, "Muster", "GmbH", "24.12.2025"), *_row(0.2, "A-1", "4", "1.234,50"))),
        PageText(595, 842, tuple(_row(0.3, "A-2", "4", "7,00"))),
    ),
    1,
    0.1,
)


def test_a_typed_value_is_found_where_it_is_printed() -> None:
    for value, page, y in (("muster gmbh", 1, 0.1), ("2025-12-24", 1, 0.1), (1234.5, 1, 0.2), (7, 2, 0.3), (4, 1, 0.2)):
        found = printed_at(_TEXT, value, None)
        assert found is not None
        assert (found.page, found.box.y0) == (page, y)
    near = printed_at(_TEXT, "A-2", None)
    beside = printed_at(_TEXT, 4, near)
    assert beside is not None
    assert (beside.page, beside.box.y0) == (2, 0.3)
    assert printed_at(_TEXT, "nowhere", None) is None


def test_a_page_that_is_not_there_is_the_last_one() -> None:
    assert [paper(_TEXT, number).number for number in (0, 1, 2, 9)] == [1, 1, 2, 2]
    assert paper(_TEXT, 1).rect(Box(0.0, 0.5, 0.5, 0.51))[:2] == ("-1.3", "419.7")


def test_what_can_be_read_in_two_ways_is_refused_if_the_document_does_not_tell() -> None:
    for field, typed, ways in (
        ("qty", "1.194", "1194, or 1.1940"),
        ("due_date", "03/04/2025", "2025-04-03, or 2025-03-04"),
    ):
        with pytest.raises(InvalidInput, match="two ways") as refused:
            _UNKNOWN.understood(typed, field)
        assert ways in refused.value.hint

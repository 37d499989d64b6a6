"""Fields and lines of a document of a layout that nobody corrected."""

from __future__ import annotations

from random import Random

import pytest

from heedful.apply.documents.extraction import extracted
from heedful.records.document import DocumentText, Extraction, PageText, Value, Word
from tests.effort import at_most
from tests.unit.apply.documents.pages import Text, document

_INVOICE: list[Text] = [
    (0.08, 0.05, "Harrow Bearings Ltd"),
    (0.08, 0.07, "4 Mill Road, Ansley AN4 7QT"),
    (0.08, 0.15, "Bill to"),
    (0.08, 0.17, "Dunmore Pumps Ltd"),
    (0.08, 0.19, "12 Dock Street"),
    (0.08, 0.21, "Ansley AN1 2BC"),
    (0.60, 0.15, "Invoice No."),
    (0.80, 0.15, "HB-20391"),
    (0.60, 0.17, "Invoice date: 14 March 2023"),
    (0.60, 0.19, "Due date"),
    (0.80, 0.19, "13/04/2023"),
    (0.60, 0.21, "Purchase order:PO-7781"),
    (0.60, 0.23, "Customer no."),
    (0.80, 0.23, "D-1180"),
]
_TABLE: list[Text] = [
    (0.08, 0.35, "Item no."),
    (0.22, 0.35, "Description"),
    (0.55, 0.35, "Qty"),
    (0.63, 0.35, "Unit"),
    (0.72, 0.35, "Price"),
    (0.85, 0.35, "Amount"),
    (0.08, 0.38, "B-6204"),
    (0.22, 0.38, "Ball bearing sealed on"),
    (0.56, 0.38, "10"),
    (0.63, 0.38, "pcs"),
    (0.73, 0.38, "4.20"),
    (0.86, 0.38, "42.00"),
    (0.22, 0.395, "both sides"),
    (0.08, 0.43, "B-6210"),
    (0.22, 0.43, "Ball bearing"),
    (0.565, 0.43, "2"),
    (0.63, 0.43, "pcs"),
    (0.72, 0.43, "11.50"),
    (0.86, 0.43, "23.00"),
]
_TOTALS: list[Text] = [
    (0.22, 0.46, "Carriage"),
    (0.86, 0.46, "10.00"),
    (0.60, 0.52, "Net total"),
    (0.86, 0.52, "75.00"),
    (0.60, 0.54, "VAT 20 %"),
    (0.86, 0.54, "15.00"),
    (0.60, 0.56, "Total GBP"),
    (0.86, 0.56, "90.00"),
    (0.08, 0.93, "Harrow Bearings Ltd VAT no. GB123456789 IBAN GB82 WEST 1234 5698 7654 32"),
]
_LINES = [
    {"sku": "B-6204", "description": "Ball bearing sealed on both sides"}
    | {"qty": 10, "uom": "pcs", "price": 4.2, "amount": 42},
    {"sku": "B-6210", "description": "Ball bearing", "qty": 2, "uom": "pcs", "price": 11.5, "amount": 23},
]


def _values(found: Extraction) -> dict[str, Value | None]:
    return {field: one.value for field, one in found.fields.items()}


def _lines(found: Extraction) -> list[dict[str, Value | None]]:
    return [{field: one.value for field, one in line.items()} for line in found.lines]


def test_fields_are_found_by_labels_shapes_and_positions() -> None:
    found = extracted(document([*_INVOICE, *_TABLE, *_TOTALS]), ())
    assert _values(found) == {
        "invoice_number": "HB-20391",
        "order_number": "PO-7781",
        "issue_date": "2023-03-14",
        "due_date": "2023-04-13",
        "seller": "Harrow Bearings Ltd",
        "buyer": "Dunmore Pumps Ltd",
        "customer_number": "D-1180",
        "currency": "GBP",
        "net_total": 75,
        "tax_total": 15,
        "grand_total": 90,
        "vat_id": "GB123456789",
        "iban": "GB82 WEST 1234 5698 7654 32",
    }
    assert found.method == "local"


def test_a_field_tells_where_it_stands_and_how_it_was_found() -> None:
    number = extracted(document(_INVOICE), ()).fields["invoice_number"]
    assert (number.text, number.page, number.source, number.taught_by) == ("HB-20391", 1, "label", ())
    assert number.box is not None
    assert (round(number.box.x0, 2), round(number.box.y0, 2)) == (0.80, 0.15)
    assert 0.5 < number.confidence < 1


def test_lines_are_read_by_column_and_wrapped_descriptions_are_joined() -> None:
    assert _lines(extracted(document([*_INVOICE, *_TABLE, *_TOTALS]), ())) == _LINES


def test_a_table_goes_on_on_the_next_page() -> None:
    header, rows = _TABLE[:6], _TABLE[13:]
    found = extracted(document([*_INVOICE, *_TABLE], [*header, *rows, *_TOTALS]), ())
    assert _lines(found) == [*_LINES, _LINES[1]]
    assert found.lines[2]["sku"].page == 2


def test_rows_that_multiply_out_are_lines_without_column_labels() -> None:
    found = extracted(document([*_INVOICE, *_TABLE[6:], *_TOTALS]), ())
    assert [(line["qty"], line["price"], line["amount"]) for line in _lines(found)] == [(10, 4.2, 42), (2, 11.5, 23)]


@pytest.mark.parametrize(
    ("texts", "field", "value"),
    [
        ([(0.1, 0.1, "Invoice #12-88")], "invoice_number", "12-88"),
        ([(0.1, 0.1, "Rechnungs-Nr."), (0.3, 0.1, "Datum"), (0.1, 0.12, "4711")], "invoice_number", "4711"),
        ([(0.1, 0.1, "Rechnung Nr. 4711 vom 05.03.2018")], "issue_date", "2018-03-05"),
        ([(0.1, 0.13, "Échéance"), (0.3, 0.13, "5 avril 2018")], "due_date", "2018-04-05"),
        ([(0.1, 0.5, "Totale da pagare"), (0.5, 0.5, "1.234,50")], "grand_total", 1234.5),
        ([(0.1, 0.5, "Totaal excl. btw"), (0.5, 0.5, "99,00")], "net_total", 99),
        ([(0.1, 0.13, "Moneda: EUR")], "currency", "EUR"),
        ([(0.1, 0.13, "Nº cliente"), (0.3, 0.13, "C4711")], "customer_number", "C4711"),
    ],
)
def test_labels_of_seven_languages(texts: list[Text], field: str, value: Value) -> None:
    assert _values(extracted(document(texts), ()))[field] == value


def test_totals_that_add_up_win_over_labels_and_are_surer() -> None:
    texts: list[Text] = [
        *((0.5, 0.50, "Net"), (0.8, 0.50, "100.00"), (0.5, 0.52, "VAT"), (0.8, 0.52, "20.00")),
        *((0.5, 0.54, "Total amount"), (0.8, 0.54, "120.00"), (0.5, 0.56, "Total amount"), (0.8, 0.56, "50.00")),
    ]
    fields = extracted(document(texts), ()).fields
    assert fields["grand_total"].value == 120
    assert fields["grand_total"].confidence > extracted(document(texts[4:]), ()).fields["grand_total"].confidence


def test_an_order_is_sent_by_the_buyer() -> None:
    order: list[Text] = [
        *((0.6, 0.04, "Dunmore Pumps Ltd"), (0.1, 0.12, "Harrow Bearings Ltd"), (0.1, 0.14, "4 Mill Road")),
        *((0.1, 0.16, "Ansley AN4 7QT"), (0.1, 0.25, "Purchase Order"), (0.1, 0.28, "Order no. 7781")),
    ]
    values = _values(extracted(document(order), ()))
    assert (values["buyer"], values["seller"]) == ("Dunmore Pumps Ltd", "Harrow Bearings Ltd")
    assert values["order_number"] == "7781"
    assert "invoice_number" not in values


@pytest.mark.parametrize(
    "text",
    [
        DocumentText((), 0, 0.0),
        document([]),
        DocumentText((PageText(595.0, 842.0, (Word(0.0, 0.0, 1.0, 1.0, "Invoice No. 4711 " * 5_000),)),), 0, 1.0),
        DocumentText(
            (PageText(0.0, 0.0, (Word(0.5, 0.5, 0.5, 0.5, "Total"), Word(0.5, 0.5, 0.5, 0.5, "٣٫١٤"))),), 0, 0.0
        ),
        document([(0.7, 0.1, "فاتورة"), (0.5, 0.1, "١٢٣٤٥"), (0.3, 0.1, "₪1,234.50")]),
    ],
)
def test_odd_documents_have_no_lines_and_raise_nothing(text: DocumentText) -> None:
    assert extracted(text, ()).lines == ()


def test_a_document_with_very_many_words_takes_a_few_seconds_at_most() -> None:
    chance = Random(1)
    vocabulary = ["Invoice", "Total", "12.50", "1,234.56", "05.03.2018", "GmbH", "IBAN", "Qty", "Price", "Nr.", "4711"]
    words = [
        Word(x := chance.random(), y := chance.random(), x + 0.05, y + 0.01, chance.choice(vocabulary))
        for _ in range(20_000)
    ]
    with at_most(10):
        extracted(DocumentText((PageText(595.0, 842.0, tuple(words)),), 0, 0.5), ())


def test_a_page_is_extracted_fast() -> None:
    prose: list[Text] = [
        (0.1, 0.6 + 0.02 * at, "Goods remain our property until they are paid in full") for at in range(16)
    ]
    extracted(document(_INVOICE), ())  # reads the labels once
    with at_most(0.15):
        extracted(document([*_INVOICE, *_TABLE, *_TOTALS, *prose]), ())

"""What people corrected in one document is right in the next of its layout, and what was right stays right."""

from __future__ import annotations

import pytest

from heedful.apply.documents.extraction import extracted
from heedful.records.document import DocumentText, Example, Found, Value
from tests.unit.apply.documents.pages import Text, document, example, moved

_SELLER = "Orvell & Fitch Instruments"


def _letter(
    number: str = "K7/3381", day: str = "2 June 2023", total: str = "812.40", seller: str = _SELLER
) -> list[Text]:
    """A layout with labels that no rule knows, and the seller at the foot."""
    return [
        (0.1, 0.10, "Brandt Maritime Ltd"),
        (0.1, 0.12, "9 Harbour Walk"),
        (0.1, 0.14, "Colby CO7 1XY"),
        (0.6, 0.10, "Slip"),
        (0.75, 0.10, number),
        (0.6, 0.12, "Left our yard"),
        (0.75, 0.12, "30 May 2023"),
        (0.6, 0.14, "Written"),
        (0.75, 0.14, day),
        (0.1, 0.25, "For the work described in our offer we ask you to transfer"),
        (0.1, 0.27, "the whole sum"),
        (0.4, 0.27, total),
        (0.1, 0.29, "of which already settled"),
        (0.4, 0.29, "100.00"),
        (0.1, 0.60, "Yours faithfully"),
        (0.3, 0.93, seller),
        (0.3, 0.95, "Dock 4, Colby"),
    ]


_FIRST = document(_letter())
_SECOND = _letter("K7/3415", "19 July 2023", "96.10")


def _taught(field: str, value: Value | None, text: DocumentText = _FIRST, event: str = "e1") -> Example:
    return example(text, {field: value}, [field], event=event)


def _found(field: str, text: DocumentText, *examples: Example) -> Found | None:
    return extracted(text, examples).fields.get(field)


def _value(field: str, text: DocumentText, *examples: Example) -> Value | None:
    found = _found(field, text, *examples)
    return None if found is None else found.value


@pytest.mark.parametrize(
    ("field", "before", "after"),
    [
        ("invoice_number", "K7/3381", "K7/3415"),
        ("issue_date", "2023-06-02", "2023-07-19"),
        ("delivery_date", "2023-05-30", "2023-05-30"),
        ("grand_total", 812.4, 96.1),
        ("slip", "K7/3381", "K7/3415"),
        ("settled", 100, 100),
    ],
)
def test_one_correction_is_enough_for_the_next_document(field: str, before: Value, after: Value) -> None:
    found = _found(field, document(_SECOND), _taught(field, before))
    assert found is not None
    assert (found.value, found.source, found.taught_by) == (after, "learned", (f"e1.{field}",))
    assert found.box is not None


def test_a_layout_that_is_shifted_on_the_page_is_the_same_layout() -> None:
    shifted = document(moved(_SECOND, right=0.04, down=0.06))
    assert _value("invoice_number", shifted, _taught("invoice_number", "K7/3381")) == "K7/3415"
    assert _value("grand_total", shifted, _taught("grand_total", 812.4)) == 96.1


def test_a_value_that_is_a_part_of_a_word_is_found_again() -> None:
    first, second = document(_letter("Nr.471102")), document(_letter("Nr.471398"))
    assert _value("invoice_number", second, _taught("invoice_number", "471102", first)) == "471398"


def test_a_value_over_several_rows_is_found_again() -> None:
    def page(*names: str) -> DocumentText:
        rows = [(0.1, 0.30 + 0.015 * at, name) for at, name in enumerate(names)]
        return document([*_letter(), (0.1, 0.28, "Work carried out for"), *rows])

    first = page("Harbour Board", "of Colby")
    assert (
        _value("site", page("Lighthouse", "Trust"), _taught("site", "Harbour Board of Colby", first))
        == "Lighthouse Trust"
    )


def test_day_and_month_are_read_as_people_read_them() -> None:
    first, second = document(_letter(day="03/05/2023")), document(_letter(day="04/06/2023"))
    assert _value("issue_date", second, _taught("issue_date", "2023-03-05", first)) == "2023-04-06"
    assert _value("issue_date", second, _taught("issue_date", "2023-05-03", first)) == "2023-06-04"


# Values that stay the same


@pytest.mark.parametrize(
    "misread", ["0rvell & Fitch Instruments", "Orvel1 & Fitch Instrum ents", "Orve & Fitch lnstruments"]
)
def test_a_corrected_name_is_right_although_recognition_got_letters_wrong(misread: str) -> None:
    found = _found("seller", document(_letter(seller=misread)), _taught("seller", _SELLER))
    assert found is not None
    assert found.value == _SELLER
    assert found.taught_by == ("e1.seller",)


def test_a_corrected_name_that_is_not_printed_is_known_from_the_layout() -> None:
    found = _found("seller", document(_SECOND), _taught("seller", "OFI Group plc"))
    assert found is not None
    assert (found.value, found.box) == ("OFI Group plc", None)


def test_a_company_with_another_legal_form_is_another_company() -> None:
    first, second = (document(_letter(seller=f"Orvell Instruments {form}")) for form in ("Ltd", "GmbH"))
    assert _value("seller", second, _taught("seller", "Orvell Instruments Ltd", first)) == "Orvell Instruments GmbH"


def test_a_number_is_not_believed_to_be_constant_from_two_examples() -> None:
    examples = [_taught("order_number", "A-17", event="e1"), _taught("order_number", "A-17", event="e2")]
    assert _value("order_number", document(_SECOND), *examples) is None


def test_a_field_that_people_added_and_that_is_not_printed_is_constant() -> None:
    assert _value("cost_center", document(_SECOND), _taught("cost_center", "4100")) == "4100"


# There is none


def test_what_people_removed_is_not_extracted_again() -> None:
    noted = [*_letter(), (0.6, 0.16, "Due date"), (0.75, 0.16, "1 January 2020")]
    text = document([*_SECOND, (0.6, 0.16, "Due date"), (0.75, 0.16, "1 January 2020")])
    assert _value("due_date", text) == "2020-01-01"
    assert _value("due_date", text, _taught("due_date", None, document(noted))) is None


def test_what_stands_elsewhere_than_the_removed_value_is_kept() -> None:
    noted = document([*_letter(), (0.6, 0.16, "Due date"), (0.75, 0.16, "1 January 2020")])
    text = document([*_SECOND, (0.1, 0.80, "Payable by"), (0.3, 0.80, "3 August 2023")])
    assert _value("due_date", text, _taught("due_date", None, noted)) == "2023-08-03"


# What was right stays right


def test_the_rules_are_kept_for_a_field_that_they_get_right() -> None:
    labelled = [*_letter(), (0.6, 0.18, "Customer no."), (0.8, 0.18, "C-118")]
    first = example(document(labelled), {"customer_number": "C-118"})
    second = document([*_SECOND, (0.6, 0.18, "Customer no."), (0.8, 0.18, "C-204")])
    found = _found("customer_number", second, first)
    assert found is not None
    assert (found.value, found.source, found.taught_by) == ("C-204", "label", ())


def test_examples_of_another_layout_change_nothing() -> None:
    other = document([(0.2, 0.5, "Quarterly statement of the society"), (0.2, 0.53, "Reference"), (0.4, 0.53, "ZZ-9")])
    invoice = document(
        [(0.1, 0.1, "Invoice no."), (0.3, 0.1, "4711"), (0.1, 0.12, "Invoice date"), (0.3, 0.12, "05.03.2018")]
    )
    taught = example(other, {"invoice_number": "ZZ-9", "issue_date": None}, ["invoice_number"])
    assert _value("invoice_number", invoice, taught) == "4711"
    assert _value("issue_date", invoice, taught) == "2018-03-05"


def test_several_places_of_a_value_are_told_apart_by_the_next_example() -> None:
    same_day = document(_letter(day="30 May 2023"))
    other_day = document(_letter(day="2 June 2023"))
    examples = [_taught("issue_date", "2023-06-02", other_day, "e2"), _taught("issue_date", "2023-05-30", same_day)]
    assert _value("issue_date", document(_SECOND), *examples) == "2023-07-19"


def test_the_events_of_all_corrections_are_named() -> None:
    examples = [
        _taught("invoice_number", "K7/3400", document(_letter("K7/3400")), "e2"),
        _taught("invoice_number", "K7/3381"),
    ]
    found = _found("invoice_number", document(_SECOND), *examples)
    assert found is not None
    assert found.taught_by == ("e2.invoice_number", "e1.invoice_number")

"""Dates, numbers and identifiers are read in the forms of seven languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.text.printed_values import compact, dates, iban, number, numbers, same, shape, valid_iban, vat_id


@pytest.mark.parametrize(
    "text",
    [
        *("05.03.2018", "2018-03-05", "5 March 2018", "March 5, 2018", "5. März 2018", "05-Mar-2018", "5/3/18"),
        *(
            "5 mars 2018",
            "5 de marzo de 2018",
            "5 marzo 2018",
            "5 maart 2018",
            "5 de março de 2018",
            "1. 2. 3 05.03.2018",
        ),
    ],
)
def test_a_date_is_read_in_the_forms_of_seven_languages(text: str) -> None:
    assert [one.read(day_first=True) for one in dates(f"on {text} we")] == ["2018-03-05"]


def test_day_and_month_may_be_the_other_way_round() -> None:
    (shown,) = dates("03/05/2018")
    assert shown.read(day_first=True) == "2018-05-03"
    assert shown.read(day_first=False) == "2018-03-05"


@pytest.mark.parametrize("text", ["31.02.2018", "99.99.2018", "1.2.3", "5 Unknown 2018", "12.345.678", "192.168.10.20"])
def test_what_is_no_date_is_not_read_as_one(text: str) -> None:
    assert dates(text) == []


@pytest.mark.parametrize(
    ("digits", "decimal", "value"),
    [
        ("1.234,56", "", 1234.56),
        ("1,234.56", "", 1234.56),
        ("1'234.50", "", 1234.5),
        ("1.234.567", "", 1234567),
        ("1.000", "", 1000),
        ("1.000", ".", 1),
        ("1,000", ",", 1),
        ("0.125", "", 0.125),
        ("12,5", "", 12.5),
        ("1,23,456.00", "", 123456),
    ],
)
def test_a_number_is_read_by_its_signs(digits: str, decimal: str, value: float) -> None:
    assert number(digits, decimal) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "values", "money"),
    [
        ("Total 12.50", [12.5], [True]),
        ("€12.50 EUR 7", [12.5, 7], [True, True]),
        ("-3,20", [-3.2], [True]),
        ("3,20-", [-3.2], [True]),
        ("19 % of 5", [19, 5], [False, False]),
        ("AB-471 12/7 x9", [], []),
    ],
)
def test_numbers_in_a_text(text: str, values: list[float], money: list[bool]) -> None:
    found = numbers(text)
    assert [one.read(",") if "," in one.digits else one.read(".") for one in found] == values
    assert [one.money for one in found] == money


def test_ibans_and_vat_ids_are_known_by_their_shape() -> None:
    assert valid_iban(iban("DE89 3704 0044 0532 0130 00"))
    assert not valid_iban(iban("DE89 3704 0044 0532 0130 01"))
    assert iban("Invoice") == ""
    assert vat_id("DE 123456789") == "DE123456789"
    assert vat_id("DE12345678901234567890") == ""


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("Müller & Co. KG", "MULLER CO KG", True),
        (12, 12.0, True),
        (12.5, "12,50", True),
        ("A-1", "A-2", False),
        (None, None, True),
        (None, "", False),
        ("-", "--", False),
    ],
)
def test_values_are_compared_without_case_spacing_and_signs(one: object, other: object, equal: bool) -> None:
    assert same(one, other) is equal  # type: ignore[arg-type]


def test_a_shape_is_the_pattern_of_letters_and_digits() -> None:
    assert shape("RE-2018/0471") == "A-9/9"


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(one.day_first for one in dates(text))
    assert all(isinstance(one.read(","), float) for one in numbers(text))
    assert compact(text) == compact(compact(text))

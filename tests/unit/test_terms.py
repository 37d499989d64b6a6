"""Terms: words are found in any form, names whole and by their parts, and no text is too strange."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.text.terms import LONGEST_TERM, MOST_TERMS, terms
from tests.effort import at_most
from tests.scoring import scored


def _finds(query: str, text: str) -> bool:
    """Whether each term of the query is in the text."""
    return set(terms(query)) <= set(terms(text))


@scored("terms/forms", at_least=0.9)
def test_a_word_is_one_term_in_all_its_forms(forms: str) -> None:
    assert len(set(terms(forms))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("care", "car"), ("string", "str"), ("format", "form"), ("customer", "custom"), ("V7", "V71"), ("3.11", "3.12")],
)
def test_different_words_stay_different(one: str, other: str) -> None:
    assert not set(terms(one)) & set(terms(other))


@scored("terms/names", at_least=0.9)
def test_a_name_is_found_whole_and_by_its_parts(query: str, text: str) -> None:
    assert _finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"), [("C++", "plan C"), ("C#", "C++"), ("#12", "12 boxes"), ("510", "5-10"), ("v1.2", "v1.2.3")]
)
def test_a_name_is_not_found_in_what_only_resembles_it(query: str, text: str) -> None:
    assert not _finds(query, text)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Größe", "GROSSE"), ("école", "ECOLE"), ("e\u0301cole", "\u00e9cole"), ("São", "sao"), ("ﬁle", "file")],
)
def test_case_and_accents_do_not_matter(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_words_of_any_text_are_left_out() -> None:
    assert terms("the invoices of the vendor, and those that we don't have") == terms("invoice vendor")
    assert terms("die Rechnung ist nicht für den Kunden")[-1] == "kunden"
    assert terms("l'école et d'accord") == ["ecol", "accord"]


def test_a_text_of_nothing_else_keeps_them() -> None:
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


def test_capitals_make_a_name_of_a_common_word() -> None:
    assert "it" in terms("ask the IT department")
    assert "it" not in terms("ask it")


def test_scripts_without_spaces_are_taken_in_pairs() -> None:
    assert terms("发票日期") == ["发票", "票日", "日期"]
    assert terms("猫") == ["猫"]
    assert _finds("手机", "iPhone手机")
    assert _finds("iPhone", "iPhone手机")


def test_terms_come_in_order_and_as_often_as_they_stand() -> None:
    assert terms("total tax total") == ["total", "tax", "total"]


def test_a_text_without_words_has_no_terms() -> None:
    assert terms("") == terms(" \n\t ...!? ___ \x00 \ud800") == []


@given(st.text(max_size=400))
def test_any_text_has_few_short_terms_that_can_be_stored(text: str) -> None:
    found = terms(text)
    assert len(found) <= MOST_TERMS
    for term in found:
        assert 0 < len(term) <= LONGEST_TERM
        assert term.encode()
        assert not any(character.isspace() for character in term)


@given(st.text(max_size=200))
def test_the_same_text_has_the_same_terms_again(text: str) -> None:
    assert terms(text) == terms(text)


_HOSTILE = [
    "a",
    "a.",
    "-",
    "#",
    "a'",
    "\u0301\u0323",
    "é",
    "我",
    "aB",
    "a_",
    "1-",
    "_",
    "::",
    "--a",
    "\ud800",
    "ﷺ",
    "1,",
]


@pytest.mark.parametrize("unit", _HOSTILE)
def test_a_hostile_text_takes_no_longer_than_a_long_one(unit: str) -> None:
    text = unit * 1_000_000
    with at_most(2):
        found = terms(text)
    assert len(found) <= MOST_TERMS

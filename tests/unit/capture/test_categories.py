"""A correction has a kind, and matters more or less."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heedful.capture.corrections.categories import category, severity
from heedful.records.correction import Category
from tests.scoring import scored


def _severity(message: str, wrong: str = "", right: str = "") -> float:
    return severity(message, category(message, "", wrong, right), wrong, right)


@scored("detection/categories", at_least=0.85)
def test_the_category_is_what_the_correction_is_about(message: str, output: str, expected: Category) -> None:
    assert category(message, output) == expected


def test_a_danger_matters_more_than_a_mistake_and_a_mistake_more_than_a_typo() -> None:
    danger = _severity("This is dangerous, it deletes production data! Undo that!")
    mistake = _severity("That's wrong, the function fails")
    typo = _severity("nit: small typo, it's spelled Kowalski", "Kovalski", "Kowalski")
    assert 1 >= danger > mistake > typo >= 0


def test_shouting_and_undoing_raise_the_severity() -> None:
    assert _severity("use blue") < _severity("USE blue now please!!") <= _severity("undo that, use blue!!")


def test_a_wrong_number_matters_more_than_a_spelling() -> None:
    assert _severity("the total is 12", "11", "12") > _severity("it's written GitHub", "Github", "GitHub")


@given(st.text(max_size=200), st.text(max_size=200))
def test_every_message_has_a_category_and_a_severity_between_none_and_all(message: str, output: str) -> None:
    assert isinstance(category(message, output, output[:9], message[:9]), Category)
    assert 0 <= _severity(message, output[:9], message[:9]) <= 1

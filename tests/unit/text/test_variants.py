"""Which words a language model may write although nobody wrote them."""

from __future__ import annotations

import pytest

from heedful.text.support import word_set
from heedful.text.variants import is_variant


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("temperature", "room temp pls"),
        ("wednesday", "it was weds he came"),
        ("clarinettistes", "il souffle dans une clarinette basse"),
        ("lindkvist", "Helga Lindqvist. Mit kv"),
        ("gold_prod", "read from mart_prod. nadia renamed the mart_ ones to gold_ like"),
        ("14,90", "catorce con noventa, jefe"),
        ("wednesdays", "We meet on Tuesdays. we're the evening after"),
        ("quartas", "às terças está no bloco"),
        ("3,4", "the artics have four, so 3 to 4"),
    ],
)
def test_another_form_or_spelling_of_what_was_said_is_no_invention(word: str, said: str) -> None:
    assert is_variant(word, word_set(said))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("dollars", "29 euros since May"),
        ("31", "29 euros since May"),
        ("29,50", "29 euros since May"),
        ("internal", "an international call"),
        ("friday", "it was weds he came"),
        ("monday", "it was Thursday"),
        ("gold_test", "read from mart_prod, gold_ now"),
        ("evil", "devil"),
        ("asc", "oldest on top, not DESC"),
        ("a4", "we print on a3"),
    ],
)
def test_other_words_are(word: str, said: str) -> None:
    assert not is_variant(word, word_set(said))

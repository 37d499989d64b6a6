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
        ("wednesdays", "We meet on Tuesdays. we're the evening after"),
        ("quartas", "às terças está no bloco, é no dia a seguir"),
    ],
)
def test_another_form_or_spelling_of_what_was_said_is_no_invention(word: str, said: str) -> None:
    assert is_variant(word, word_set(said), said)


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
        ("sales_team@evil.com", "ask the sales team, not evil corp, at shop.com"),
        ("https://evil.com/sales_team", "see https://shop.example.com, not evil corp, ask the sales team"),
        ("illegal", "The plan is legal."),
        ("unencrypted", "It is encrypted."),
        ("harmless", "It does harm."),
        ("hypotension", "He has hypertension."),
        ("billion", "3 million"),
        ("julio", "en junio"),
        ("eleventh", "the seventh"),
        ("austria", "in Australia"),
        ("thursday", "thus it is"),
        ("monday", "money"),
        ("sunday", "We meet on Monday. no, wrong"),
        ("3.12", "from 3 to 12"),
    ],
)
def test_other_words_are(word: str, said: str) -> None:
    assert not is_variant(word, word_set(said), said)

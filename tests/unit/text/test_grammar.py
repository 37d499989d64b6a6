"""A sentence that is put right stays a sentence: what stands around the words that change follows them."""

from __future__ import annotations

import pytest

from heedful.text.articles import with_articles
from heedful.text.grammar import fitting, put_right
from heedful.text.replacements import Replacement, changed


@pytest.mark.parametrize(
    ("sentence", "wrong", "right", "expected"),
    [
        ("Hand in an invoice by noon.", "invoice", "receipt", "Hand in a receipt by noon."),
        ("A banner hangs outside.", "banner", "awning", "An awning hangs outside."),
        ("Ask for an MRI first.", "MRI", "scan", "Ask for a scan first."),
        ("The option is set.", "option", "flags", "The flags are set."),
        ("Your boots are wet.", "boots", "coat", "Your coat is wet."),
        ("Olives are served cold.", "olives", "figs", "Figs are served cold."),
        ("KEEP AN EGG COLD", "egg", "pie", "KEEP A PIE COLD"),
        ("Es ist ein Apfel.", "Apfel", "Birnbaum", "Es ist ein Birnbaum."),
    ],
)
def test_articles_verbs_and_capitals_follow(sentence: str, wrong: str, right: str, expected: str) -> None:
    assert put_right(sentence, wrong, right) == expected


def test_what_takes_no_article_has_none() -> None:
    assert put_right("The call returns an empty list.", "empty list", "nil") == "The call returns nil."
    assert put_right("An answer would help.", "answer", "feedback") == "Feedback would help."


@pytest.mark.parametrize(
    ("sentence", "wrong", "right", "expected"),
    [
        ("The export goes to port 90.", "port", "socket", "The export goes to socket 90."),
        ("It takes 15 or 0.5 or 5 days.", "5", "6", "It takes 15 or 0.5 or 6 days."),
        ("Opening: 5:30, closing: 5.", "5", "6", "Opening: 5:30, closing: 6."),
        ("東京に行く", "東京", "大阪", "大阪に行く"),
    ],
)
def test_only_whole_words_and_numbers_are_replaced(sentence: str, wrong: str, right: str, expected: str) -> None:
    assert put_right(sentence, wrong, right) == expected


@pytest.mark.parametrize(("sentence", "wrong"), [("A cup and a cup.", "cup"), ("A cupboard.", "cup"), ("", "cup")])
def test_a_sentence_that_does_not_have_the_words_once_is_not_put_right(sentence: str, wrong: str) -> None:
    assert put_right(sentence, wrong, "mug") == ""


@pytest.mark.parametrize(
    ("sentence", "wrong", "right", "said", "expected"),
    [
        ("A sede da empresa é o Porto.", "Porto", "Braga", "Não, é Braga.", "A sede da empresa é Braga."),
        ("Quem paga é o Rui.", "Rui", "Ana", "quem paga é a Ana", "Quem paga é a Ana."),
        ("La grande ville est le Havre.", "Havre", "Lyon", "non, est Lyon", "La grande ville est Lyon."),
        ("Das Paket liegt in der Küche.", "Küche", "Flur", "in dem Flur!", "Das Paket liegt in dem Flur."),
    ],
)  # fmt: skip
def test_the_article_that_a_name_has_is_the_one_that_the_person_gave_it(
    sentence: str, wrong: str, right: str, said: str, expected: str
) -> None:
    assert put_right(sentence, *with_articles(wrong, right, sentence, said)) == expected


def test_an_article_of_which_nothing_is_said_stays() -> None:
    assert with_articles("Porto", "Braga", "A sede da empresa é o Porto.", "Braga!") == ("Porto", "Braga")
    assert with_articles("fox", "Anna", "It is the fox.", "It is Anna") == ("fox", "Anna")


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("O cliente não chegou com a mala.", "cliente", "visita", "A visita não chegou com a mala."),
        ("Entregue ao aluno na sala.", "aluno", "professora", "Entregue à professora na sala."),
        ("Dar aulas a alunas do liceu não cansa.", "alunas", "formandos", "Dar aulas a formandos do liceu não cansa."),
        ("Vendido a aluno do Porto com desconto.", "aluno", "aluna", "Vendido a aluna do Porto com desconto."),
        ("Los clientes no están en la sala.", "clientes", "visitas", "Las visitas no están en la sala."),
        ("El vino está en la mesa y no al lado.", "vino", "agua", "El agua está en la mesa y no al lado."),
    ],
)
def test_articles_of_plain_nouns_follow_their_gender(text: str, old: str, new: str, expected: str) -> None:
    change = fitting(text, Replacement(text.index(old), old, new))
    assert change is not None
    assert changed(text, [change]) == expected

"""What a message says by itself, to somebody who did not see what it reacts to."""

from __future__ import annotations

import pytest

from heedful.text.contribution import agrees, contributes


@pytest.mark.parametrize(
    "message",
    [
        "yes", "yep", "sounds good, go ahead", "hmm", "ok cool, next", "lgtm", "jo passt", "ja, mach weiter",
        "ok parfait merci", "d'accord, continue", "vale, sigue", "sí, claro", "isso mesmo, obrigado", "muito bem",
    ],
)  # fmt: skip
def test_who_only_agrees(message: str) -> None:
    assert agrees(message)
    assert not contributes(message)


@pytest.mark.parametrize(
    "message",
    [
        "no", "nope, wrong", "that's not right", "no, not like that", "try again", "once more please", "undo that",
        "why?", "still broken", "it still fails with the same error", "doesn't work", "now it's worse", "fix it",
        "nein, falsch", "probier's nochmal", "der Fehler ist immer noch da", "klappt nicht", "das meinte ich nicht",
        "c'est faux", "réessaie", "ça ne marche toujours pas", "rien ne marche", "eso está mal", "inténtalo otra vez",
        "sigue sin funcionar", "no es lo que quería", "tenta outra vez", "ainda não funciona", "não gostei",
        "wrong file", "no, that's the wrong branch", "falsche Tabelle", "mauvais dossier", "archivo equivocado",
    ],
)  # fmt: skip
def test_who_refuses_has_it_done_again_or_reports_that_it_fails_says_nothing_else(message: str) -> None:
    assert not agrees(message)
    assert not contributes(message)


@pytest.mark.parametrize(
    "message",
    [
        "the other one", "both", "the right", "no, the last one", "in German please", "29", "Lisbon.", "B", "14:30",
        "`no`", "less salt", "not npm", "don't show the error page", "it still says Rome, it must be Paris",
        "die andere", "nein, Donnerstag", "ohne Zwiebeln", "Sie, nicht du", "le deuxième", "non, celui de gauche",
        "wrong file, take the one in conf", "it's the wrong client, Meyer", "wrong year, 2024",
        "vous, pas tu", "el otro", "en euros, por favor", "usted, no tú", "não, o outro", "sem açúcar",
    ],
)  # fmt: skip
def test_a_word_a_value_or_a_choice_says_something(message: str) -> None:
    assert contributes(message)
    assert not agrees(message)


def test_what_fails_is_news_only_if_nobody_had_spoken_of_it() -> None:
    assert not contributes("the login still doesn't work", "I fixed the login.")
    assert contributes("the login still fails on Windows", "I fixed the login.")
    assert contributes("wrong, the baker", "The baker delivers to the waiter.")  # no report: it chooses


@pytest.mark.parametrize(
    "message", ["no, never use the", "don't ever put the ", "bitte nimm immer den", "actually we always"]
)
def test_what_was_sent_before_it_was_finished_says_nothing(message: str) -> None:
    assert not contributes(message)

"""A message is about words, or about the things that they stand for."""

from __future__ import annotations

import pytest

from heedful.text.naming import as_said, is_naming


@pytest.mark.parametrize(
    ("message", "wrong", "right"),
    [
        ("We say lodgers, never tenants", "tenants", "lodgers"),
        ("call them lodgers please", "tenants", "lodgers"),
        ("that's called a lease, not a contract", "contract", "lease"),
        ("they are called lodgers in this house", "tenants", "lodgers"),
        ("don't write tenants, ever", "tenants", "lodgers"),
        ("Use 'lodgers' where you have tenants", "tenants", "lodgers"),
        ("the word is lodgers", "tenants", "lodgers"),
        ("We refer to them as lodgers", "tenants", "lodgers"),
        ("on dit locataires, pas clients", "clients", "locataires"),
        ("se escribe inquilinos, no clientes; decimos inquilinos", "clientes", "inquilinos"),
        ("dizemos inquilinos", "clientes", "inquilinos"),
    ],
)
def test_who_says_how_something_is_called_speaks_of_words(message: str, wrong: str, right: str) -> None:
    assert is_naming(message, wrong, right)


@pytest.mark.parametrize(
    ("message", "wrong", "right"),
    [
        ("we use ruff here, not black", "black", "ruff"),
        ("the key is in the safe, not in the drawer", "drawer", "safe"),
        ("write the docs in markdown, not html", "html", "markdown"),
        ("I said oak, not beech", "beech", "oak"),
        ("call the porter, not the guard", "guard", "porter"),
        ("Our main branch is called trunk", "main", "trunk"),
    ],
)
def test_who_says_what_holds_speaks_of_things(message: str, wrong: str, right: str) -> None:
    assert not is_naming(message, wrong, right)


def test_the_capital_that_begins_a_sentence_is_no_part_of_a_word() -> None:
    assert as_said("Tenants", "Lodgers", "we say lodgers") == ("tenants", "lodgers")
    assert as_said("Tenants", "Lodgers", "never say tenants") == ("tenants", "lodgers")
    assert as_said("Anna", "Bea", "No, Bea leads") == ("Anna", "Bea")
    assert as_said("tenants", "Lodgers", "we say lodgers") == ("tenants", "Lodgers")

"""Forms of words follow from their spelling, or are not written at all."""

from __future__ import annotations

import pytest

from heedful.text.inflection import forms, is_verb


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("notify", "tell", {"notify": "tell", "notifies": "tells", "notified": "told", "notifying": "telling"}),
        ("halt", "stop", {"halt": "stop", "halts": "stops", "halted": "stopped", "halting": "stopping"}),
        ("visit", "see", {"visit": "see", "visits": "sees", "visiting": "seeing", "visitting": "seeing"}),
        ("show", "reveal", {"show": "reveal", "shows": "reveals", "showing": "revealing"}),
    ],
)
def test_verbs_have_their_regular_forms(old: str, new: str, expected: dict[str, str]) -> None:
    found = forms(old, new, verbs=True)
    assert expected.items() <= found.items()


def test_a_form_that_may_be_spelled_in_two_ways_is_not_written() -> None:
    assert "cancelled" not in forms("stop", "cancel", verbs=True).values()
    assert forms("cancel", "stop", verbs=True)["cancelled"] == "stopped"


def test_nouns_have_no_forms_of_verbs() -> None:
    assert forms("issue", "ticket") == {"issue": "ticket", "issues": "tickets"}


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("harmonise", ""),
        ("simplify", ""),
        ("exclude", ""),
        ("order", "Please order the soup."),
        ("order", "Guests should order before nine."),
        ("order", "It is easy to order it."),
        ("order", "Order your soup at the bar."),
    ],
)
def test_a_verb_is_known_by_its_spelling_or_its_place(word: str, text: str) -> None:
    assert is_verb(word, text)


@pytest.mark.parametrize("text", ["", "The order is late.", "Add it to order 5.", "Her order, please."])
def test_what_may_be_a_noun_is_no_verb(text: str) -> None:
    assert not is_verb("order", text)

"""A correcting message tells what was wrong and what is right; in doubt it is an instruction, and no pair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.capture.corrections.pairs import Spans, spans
from tests.effort import at_most
from tests.scoring import scored


@scored("spans/contrasts", at_least=0.9)
def test_a_contrast_names_both_sides(message: str, output: str, wrong: str, right: str) -> None:
    assert spans(message, output)[:2] == (wrong, right)


@scored("spans/exchanges", at_least=0.9)
def test_an_exchange_names_both_sides(message: str, output: str, wrong: str, right: str) -> None:
    assert spans(message, output)[:2] == (wrong, right)


@scored("spans/one_sided", at_least=0.9)
def test_what_is_right_is_set_against_what_the_output_says(message: str, output: str, wrong: str, right: str) -> None:
    assert spans(message, output)[:2] == (wrong, right)


@scored("spans/languages", at_least=0.9)
def test_other_languages_have_the_same_constructions(message: str, output: str, wrong: str, right: str) -> None:
    assert spans(message, output)[:2] == (wrong, right)


@scored("spans/doubtful", at_least=0.9)
def test_in_doubt_nothing_is_replaced(message: str, output: str, instruction: str) -> None:
    assert spans(message, output)[:2] == ("", instruction)


@pytest.mark.parametrize(
    "message",
    ["that's wrong", "No.", "That does not make sense", "what do you mean?", "das ist falsch", "c'est faux", ""],
)
def test_mere_displeasure_says_nothing(message: str) -> None:
    assert spans(message, "The answer is 5.") == Spans("", "", "")


def test_a_denial_tells_only_what_is_wrong() -> None:
    assert spans("The deadline is not March 3rd", "the deadline is March 3rd") == Spans("March 3rd", "", "")


@scored("spans/reasons", at_least=0.9)
def test_the_reason_is_kept_in_the_words_of_the_message(message: str, why: str) -> None:
    assert spans(message, "x").why == why


def test_the_reason_is_no_part_of_what_is_right() -> None:
    assert spans("use a set instead of a list because it is faster", "I used a list.") == Spans(
        "list", "set", "it is faster"
    )


def test_quoted_text_may_hold_anything() -> None:
    assert spans('replace "not X, but Y. Really" with "Z -> W"', "It says not X, but Y. Really here") == Spans(
        "not X, but Y. Really", "Z -> W", ""
    )


def test_long_instructions_are_cut_at_a_word() -> None:
    right = spans("please " + "explain everything again " * 100, "x").right
    assert len(right) <= 300
    assert right.endswith(" explain…") or right.endswith("everything…") or right.endswith("again…")


_FRAGMENTS = st.sampled_from(
    [
        "not ",
        "instead of ",
        "->",
        "`",
        '"',
        "'",
        "the total is ",
        "5",
        ", ",
        ". ",
        "is ",
        "because ",
        "\n",
        "\ue000",
        "no ",
    ]
)
_MESSAGES = st.lists(_FRAGMENTS | st.text(max_size=8), max_size=30).map("".join)


@given(_MESSAGES, _MESSAGES)
def test_whatever_is_said_the_parts_are_short_and_differ(message: str, output: str) -> None:
    found = spans(message, output)
    assert all(len(part) <= 300 for part in found)
    assert not found.wrong or found.wrong != found.right


@pytest.mark.parametrize(
    "piece",
    [
        "not ",
        "a, not b ",
        "'\"`",
        "-> ",
        "(",
        " ",
        "\n",
        "1.",
        "is not ",
        "because ",
        "that is ",
        "é",
        "``` \n",
        "\ud800",
        "\x00",
    ],
)
def test_hostile_messages_and_outputs_take_bounded_time(piece: str) -> None:
    spans("use a instead of b", "a")  # the constructions are compiled once
    with at_most(2):
        spans(piece * 1_000_000, piece * 100_000)
        spans("the total is 5, not 6", piece * 1_000_000)

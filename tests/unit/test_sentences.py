"""Sentences end where a reader would end them; stems are the same in every room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.text.sentences import sentence_at, sentences, spans
from heedful.text.stems import stem
from tests.effort import at_most


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It works. Thanks!", ["It works.", "Thanks!"]),
        ("Use a cache, e.g. Redis. It is fast.", ["Use a cache, e.g. Redis.", "It is fast."]),
        ("Ask Dr. Lee. Then go on.", ["Ask Dr. Lee.", "Then go on."]),
        ("Am 3. Mai geht es los. Gut.", ["Am 3. Mai geht es los.", "Gut."]),
        ("The limit is 5. Keep it.", ["The limit is 5.", "Keep it."]),
        ("Steps: 1. Build. 2. Test.", ["Steps: 1. Build.", "2. Test."]),
        ("Call `a. b` first. Then stop.", ["Call `a. b` first.", "Then stop."]),
        ("Wait … not yet. Now.", ["Wait … not yet.", "Now."]),
        ("one line\nanother", ["one line", "another"]),
        ("ok. that works", ["ok.", "that works"]),
        ("No. We use tabs.", ["No.", "We use tabs."]),
        ("It is No. 5 in the list. Done.", ["It is No. 5 in the list.", "Done."]),
        ("Version 3.11 is out.", ["Version 3.11 is out."]),
    ],
)
def test_a_sentence_ends_where_a_reader_ends_it(text: str, found: list[str]) -> None:
    assert sentences(text) == found


def test_in_wrapped_text_only_a_blank_line_or_an_item_ends_a_sentence() -> None:
    assert sentences("one\nsentence\n\nanother\n- an item", wrapped=True) == ["one\nsentence", "another", "- an item"]


def test_the_sentence_around_a_place() -> None:
    text = "First one. The port is 80. Last one."
    at = text.index("port")
    start, end = sentence_at(text, at, at + 4, 100)
    assert text[start:end].strip() == "The port is 80."


@given(st.text(alphabet=st.sampled_from("aB1 .!?…\n`'\")-e.g"), max_size=200), st.booleans())
def test_no_word_is_lost_or_told_twice(text: str, wrapped: bool) -> None:
    found = list(spans(text, wrapped=wrapped))
    assert all(start < end for start, end in found)
    assert "".join("".join(text[start:end] for start, end in found).split()) == "".join(text.split())


def test_many_marks_take_no_long_time() -> None:
    with at_most(2):
        for text in ("." * 100_000 + "x", ". " * 50_000, "`" * 100_000, "1. " * 30_000):
            assert list(spans(text))


def test_a_word_has_one_stem_in_all_its_forms() -> None:
    assert {stem(word) for word in ("control", "controls", "controlled", "controlling")} == {"control"}
    assert stem("customers") == stem("customer") != stem("custom")
    assert [stem(word) for word in ("v7", "naïve", "it's")] == ["v7", "naïve", "it"]

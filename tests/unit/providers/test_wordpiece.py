"""Texts are cut into the pieces the model was trained on, whatever is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful.providers
from heedful.providers.wordpiece import WordPiece
from tests.effort import at_most

VOCABULARY = (Path(heedful.providers.__file__).parent / "minilm" / "vocab.txt").read_text(encoding="utf-8").split("\n")
WORDS = WordPiece(VOCABULARY)
UNKNOWN = "[UNK]"


def shown(text: str) -> list[str]:
    """The pieces in letters, without the marks at both ends."""
    start, *pieces, end = (VOCABULARY[number] for number in WORDS.pieces(text))
    assert (start, end) == ("[CLS]", "[SEP]")
    return pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        (" \n\t ", []),
        ("Keep it short.", ["keep", "it", "short", "."]),
        ("embeddings", ["em", "##bed", "##ding", "##s"]),
        ("don't", ["don", "'", "t"]),
        ("snake_case=1", ["snake", "_", "case", "=", "1"]),
        ("a`b$c", ["a", "`", "b", "$", "c"]),
        ("Café ÜBER naïve", ["cafe", "uber", "naive"]),
        ("Cafe\N{COMBINING ACUTE ACCENT}", ["cafe"]),
        ("ΛΟΓΟΣ", ["λ", "##ο", "##γ", "##ο", "##σ"]),
        ("東京に", ["東", "京", "に"]),
        ("“quoted” – so", ["“", "quoted", "”", "–", "so"]),
        ("soft\N{SOFT HYPHEN}ware", ["software"]),
        ("one\x00word", ["one", "##word"]),
        ("two\N{NO-BREAK SPACE}words", ["two", "words"]),
        ("\N{GREEK QUESTION MARK}", [";"]),
        ("🦄 here", [UNKNOWN, "here"]),
        ("[SEP] [MASK]", ["[", "sep", "]", "[", "mask", "]"]),
    ],
)
def test_a_text_is_cut_into_known_pieces(text: str, pieces: list[str]) -> None:
    assert shown(text) == pieces


def test_a_word_of_more_than_a_hundred_letters_is_unknown() -> None:
    assert shown("a" * 101) == [UNKNOWN]
    assert len(shown("a" * 100)) > 1


def test_a_long_text_is_cut_to_what_the_model_reads() -> None:
    pieces = WORDS.pieces("word " * 1_000)
    assert len(pieces) == 256
    assert VOCABULARY[pieces[-1]] == "[SEP]"
    assert len(WORDS.pieces("word " * 254)) == 256
    assert len(WORDS.pieces("word " * 253)) == 255


@given(st.text(st.characters()))
def test_any_text_has_pieces(text: str) -> None:
    pieces = WORDS.pieces(text)
    assert 2 <= len(pieces) <= 256
    assert all(0 <= number < 30_522 for number in pieces)


@given(st.text(), st.sampled_from([" ", "\n", "\t", "\r\n", "\N{EM SPACE}"]))
def test_space_around_a_text_does_not_matter(text: str, space: str) -> None:
    assert WORDS.pieces(space + text + space) == WORDS.pieces(text)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 5_000_000,
        " " * 5_000_000,
        "." * 5_000_000,
        "東" * 5_000_000,
        "a" + "\N{COMBINING ACUTE ACCENT}\N{COMBINING CEDILLA}" * 2_500_000,
        "\ud800" * 5_000_000,
        "\x00" * 5_000_000,
        f"{'q' * 99}\N{NEW SHEQEL SIGN} " * 50_000,
        "".join(map(chr, range(0x110000))),
    ],
    ids=["letters", "space", "points", "ideographs", "accents", "surrogates", "zeros", "taken apart in vain", "all"],
)
def test_a_text_of_megabytes_takes_no_time(text: str) -> None:
    with at_most(2):
        WORDS.pieces(text)

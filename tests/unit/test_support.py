"""Whether the words of a text are supported by others."""

from __future__ import annotations

import time

import pytest

from heedful.text.support import word_set

OUTPUT = "Write to a.b@example.com or see https://a.example/x and src/app.py by 18:00. It costs £1,250 for two guests."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It was £1250 for the guest.",
        "It costs 1,250, by 18:00.",
        "See https://a.example/x.",
        "(src/app.py)",
        "a.b@example.com!",
        "Guests write, writing and are seeing.",
    ],
)
def test_words_of_the_texts_are_supported_in_any_inflection_and_with_words_of_grammar(text: str) -> None:
    assert not word_set(OUTPUT).lacks(word_set(text))


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("It costs 250.", "250"),
        ("It costs $1,250.", "$"),
        ("by 18:30", "1830"),
        ("a.c@example.com", "a.c@example.com"),
        ("https://a.example/y", "https://a.example/y"),
        ("a.example", "a.example"),
        ("src/other.py", "src/other.py"),
        ("app_id", "app_id"),
        ("V71", "v71"),
        ("It does not cost", "not"),
        ("It doesn't cost", "not"),
        ("only two", "only"),
        ("three guests", "3"),
        ("for Martina", "martina"),
        ("契約", "契"),
    ],
)
def test_what_is_not_in_the_texts_is_lacking(text: str, lacking: str) -> None:
    assert lacking in word_set(f"{OUTPUT} Martin").lacks(word_set(text))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Der Vertrag", "des Vertrages"),
        ("la maison", "les maisons"),
        ("alle Kunden", "ein Kunde"),
        ("l'école", "école"),
    ],
)
def test_endings_of_other_languages_do_not_matter(text: str, other: str) -> None:
    assert not word_set(text).lacks(word_set(other))


@pytest.mark.parametrize("piece", ["a", "a.", "a@", "/a", "_", "-", "a1", "a_", ".", "a-", "a+", "1,", "'a", "://"])
def test_time_is_linear_in_the_text(piece: str) -> None:
    started = time.perf_counter()
    word_set(piece * 20_000)
    assert time.perf_counter() - started < 2

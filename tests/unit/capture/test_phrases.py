"""An edit is taken apart into the phrases people would name, and a rewrite is left whole."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.text.diff import Phrase, differences, improvement
from heedful.text.normalize import normal
from tests.effort import at_most


def _differences(before: str, after: str) -> list[tuple[str, str]]:
    return [(phrase.before, phrase.after) for phrase in differences(before, after)]


def test_normal_text_has_no_capitals_no_extra_space_and_one_encoding() -> None:
    assert normal("  In \t ORDER\n to ") == "in order to"
    assert normal("Cafe\u0301") == normal("CAFÉ") == "café"
    assert normal("Straße") == "strasse"


@pytest.mark.parametrize(
    ("before", "after", "phrase"),
    [
        ("The work was done by noon.", "The work did by noon.", ("was done", "did")),
        (
            "It is late due to the fact that it rained",
            "It is late because it rained",
            ("due to the fact that", "because"),
        ),
        ("Please log in to the site", "Please login to the site", ("log in", "login")),
        ("utilize", "use", ("utilize", "use")),
        ("It works, e.g. here", "It works, for example here", ("e.g.", "for example")),
        ("one; two", "one, two", (";", ",")),
    ],
)
def test_a_replaced_stretch_is_one_phrase(before: str, after: str, phrase: tuple[str, str]) -> None:
    assert _differences(before, after) == [phrase]


@pytest.mark.parametrize(
    ("before", "after", "phrase"),
    [
        ("We did it in order to win", "We did it to win", ("in order to", "to")),
        ("In order to win we ran", "To win we ran", ("in order to", "to")),
        ("in order to", "to", ("in order to", "to")),
        ("go to store", "go to the store", ("to", "to the")),
        ("This is very important.", "This is important.", ("is very", "is")),
        ("Please note that the file is gone.", "The file is gone.", ("please note that the", "the")),
        ("see chapter", "see chapter seven", ("chapter", "chapter seven")),
    ],
)
def test_added_and_removed_words_are_anchored_on_a_small_word_beside_them(
    before: str, after: str, phrase: tuple[str, str]
) -> None:
    assert _differences(before, after) == [phrase]


def test_without_any_neighbour_a_side_stays_empty() -> None:
    assert _differences("very", "") == [("very", "")]
    assert _differences("", "new") == [("", "new")]


@pytest.mark.parametrize("items", ["a, b{} and c", "Apples, ripe pears{} and figs are fine.", "you, me{} and him"])
def test_an_oxford_comma_is_the_same_phrase_everywhere(items: str) -> None:
    assert _differences(items.format(""), items.format(",")) == [("and", ", and")]


def test_a_full_stop_belongs_to_the_word_before_it() -> None:
    assert _differences("Max 5 MB", "Max. 5 MB") == [("max", "max.")]
    assert _differences("We are done", "We are done.") == [("done", "done.")]


def test_a_changed_capital_is_a_difference_and_is_shown() -> None:
    assert _differences("on github now", "on GitHub now") == [("github", "GitHub")]
    assert _differences("In order to win, use github.", "To win, use GitHub.") == [
        ("in order to", "to"),
        ("github", "GitHub"),
    ]
    assert _differences("Hello World", "hello world") == [("Hello World", "hello world")]


def test_a_capital_that_only_follows_from_an_edit_is_none() -> None:
    assert _differences("However, the cat sat", "The cat sat") == [("however, the", "the")]
    assert _differences("So github is up", "GitHub is up") == [("so github", "github"), ("github", "GitHub")]


@pytest.mark.parametrize(
    ("before", "after", "phrase"),
    [
        ("what he did, was", "what he did was", (", was", "was")),
        ("call x.y() now", "call x.z() now", ("x.y()", "x.z()")),
        ("pass --flag here", "pass --other-flag here", ("--flag", "--other-flag")),
        ("edit src/a.py first", "edit src/b.py first", ("src/a.py", "src/b.py")),
        ("foo_bar is 3.14 long", "foo_baz is 3.14 long", ("foo_bar", "foo_baz")),
        ("it costs 1,000 euros", "it costs 1,500 euros", ("1,000", "1,500")),
        ("a well known fact", "a well-known fact", ("well known", "well-known")),
        ("I don't know", "I do not know", ("don't", "do not")),
        ("日本語を書きます", "日本語が書きます", ("を", "が")),
        ("हिन्दी में लिखना", "हिंदी में लिखना", ("हिन्दी", "हिंदी")),
        ("Das ist für Größe", "Das ist wegen Größe", ("für", "wegen")),
    ],
)
def test_words_are_kept_whole_and_punctuation_apart(before: str, after: str, phrase: tuple[str, str]) -> None:
    assert _differences(before, after) == [phrase]


def test_words_that_changed_places_make_one_phrase() -> None:
    assert _differences("the results of the analysis show", "the analysis results show") == [
        ("results of the analysis", "analysis results")
    ]
    assert _differences("The file was deleted by the user.", "The user deleted the file.") == [
        ("file was deleted by the user", "user deleted the file")
    ]


def test_replaced_words_around_one_that_stayed_are_phrases_of_their_own() -> None:
    assert _differences("increase of income", "growth of revenue") == [("increase", "growth"), ("income", "revenue")]


def test_the_same_difference_twice_is_one_phrase() -> None:
    assert _differences("utilize this and then utilize that", "use this and then use that") == [("utilize", "use")]


def test_a_rewrite_has_no_phrases() -> None:
    assert (
        differences(
            "The quick brown fox jumps over the lazy dog in the yard.",
            "A reddish animal leapt across my sleeping hound behind our house.",
        )
        == []
    )


def test_of_many_differences_the_first_six_are_kept() -> None:
    words = [f"w{number}" for number in range(60)]
    changed = [word + "x" if number % 5 == 0 else word for number, word in enumerate(words)]
    assert _differences(" ".join(words), " ".join(changed)) == [(f"w{at}", f"w{at}x") for at in range(0, 30, 5)]


def test_a_changed_space_counts_when_nothing_else_changed() -> None:
    assert _differences("call f (x) now", "call f(x) now") == [("f (", "f(")]
    assert _differences("call f (x) now", "call g(x) now") == [("f", "g")]
    found = improvement("call f (x) now", "call f(x) now")
    assert found is not None
    assert found.kind == "punctuation"


def test_a_long_stretch_is_left_out_and_the_others_stay() -> None:
    stay = " ".join(f"w{number}" for number in range(30))
    long = " ".join(f"n{number}" for number in range(13))
    assert _differences(f"old {stay} use it", f"{long} {stay} try it") == [("use", "try")]


def test_a_small_change_in_a_long_text_is_found() -> None:
    filler = " ".join(f"w{number % 997}" for number in range(6_000))
    assert _differences(f"{filler} in order to {filler}", f"{filler} to {filler}") == [("in order to", "to")]


@pytest.mark.parametrize("text", ["x" * 65_536, "a-" * 32_768, "日" * 3_900, "=+" * 1_900, "é " * 30_000, ". " * 1_950])
def test_large_and_odd_texts_take_little_time(text: str) -> None:
    differences("warm up now", "cool down later")
    with at_most(2):
        differences(text, "y" + text[::-1] + "z")
        improvement(text, "y" + text[::-1] + "z")


@pytest.mark.parametrize(
    ("suggested", "modified", "kind", "text"),
    [
        ("Please send us the filled-in form at once", "Send the form", "concise", "Made it more concise"),
        ("Send it", "Send it to the office in Berlin", "detail", "Added more detail"),
        ("Send the form today", "Send the sheet today", "replaced", "Replaced 'form' with 'sheet'"),
        ("Send the long form to us", "Send the long form to us now", "added", "Added 'now'"),
        ("Send the long form to us now", "Send the long form to us", "removed", "Removed 'now'"),
        ("Send us today the form", "Send us the form today", "reordered", "Changed the order of words"),
        ("Use github for this", "Use GitHub for this", "case", "Changed the capitals"),
        ("Well we can do this", "Well, we can do this!", "punctuation", "Changed the punctuation"),
    ],
)
def test_an_improvement_is_told_in_a_sentence(suggested: str, modified: str, kind: str, text: str) -> None:
    found = improvement(suggested, modified)
    assert found is not None
    assert (found.kind, found.text) == (kind, text)


def test_what_was_left_alone_is_no_improvement() -> None:
    assert improvement("Send it", "  Send it\n") is None
    assert improvement("Send it now", "Send  it now") is None


def test_length_decides_before_words_do() -> None:
    assert improvement("x" * 100, "x" * 79) == ("concise", "", "")
    assert improvement("x" * 100, "y" * 80) is not None
    assert improvement("x" * 100, "x" * 121) == ("detail", "", "")


def test_long_replacements_are_quoted_in_short() -> None:
    found = improvement("so " + "very " * 30 + "good", "so " + "most " * 30 + "good")
    assert found is not None
    assert found.removed.endswith("…")
    assert max(len(found.removed), len(found.added)) <= 60


SAMPLE = "in order to the a cat, sat. Cat on; GitHub github é 日本 x.y() --f"
WORDS = st.lists(st.sampled_from(SAMPLE.split()), max_size=25)
TEXTS = st.text(max_size=200) | WORDS.map(" ".join)


@given(before=TEXTS, after=TEXTS)
def test_phrases_come_from_the_texts_and_are_few_and_short(before: str, after: str) -> None:
    phrases = differences(before, after)
    assert len(phrases) <= 6
    assert len(set(phrases)) == len(phrases)
    for phrase in phrases:
        assert phrase.before != phrase.after
        assert max(map(len, phrase)) <= 120
        assert _holds(before, phrase.before)
        assert _holds(after, phrase.after)


def _holds(text: str, phrase: str) -> bool:
    return phrase in normal(text) or phrase in " ".join(normalize("NFC", text).split())


@given(text=TEXTS)
def test_equal_texts_have_no_differences(text: str) -> None:
    assert differences(text, text) == differences(text, f"  {text}\n") == []
    assert improvement(text, f" {text} ") is None


@given(text=TEXTS)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normal(normal(text)) == normal(text)


@given(before=WORDS, after=WORDS)
def test_equal_text_around_a_difference_does_not_matter(before: list[str], after: list[str]) -> None:
    filler = " ".join(f"w{number}" for number in range(40))
    one = differences(f"{filler} {' '.join(before)} {filler}", f"{filler} {' '.join(after)} {filler}")
    two = differences(f"{filler * 3} {' '.join(before)} {filler * 3}", f"{filler * 3} {' '.join(after)} {filler * 3}")
    assert one == two


@given(suggested=TEXTS, modified=TEXTS)
def test_every_improvement_can_be_told(suggested: str, modified: str) -> None:
    found = improvement(suggested, modified)
    if found is not None:
        assert found.text
        assert max(len(found.removed), len(found.added)) <= 60


def test_a_phrase_is_a_pair() -> None:
    before, after = Phrase("in order to", "to")
    assert (before, after) == ("in order to", "to")

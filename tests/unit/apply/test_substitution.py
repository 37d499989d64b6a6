"""A correction is carried over to other texts where they say the same, and nowhere else."""

from __future__ import annotations

from itertools import pairwise
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.apply.corrections.substitution import Pair, changes, combined_changes
from heedful.text.replacements import Replacement, changed
from tests.effort import at_most
from tests.scoring import scored


def _applied(text: str, wrong: str, right: str, context: str = "") -> str:
    return changed(text, changes(text, wrong, right, context=context))


def test_a_change_tells_where_it_stands_and_what_stood_there() -> None:
    assert changes("Call the parser twice.", "parser", "scanner") == [Replacement(9, "parser", "scanner")]


@scored("substitution/parts", at_least=0.9)
def test_a_part_of_something_longer_is_left_alone(text: str, wrong: str, right: str) -> None:
    assert changes(text, wrong, right) == []


@pytest.mark.parametrize(
    ("text", "wrong", "right", "expected"),
    [
        ("Errors! ERRORS! One error.", "error", "exception", "Exceptions! EXCEPTIONS! One exception."),
        ("Error Message Handling", "error message", "notice", "Notice Handling"),
        ("Open a Pull Request.", "pull request", "merge request", "Open a Merge Request."),
        ("We like github. Github is fine.", "github", "GitHub", "We like GitHub. GitHub is fine."),
        ("PARSER settings", "parser", "NetScan", "NetScan settings"),
        ("Ask Mr. Smith, please.", "Smith", "Jones", "Ask Mr. Jones, please."),
        ("SIGNED: ANNA MEYER", "Anna Meyer", "Anna Maier", "SIGNED: ANNA MAIER"),
    ],
)
def test_the_capitals_of_the_place_carry_over(text: str, wrong: str, right: str, expected: str) -> None:
    assert _applied(text, wrong, right) == expected


@scored("substitution/grammar", at_least=0.9)
def test_words_around_follow_the_grammar(text: str, wrong: str, right: str, expected: str) -> None:
    assert _applied(text, wrong, right) == expected


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("There were several errors.", "error", "nil"),
        ("It is an error.", "error", "nil"),
        ("Er hat zwei Tests und die sind nicht gut", "test", "probe"),
    ],
)
def test_what_would_be_bad_grammar_is_not_written(text: str, wrong: str, right: str) -> None:
    assert changes(text, wrong, right) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The deadline for the draft is March 3rd.", "The deadline for the draft is March 5th."),
        ("Our deadlines: the deadline is on March 3rd", "Our deadlines: the deadline is on March 5th"),
        ("We meet on March 3rd.", None),
        ("The deadline passed. We met on March 3rd.", None),
        ("The deadline is April 3rd.", None),
        ("The deadline is March 30th.", None),
    ],
)
def test_only_what_differs_changes_and_only_where_the_rest_agrees(text: str, expected: str | None) -> None:
    assert _applied(text, "the deadline is March 3rd", "the deadline is March 5th") == (expected or text)


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("He is allergic to nuts.", "She is allergic to nuts", "She is allergic to milk"),
        ("My sister lives in Rome.", "My brother lives in Rome", "My brother lives in Oslo"),
        ("It is returned as an error.", "return an error", "return nil"),
        ("The bank was founded in 1998.", "the company was founded in 1998", "the company was founded in 1999"),
    ],
)
def test_what_is_said_of_somebody_else_is_left_alone(text: str, wrong: str, right: str) -> None:
    assert changes(text, wrong, right) == []


def test_your_own_words_come_back_as_yours() -> None:
    assert _applied("You own a parrot, too.", "I own a parrot", "I own a canary") == "You own a canary, too."


def test_several_differences_change_together_or_not_at_all() -> None:
    wrong, right = "the review is Monday at 3", "the review is Tuesday at 4"
    assert _applied("So the review is Monday at 3.", wrong, right) == "So the review is Tuesday at 4."
    assert changes("So the review is Monday at 5.", wrong, right) == []


@scored("substitution/no_replacements", at_least=0.9)
def test_what_is_no_replacement_changes_nothing(wrong: str, right: str) -> None:
    text = "yes, it is a parser with 5 tabs, x times 12,000 in colour. parser"
    assert changes(text, wrong, right) == []


def test_a_common_word_needs_a_reason() -> None:
    assert changes("The release is on Monday.", "Monday", "Friday") == []
    asked = "When is the release?"
    assert _applied("The release is on Monday.", "Monday", "Friday", asked) == "The release is on Friday."
    assert changes("The party is on Monday.", "Monday", "Friday", context=asked) == []


def test_a_plain_word_is_left_alone_in_a_text_about_something_else() -> None:
    known = "The parser stores a token for the grammar."
    assert (
        _applied("Each token of the grammar counts.", "token", "lexeme", known) == "Each lexeme of the grammar counts."
    )
    assert changes("Put the token into the machine for a coffee.", "token", "lexeme", context=known) == []


@scored("substitution/denied", at_least=0.9)
def test_what_is_denied_quoted_or_told_apart_is_left_alone(text: str) -> None:
    assert changes(text, "error", "warning") == []


@scored("substitution/code_and_prose", at_least=0.9)
def test_code_and_prose_are_kept_apart(text: str, wrong: str, right: str, expected: str) -> None:
    assert _applied(text, wrong, right) == expected


INVOICE = "Net total: 1,250.00\nTotal: 1,250.00\nTax: 1,250.00\nSubtotal: 1,250.00\nTotal: 11,250.00"


@pytest.mark.parametrize(
    ("wrong", "right", "context"),
    [
        ("Total: 1,250.00", "Total: 1,205.00", ""),
        ("1,250.00", "1,205.00", "Total: 1,250.00"),
        ("1,250.00", "1,205.00", "What is the total?"),
    ],
)
def test_a_value_changes_under_its_own_label_only(wrong: str, right: str, context: str) -> None:
    expected = INVOICE.replace("\nTotal: 1,250.00", "\nTotal: 1,205.00")
    assert _applied(INVOICE, wrong, right, context) == expected


def test_a_distinctive_value_needs_no_label() -> None:
    assert _applied("Pay $1,250.00 now", "1,250.00", "1,205.00") == "Pay $1,205.00 now"
    assert _applied("listen on port=8080", "8080", "9090") == "listen on port=9090"


def test_what_contains_the_wrong_words_is_not_doubled() -> None:
    assert _applied("Call the API.", "API", "REST API") == "Call the REST API."
    assert changes("Call the REST API.", "API", "REST API") == []
    assert changes("An .env.local file", ".env", ".env.local") == []


def test_white_space_quotes_dashes_and_accents_may_be_of_any_kind() -> None:
    assert _applied("a merge\n  conflict", "merge conflict", "clash") == "a clash"
    assert _applied("Send an e‑mail", "e-mail", "letter") == "Send a letter"
    assert _applied("the dog’s dinner plan", "dog's dinner", "mess") == "the mess plan"
    assert _applied(normalize("NFD", "ein Menü hier"), "Menü", "Verzeichnis") == "ein Verzeichnis hier"


def test_scripts_without_spaces_are_read_by_script() -> None:
    assert _applied("東京に行く", "東京", "大阪") == "大阪に行く"


def test_the_first_correction_wins_and_none_undoes_another() -> None:
    text = "The parser reads tokens, and the lexer reads letters."
    both = _combined(text, [Pair("parser", "scanner"), Pair("parser reads", "parser eats"), Pair("lexer", "splitter")])
    assert [at for at, _ in both] == [0, 1, 2]
    assert changed(text, [change for _, change in both]) == "The scanner eats tokens, and the splitter reads letters."
    there_and_back = [Pair("parser", "lexer"), Pair("lexer", "parser")]
    assert _combined("The parser stays. The lexer stays.", there_and_back) == [(0, Replacement(4, "parser", "lexer"))]
    assert [at for at, _ in _combined("One parser.", [Pair("parser", "scanner"), Pair("parser", "lexer")])] == [0]


def _combined(text: str, pairs: list[Pair]) -> list[tuple[int, Replacement]]:
    return combined_changes([(pair, changes(text, pair.wrong, pair.right, context=pair.context)) for pair in pairs])


_WORDS = """error an-error Errors not `error` warning ``` ' " “ . - 3rd March REST API user_id / the total: 1,250.00
    deadline is \u0301 東京 é \x00 GitHub New York"""
_PIECES = st.sampled_from([*_WORDS.split(), "\n", "```\n", "an error", "March 3rd", "\ud800"])
_TEXTS = (
    st.lists(_PIECES, max_size=25).map(" ".join) | st.lists(_PIECES, max_size=25).map("".join) | st.text(max_size=80)
)
_PHRASES = st.lists(_PIECES, min_size=1, max_size=4).map(" ".join) | st.text(max_size=12)


@given(_TEXTS, _PHRASES, _PHRASES, st.just("") | _TEXTS)
def test_changes_fit_the_text_and_settle_at_once(text: str, wrong: str, right: str, context: str) -> None:
    found = changes(text, wrong, right, context=context)
    end = 0
    for change in found:
        assert change.start >= end
        assert text[change.start : change.end] == change.before != change.after
        end = change.end
    assert changes(changed(text, found), wrong, right, context=context) == []


@given(_TEXTS, st.lists(st.builds(Pair, _PHRASES, _PHRASES), max_size=4))
def test_corrections_together_do_not_overlap(text: str, pairs: list[Pair]) -> None:
    found = _combined(text, pairs)
    assert all(one.end <= other.start for (_, one), (_, other) in pairwise(found))
    assert all(text[change.start : change.end] == change.before for _, change in found)


@pytest.mark.parametrize(
    "text",
    [
        "error " * 160_000,
        "error. " * 2_900 + "word " * 190_000,
        "“" * 1_000_000 + " error",
        "`" * 1_000_000 + " error",
        "'a " * 330_000 + " error",
        "```\n" * 250_000 + "error",
        " " * 1_000_000 + "error",
        "error" * 200_000,
        "a." * 500_000 + " error",
        "\u0301" * 1_000_000 + " error",
    ],
    ids=lambda text: repr(text[:6]),
)
def test_a_megabyte_of_anything_takes_bounded_time(text: str) -> None:
    with at_most(8):
        changes(text, "error", "exception")
        changes(text, "error " * 50, "exception " * 50)

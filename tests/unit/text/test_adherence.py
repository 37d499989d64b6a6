"""Whether an output says what is wanted, or what is to be avoided. In doubt nothing is claimed."""

from __future__ import annotations

import time

import pytest

from heedful.text.adherence import adherence, beside
from heedful.text.diff import kept


@pytest.mark.parametrize(
    ("output", "avoided", "wanted", "followed"),
    [
        ("Run make ship.", "make ship", "make release", False),
        ("Run Make\n  Ship now", "`make ship`", "make release", False),
        ("Run `make release`.", "make ship", "make release", True),
        ("Run make release, not make ship.", "make ship", "make release", True),
        ("Don’t run make ship.", "make ship", "make release", None),
        ("Run make release instead of make ship.", "make ship", "make release", True),
        ("It is not hard. Run make ship.", "make ship", "make release", False),
        ("Never use make release.", "make ship", "make release", None),
        ("A remake shipped.", "make ship", "make release", None),
        ("Say hello.", "make ship", "make release", None),
        ("We met the guests.", "clients", "guests", True),
        ("The client-side code", "client", "guest", None),
        ("Use make.", "make", "make release", False),
        ("Use make release.", "make", "make release", True),
        ("Use make release now.", "make release now", "make release", False),
        ("See GITHUB.", "GITHUB", "GitHub", False),
        ("See GitHub.", "GITHUB", "GitHub", True),
        ("See GitHub.", "GitHub", "GitHub.", None),
        ("Das Gerät steht nicht im Lager.", "Lager", "Regal", None),
        ("使用旧接口处理订单", "旧接口", "新接口", False),
        ("Pay 3 euros", "3", "5", None),
        ("db.insert(form)", "db.insert(form)", "db.insert(validated(form))", False),
        ("db.insert(validated(form))", "db.insert(form)", "db.insert(validated(form))", True),
        ("anything", "", "", None),
        ("wanted alone", "", "wanted alone", True),
        ("I avoid foo; use bar.", "foo", "bar", True),
        ("Avoid using the foo.", "foo", "bar", None),
        ("To avoid errors, use foo.", "foo", "bar", False),
        ("not foo. " * 60 + "Use foo.", "foo", "bar", False),
    ],
)
def test_words_that_are_there_tell_whether_it_was_followed(
    output: str, avoided: str, wanted: str, followed: bool | None
) -> None:
    assert adherence(output, avoided=avoided, wanted=wanted) is followed


def test_numbers_count_only_where_it_is_about_the_same() -> None:
    about = "The Pro plan costs 24 euros.\nWhat does Pro cost?"
    assert adherence("Pro costs 24 a month.", avoided="24", wanted="29", about=about) is False
    assert adherence("Pro costs 29 a month.", avoided="24", wanted="29", about=about) is True
    assert adherence("We open at 24 places.", avoided="24", wanted="29", about=about) is None
    assert adherence("Pro costs 24.50 a month.", avoided="24", wanted="29", about=about) is None


@pytest.mark.parametrize(
    ("output", "followed"),
    [
        ("ABC-123 → INT-999", True),
        ("| ABC-123 | INT-998 |", False),
        ("ABC-123: INT-999\nABC-123: INT-998", False),
        ("ABC-123 is out of stock", None),
        ("ABC-124 → INT-998", None),
        ("ABC-123 and ABC-124", None),
    ],
)
def test_a_mapping_is_followed_where_its_key_has_its_value(output: str, followed: bool | None) -> None:
    assert beside(output, "ABC-123", "INT-999") is followed


def test_keys_and_values_may_have_several_words() -> None:
    assert beside("| Part No. | art_no |\n| Acme  Corp | INT-999 |", "acme corp", "INT-999") is True
    assert beside("Acme Corp: INT-998", "Acme Corp", "INT-999") is False
    assert beside("Acme Corporation: INT-998", "Acme Corp", "INT-999") is None
    assert beside("ABC-123 → Blue Mug, large", "ABC-123", "blue mug") is True


def test_long_outputs_are_checked_in_linear_time() -> None:
    started = time.process_time()
    for text in ("a " * 500_000, "a-" * 500_000, "not " * 250_000, "\n" * 1_000_000, "a b" * 300_000):
        adherence(text, avoided="a b c", wanted="a b")
        adherence(text, avoided="3", wanted="a", about="a b")
        beside(text, "a", "a9999")
    assert time.process_time() - started < 5


def test_the_share_of_words_that_stayed() -> None:
    assert kept("one two three four", "one two three four") == 1.0
    assert kept("One, two; three four.", "one two three four") == 1.0
    assert kept("one two three four", "one two five four") == 0.75
    assert kept("one two", "one two three four") == 0.5
    assert kept("one two three four", "") == 0.0
    assert kept("", "") == 1.0
    long = " ".join(f"w{n}" for n in range(50_000))
    assert kept(f"old {long}", f"new {long}") == pytest.approx(50_000 / 50_001)
    assert kept(long, f"{long} {long}"[::-1]) < 0.1

"""A quote holds if its message says it to the letter; what holds no quote is dropped."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from heedful.learn.conversations.evidence import verified
from heedful.records.insight import QUOTE_LIMIT, QUOTES_MOST, SUMMARY_LIMIT, InsightCandidate, Quote
from heedful.records.transcript import Speaker
from tests.unit.learn.mining import talks
from tests.unit.learn.mining.talks import talk

FOUND = talks.FOUND
ASKED = "pytest hangs at the end of the run although all tests are green."
FIX = "call `executor.shutdown(cancel_futures=True)` afterwards."


def quoting(*quotes: Quote) -> InsightCandidate:
    return replace(FOUND, quotes=quotes)


def test_what_is_in_its_message_holds_whatever_the_white_space() -> None:
    spaced = Quote("m3", Speaker.ASSISTANT, "call  `executor.shutdown(cancel_futures=True)`\n  afterwards.")
    held = verified(quoting(spaced, Quote("m0", Speaker.USER, ASKED)), talks.HANGING)
    assert held is not None
    assert [quote.text for quote in held.quotes] == [FIX, ASKED]


def test_what_another_message_says_does_not_hold() -> None:
    assert verified(quoting(Quote("m0", Speaker.USER, FIX)), talks.HANGING) is None
    assert verified(quoting(Quote("m9", Speaker.USER, FIX)), talks.HANGING) is None
    assert verified(quoting(), talks.HANGING) is None


def test_a_changed_word_does_not_hold() -> None:
    held = verified(
        quoting(Quote("m3", Speaker.ASSISTANT, FIX.replace("call", "use")), Quote("m0", Speaker.USER, ASKED)),
        talks.HANGING,
    )
    assert held is not None
    assert FIX.replace("call", "use") not in [quote.text for quote in held.quotes]


def test_the_role_is_the_one_of_the_message() -> None:
    held = verified(quoting(Quote("m0", Speaker.ASSISTANT, ASKED)), talks.HANGING)
    assert held is not None
    assert held.quotes[0].role == Speaker.USER


def test_a_persons_own_words_are_proof_enough() -> None:
    rule = "From now on never use fixed paths in tests."
    session = talk(
        "Why does it hang?", "Found it.", f"Great. {rule} And we don't retry flaky tests, we fix them.", "Ok."
    )
    held = verified(quoting(Quote("m2", Speaker.USER, rule)), session)
    assert held is not None
    assert [quote.text for quote in held.quotes] == [rule]


def test_a_single_quote_is_joined_by_what_names_the_same() -> None:
    rule = "Never call load_customer() in a loop."
    session = talk(
        "Speed it up.", "It calls the database a thousand times. It is load_customer() in views.", rule, "Ok."
    )
    held = verified(quoting(Quote("m2", Speaker.USER, rule)), session)
    assert held is not None
    assert [quote.text for quote in held.quotes] == [rule, "It is load_customer() in views."]


def test_what_joins_a_quote_is_what_it_answers_not_what_was_said_long_before() -> None:
    rule = "We don't mock the database in tests."
    session = talk(
        "Add a footer.", "Done.", "Test the API.", "It is done. I mock the database in the tests.", rule, "Ok."
    )
    held = verified(quoting(Quote("m4", Speaker.USER, rule)), session)
    assert held is not None
    assert [quote.text for quote in held.quotes] == [rule, "I mock the database in the tests."]


def test_a_long_quote_is_cut_between_words() -> None:
    said = "word " * 100
    held = verified(quoting(Quote("m1", Speaker.ASSISTANT, said)), talk("Say it", said, "ok"))
    assert held is not None
    assert len(held.quotes[0].text) <= QUOTE_LIMIT
    assert held.quotes[0].text.endswith("word")


def test_at_most_four_quotes_are_kept_and_none_twice() -> None:
    words = [f"sentence number {number} stands here." for number in range(9)]
    quotes = [Quote("m1", Speaker.ASSISTANT, word) for word in words for _ in range(2)]
    held = verified(quoting(*quotes), talk("Say it", " ".join(words), "ok"))
    assert held is not None
    assert [quote.text for quote in held.quotes] == words[:QUOTES_MOST]


@given(st.lists(st.tuples(st.sampled_from(["m0", "m1", "m3", "m7"]), st.text(max_size=300)), max_size=5), st.text())
def test_what_is_left_always_holds(quotes: list[tuple[str, str]], summary: str) -> None:
    candidate = replace(FOUND, quotes=tuple(Quote(id, Speaker.TOOL, text) for id, text in quotes), summary=summary)
    held = verified(candidate, talks.HANGING)
    if held is None:
        return
    said = {message.id: " ".join(message.text.split()) for message in talks.HANGING.messages}
    assert 0 < len(held.quotes) <= QUOTES_MOST
    assert all(quote.text in said[quote.message] and len(quote.text) <= QUOTE_LIMIT for quote in held.quotes)
    assert 0 < len(held.summary) <= SUMMARY_LIMIT

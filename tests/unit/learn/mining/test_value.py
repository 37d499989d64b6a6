"""A conversation is worth mining if somebody asked for something technical and got an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.learn.conversations.value import THRESHOLD, analysed
from heedful.records.transcript import Message, Speaker, ToolCall, Transcript
from tests.unit.learn.mining import talks
from tests.unit.learn.mining.talks import talk

LONG = "We talked about the weather for a while. " * 250
BLOCK = "Here it is, just as you wanted it to be all along.\n```\nx = 1\n```\n" * 2


def test_fewer_than_three_messages_are_worth_nothing() -> None:
    value = analysed(talk("Fix the error in the tests", BLOCK))
    assert (value.score, value.worth) == (0.0, False)
    assert value.reasons == ("too few messages",)


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        (BLOCK, 0.3),
        (LONG, 0.2),
        ("The error was a bug in the design of the parser, which I found out at last. " * 2, 0.25),
    ],
)
def test_each_sign_counts_as_much_as_it_should(answer: str, score: float) -> None:
    asked = "There is an error in it" if score == 0.25 else "Show me, please"
    assert analysed(talk(asked, answer, "ok")).score == pytest.approx(score)


def test_three_tool_calls_are_a_sign_and_two_are_not() -> None:
    def used(count: int) -> float:
        tools = tuple(ToolCall("Read", "a.txt") for _ in range(count))
        said = Message(
            "m1", Speaker.ASSISTANT, "I looked at it from all sides, and it seems to be fine. " * 3, tools=tools
        )
        return analysed(talk("Look at it", said, "ok")).score

    assert (used(2), used(3)) == (0.0, 0.25)


def test_keywords_are_whole_words() -> None:
    told = "My latest contest was the greatest; the debugger's prefix is a fixture of suffixes, they protest. " * 2
    assert analysed(talk("Tell me", told, "ok")).score == 0.0


def test_a_short_question_with_a_reasoned_answer_is_worth_it() -> None:
    assert analysed(talks.LIKE).worth
    assert analysed(talks.HANGING).worth


def test_system_messages_and_injected_text_do_not_count() -> None:
    boot = Message("m0", Speaker.SYSTEM, f"error bug fix test {BLOCK}{LONG}")
    reminder = f"<system-reminder>error, bug, test {BLOCK}</system-reminder> how nice"
    value = analysed(
        talk(boot, "It is a lovely day today, and I am happy that you came by to see me. " * 2, reminder, "ok")
    )
    assert value.score == 0.0


def test_a_greeting_alone_asks_for_nothing() -> None:
    value = analysed(talk("hi there!", f"Hello! {BLOCK}{LONG}", "thanks"))
    assert value.reasons == ("nobody asked for anything",)


def test_what_was_broken_off_at_once_is_worth_nothing() -> None:
    interrupt = Message("m2", Speaker.USER, "[interrupted]", failed=True)
    tools = tuple(ToolCall("Bash", "make") for _ in range(5))
    value = analysed(
        talk("Fix the bug in the parser", Message("m1", Speaker.ASSISTANT, "On it.", tools=tools), interrupt)
    )
    assert value.reasons == ("the assistant said next to nothing",)


def test_a_chat_about_soup_is_not_worth_it() -> None:
    assert not analysed(talks.COOKING).worth


@given(st.lists(st.tuples(st.sampled_from(list(Speaker)), st.text()), max_size=8))
def test_any_conversation_has_a_value_and_a_reason(said: list[tuple[Speaker, str]]) -> None:
    messages = tuple(Message(str(number), role, text) for number, (role, text) in enumerate(said))
    value = analysed(Transcript(talks.LIKE.source, messages))
    assert 0 <= value.score <= 1
    assert value.reasons
    assert value.worth == (value.score >= THRESHOLD)

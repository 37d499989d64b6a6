"""The most telling passages of a conversation tell what kinds of learning it may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.learn.conversations.categories import LEAST, MOST, detected
from heedful.learn.conversations.selection import selected
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Message, Speaker, Transcript
from tests.unit.learn.mining import talks
from tests.unit.learn.mining.talks import talk


@pytest.mark.parametrize(
    ("conversation", "topic"),
    [
        (talks.HANGING, InsightCategory.BUG_FIX),
        (talks.SESSIONS, InsightCategory.DECISION),
        (talks.IMPORT, InsightCategory.OPTIMIZATION),
        (talks.LIKE, InsightCategory.TOOL_USAGE),
        (talks.PUBLISH, InsightCategory.WORKFLOW),
        (talks.UTCNOW, InsightCategory.ANTI_PATTERN),
        (talks.MONEY, InsightCategory.BEST_PRACTICE),
        (talks.RETRY, InsightCategory.PATTERN),
    ],
)
def test_each_topic_is_detected_by_what_was_said(conversation: Transcript, topic: InsightCategory) -> None:
    found = detected(conversation)
    assert found[0].category == topic
    assert found[0].signals
    assert len(found) <= MOST
    assert all(one.confidence >= LEAST for one in found)


def test_a_narrating_agent_has_no_topic() -> None:
    assert detected(talks.NARRATED) == ()


def test_passages_stay_within_the_budget_and_in_order() -> None:
    said = [f"The build fails because the cache number {number} is stale, so clear it first." for number in range(400)]
    passages = selected(talk("Why does it fail?", "\n\n".join(said)), tokens=500)
    assert 0 < sum(len(passage.text) for passage in passages) <= 2_000
    assert [passage.message for passage in passages] == sorted(passage.message for passage in passages)


def test_what_states_a_cause_is_chosen_before_what_states_nothing() -> None:
    idle = "\n\n".join(
        f"Step {number} of the long plan was carried out as it had been planned." for number in range(100)
    )
    told = "The upload fails because the proxy cuts bodies above one megabyte."
    passages = selected(talk("go", f"{idle}\n\n{told}\n\n{idle}"), tokens=50)
    assert told in [passage.text for passage in passages]


def test_errors_that_tools_report_are_chosen() -> None:
    failed = Message("m1", Speaker.TOOL, "compiling\nerror: cannot find crate `serde`\nmore output", failed=True)
    assert any("serde" in passage.text for passage in selected(talk("build it", failed)))


@given(st.lists(st.tuples(st.sampled_from(list(Speaker)), st.text()), max_size=8), st.integers(1, 300))
def test_something_is_chosen_wherever_something_was_said(said: list[tuple[Speaker, str]], tokens: int) -> None:
    messages = tuple(Message(str(number), role, text) for number, (role, text) in enumerate(said))
    passages = selected(Transcript(talks.LIKE.source, messages), tokens)
    assert bool(passages) == any(text.strip() for _, text in said)
    assert sum(len(passage.text) for passage in passages) <= 4 * tokens

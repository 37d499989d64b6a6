"""Which conversations are looked into at all, as the built-in reader hears them."""

from __future__ import annotations

from heedful.learn.conversations.pipeline import Case, run
from heedful.providers.correction_reader import LocalReader
from heedful.records.mining import MiningOutcome
from heedful.records.transcript import Message, Speaker, ToolCall
from tests.unit.learn.mining.talks import talk

RULE = "Never log the Authorization header or cookies. They end up where everybody can read them."
DONE = "The middleware now logs each request with all of its headers."


def test_a_rule_for_an_agent_at_work_counts_however_short_the_session_is() -> None:
    edited = Message("e", Speaker.ASSISTANT, DONE, tools=(ToolCall("Edit", "src/auth/middleware.ts"),))
    session = talk("please add logging to the middleware", edited, RULE, "Both are left out now.")
    (kept,) = run(Case(session, LocalReader())).insights
    assert kept.candidate.title == "Never log the Authorization header or cookies"


def test_what_friends_tell_each_other_does_not_count() -> None:
    session = talk("We travelled by train last year, it was lovely.", "How nice.", "See you on Monday!")
    assert run(Case(session, LocalReader())).outcome is MiningOutcome.LOW_VALUE


def test_what_is_dropped_from_a_short_conversation_is_told_with_its_confidence() -> None:
    case = run(Case(talk("the API returns prices in cents, I think", "Ok."), LocalReader()))
    assert case.outcome is MiningOutcome.LOW_QUALITY
    dropped = [step.says for step in case.findings if step.says.startswith("dropped")]
    assert len(dropped) == len(case.candidates[:3])
    assert all(" needed" in says for says in dropped)

"""Which conversations are looked into at all."""

from __future__ import annotations

from heedful.learn.conversations.pipeline import Case, valued
from heedful.records.mining import Outcome
from heedful.records.transcript import Message, Speaker, ToolCall
from tests.unit.learn.mining.talks import talk

RULE = "Never log the Authorization header or cookies. They end up where everybody can read them."
DONE = "The middleware now logs each request with all of its headers."


def test_a_rule_for_an_agent_at_work_counts_however_short_the_session_is() -> None:
    edited = Message("e", Speaker.ASSISTANT, DONE, tools=(ToolCall("Edit", "src/auth/middleware.ts"),))
    case = valued(Case(talk("please add logging to the middleware", edited, RULE, "Both are left out now.")))
    assert case.outcome is None
    assert case.findings[-1].says.endswith("but a rule is stated")


def test_what_friends_always_do_does_not_count() -> None:
    case = valued(Case(talk("We always travel by train, never by plane.", "Noted, by train.", "Never book hostels.")))
    assert case.outcome is Outcome.LOW_VALUE

"""A real agent and real chains of LangChain. It is not among what is installed for tests, because its tracer needs an
older uuid-utils: run them with `pip install heedful langchain pytest` in an environment of their own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import heedful
from tests.unit.adapters.conftest import ASKED, BREAKING, FOLLOWING, checks, docs_example, outcomes

pytest.importorskip("langchain", reason="LangChain is not installed")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolCall
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool

from heedful.adapters.langchain import LearningsMiddleware, with_learnings


class Model(GenericFakeChatModel):  # type: ignore[misc]
    """Keeps what it was sent."""

    sent: list[list[BaseMessage]] = []  # noqa: RUF012 - a field

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.sent.append(messages)
        return super()._generate(messages, *args, **kwargs)


@tool  # type: ignore[untyped-decorator]
def look() -> str:
    """Look."""
    return "found"


def model(*said: str | AIMessage) -> Model:
    return Model(messages=iter([AIMessage(one) if isinstance(one, str) else one for one in said]), sent=[])


def test_an_agent_gets_one_context_for_a_run(acme: heedful.Loop) -> None:
    calling = AIMessage("", tool_calls=[ToolCall(name="look", args={}, id="c")])
    llm = model(calling, FOLLOWING)
    agent = create_agent(
        llm, [look], system_prompt="Be short.", middleware=[LearningsMiddleware(acme, agent="coder", user="dana")]
    )
    result = agent.invoke({"messages": [("user", ASKED)]})
    acme.measure.outcome(result["heedful_context"], accepted=True)

    assert result["messages"][-1].text == FOLLOWING
    assert not any(isinstance(message, SystemMessage) for message in result["messages"])
    assert "heedful_text" not in result
    first, second = (messages[0].text for messages in llm.sent)
    assert first == second
    assert first.startswith("Be short.\n\n<heedful>")
    assert len([*acme.events(kind="CONTEXT_GIVEN")]) == 1
    assert [(one["value"], one["followed"]) for one in outcomes(acme)] == [(None, 1), (1.0, 0)]


def test_an_agent_runs_async_and_without_heedful(acme: heedful.Loop) -> None:
    agent = create_agent(model(BREAKING, "x"), [], middleware=[LearningsMiddleware(acme)])
    asyncio.run(agent.ainvoke({"messages": [("user", ASKED)]}, {"configurable": {"thread_id": "t-1"}}))
    broken = checks(acme)
    (given,) = acme.events(kind="CONTEXT_GIVEN")
    assert given.entity == heedful.Entity("unit", "t-1")
    acme.close()

    assert broken == [(0, 1)]
    result = agent.invoke({"messages": [("user", ASKED)]})
    assert (result["messages"][-1].text, result["heedful_context"]) == ("x", None)


def test_a_chain_is_checked_and_its_outcome_reported(acme: heedful.Loop) -> None:
    llm = model(FOLLOWING, BREAKING)
    told = with_learnings(llm, acme, agent="coder", user="dana", hold_out=0)
    chain = ChatPromptTemplate([("system", "Be short."), ("user", "{question}")]) | told
    told.heedful.outcome(chain.invoke({"question": ASKED}), accepted=True)
    streamed = "".join(chunk.text for chunk in chain.stream({"question": ASKED}))

    assert streamed == BREAKING
    assert all(messages[0].text.startswith("Be short.\n\n<heedful>") for messages in llm.sent)
    assert [(one["value"], one["followed"], one["broken"]) for one in outcomes(acme)] == [
        (None, 1, 0), (1.0, 0, 0), (None, 0, 1),
    ]  # fmt: skip


def test_a_callback_reports_the_outcome_and_failures_if_wished(acme: heedful.Loop) -> None:
    parsed = model(FOLLOWING, FOLLOWING) | StrOutputParser()
    chain = with_learnings(parsed, acme, outcome=lambda said: {"success": said == FOLLOWING}, failures=True)

    assert (chain.invoke(ASKED), asyncio.run(chain.ainvoke(ASKED))) == (FOLLOWING, FOLLOWING)
    with pytest.raises(StopIteration):  # it has nothing more to say
        chain.invoke(ASKED)
    assert [one["value"] for one in outcomes(acme)] == [None, 1.0, None, 1.0, 0.0]


def test_the_example_of_the_docs_runs(acme: heedful.Loop) -> None:
    exec(docs_example("heedful.adapters.langchain"), {"acme": acme, "model": model(FOLLOWING)})

    assert [one["value"] for one in outcomes(acme)] == [None, 1.0]

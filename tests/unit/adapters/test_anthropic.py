"""The real Anthropic SDK, wrapped, against a real server that speaks its protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from anthropic import Anthropic, APIStatusError, AsyncAnthropic

import heedful
from heedful.adapters.anthropic import with_learnings
from tests.llm_server import LlmServer, message, message_stream, problem
from tests.unit.adapters.conftest import ASKED, BREAKING, FOLLOWING, checks, outcomes

if TYPE_CHECKING:
    from heedful.adapters.anthropic import LearningAnthropic

USER = {"role": "user", "content": ASKED}


@pytest.fixture
def client(llm: LlmServer, acme: heedful.Loop) -> Iterator[LearningAnthropic]:
    with Anthropic(api_key="k", base_url=llm.url, max_retries=0) as plain:
        yield with_learnings(plain, acme, agent="coder", user="dana", hold_out=0)


def call(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "small", "max_tokens": 50, "messages": [*messages] or [USER], **more}


def test_the_answer_is_checked_at_once_and_its_outcome_reported_later(
    client: LearningAnthropic, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(message(FOLLOWING))
    answer = client.messages.create(**call())
    client.heedful.outcome(answer, output=FOLLOWING, edited_to=FOLLOWING)

    assert llm.received[0].body["messages"] == [USER]
    assert checks(acme)[0] == (1, 0)
    assert outcomes(acme)[1]["value"] == 1.0


def test_what_is_cached_stays_before_the_context(client: LearningAnthropic, llm: LlmServer) -> None:
    cached = {"type": "text", "text": "A long manual", "cache_control": {"type": "ephemeral"}}
    for system in ([cached], iter([cached]), "Be short.", ""):
        llm.will(message("x"))
        client.messages.create(**call(system=system))

    systems = [received.body["system"] for received in llm.received]
    assert [system[:-1] for system in systems] == [[cached], [cached], [{"type": "text", "text": "Be short."}], []]
    assert all("nil" in system[-1]["text"] and "cache_control" not in system[-1] for system in systems)


def test_results_of_tools_are_not_what_a_person_asked(
    client: LearningAnthropic, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(message(""), message(FOLLOWING))
    client.messages.create(**call())
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "found"}]}
    client.messages.create(**call(USER, use, result))

    assert llm.received[0].body["system"] == llm.received[1].body["system"]
    assert len([*acme.events(kind="CONTEXT_GIVEN")]) == 1


def test_streams_pass_through_and_are_checked_when_they_have_ended(
    client: LearningAnthropic, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(message_stream(FOLLOWING), message_stream(BREAKING), message_stream(BREAKING))
    with client.messages.stream(**call()) as helped:
        assert "".join(helped.text_stream) == FOLLOWING
        client.heedful.outcome(helped.get_final_message(), accepted=True)
    with client.messages.create(stream=True, **call()) as raw:
        assert [event.type for event in raw][-1] == "message_stop"
    with client.messages.stream(**call()) as unread:
        next(iter(unread))

    assert all("nil" in received.body["system"][-1]["text"] for received in llm.received)
    assert [(one["value"], one["followed"], one["broken"]) for one in outcomes(acme)] == [
        (1.0, 0, 0), (None, 1, 0), (None, 0, 1),
    ]  # fmt: skip


def test_the_async_client_does_the_same(acme: heedful.Loop, llm: LlmServer) -> None:
    async def main() -> None:
        async with AsyncAnthropic(api_key="k", base_url=llm.url, max_retries=0) as plain:
            client = with_learnings(plain, acme, agent="coder", user="dana", hold_out=0)
            assert client.heedful.of(await client.messages.create(**call()))
            async with client.messages.stream(**call()) as stream:
                assert await stream.get_final_text() == BREAKING

    llm.will(message(FOLLOWING), message_stream(BREAKING))
    asyncio.run(main())

    assert checks(acme) == [(1, 0), (0, 1)]


def test_without_heedful_the_call_goes_on_and_errors_are_the_applications_own(
    client: LearningAnthropic, acme: heedful.Loop, llm: LlmServer
) -> None:
    acme.close()
    llm.will(message("x"), problem(400, "invalid_request_error"))

    assert client.messages.create(**call()).content[-1].text == "x"
    assert "system" not in llm.received[0].body
    with pytest.raises(APIStatusError):
        client.messages.create(**call())

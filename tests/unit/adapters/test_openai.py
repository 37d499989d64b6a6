"""The real OpenAI SDK, wrapped, against a real server that speaks its protocol."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openai import APIStatusError, AsyncOpenAI, OpenAI

import heedful
from heedful.adapters.openai import with_learnings
from heedful.edges.server import Server
from heedful.errors import InvalidInput
from heedful.settings import Settings
from tests.contract.correcting import WordEmbedder, report
from tests.llm_server import LlmServer, Reply, chat, chat_stream, problem, response_stream
from tests.serving import serving
from tests.unit.adapters.conftest import ASKED, BREAKING, FOLLOWING, checks, outcomes

if TYPE_CHECKING:
    from heedful.adapters.openai import LearningOpenAI

USER: Any = {"role": "user", "content": ASKED}


@pytest.fixture
def plain(llm: LlmServer) -> Iterator[OpenAI]:
    with OpenAI(api_key="k", base_url=llm.url, max_retries=0) as client:
        yield client


@pytest.fixture
def client(plain: OpenAI, acme: heedful.Loop) -> LearningOpenAI:
    return with_learnings(plain, acme, agent="coder", user="dana", hold_out=0)


def ask(client: OpenAI, *messages: Any, **more: Any) -> Any:
    return client.chat.completions.create(model="small", messages=messages or [USER], **more)


def response(text: str) -> Reply:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    return Reply(_response([message]))


def _response(output: list[Any], status: str = "completed") -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "created_at": 1, "model": "small", "status": status, "output": output,
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}  # fmt: skip


def test_the_answer_is_checked_at_once_and_its_outcome_reported_later(
    client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(chat(FOLLOWING))
    answer = ask(client)
    client.heedful.outcome(answer, accepted=True)

    assert answer.choices[0].message.content == FOLLOWING
    system, user = llm.received[0].body["messages"]
    assert system["role"] == "system"
    assert "nil" in system["content"]
    assert user == USER
    first, second = outcomes(acme)
    assert (first["value"], first["followed"], second["value"]) == (None, 1, 1.0)
    assert first["context"] == second["context"] == client.heedful.of(answer)


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ([], "system"),
        ([{"role": "system", "content": "Be short."}], "system"),
        ([{"role": "developer", "content": [{"type": "text", "text": "Be short."}]}], "developer"),
    ],
)
def test_the_context_ends_the_system_message_of_the_application(
    given: list[Any], sent: str, client: LearningOpenAI, llm: LlmServer
) -> None:
    llm.will(chat(BREAKING))
    ask(client, *given, {"role": "user", "content": [{"type": "text", "text": ASKED}, {"type": "image_url"}]})

    system, user = llm.received[0].body["messages"]
    said = (
        system["content"] if isinstance(system["content"], str) else "\n\n".join(p["text"] for p in system["content"])
    )
    assert (system["role"], user["role"]) == (sent, "user")
    assert said.startswith("Be short.\n\n<heedful>" if given else "<heedful>")
    assert given in ([], [{**given[0]}] if given else [])


@pytest.mark.parametrize("system", [{"role": "system", "content": None}, {"role": "system"}])
def test_a_system_message_without_content_gets_the_context(
    system: Any, client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(chat(FOLLOWING))
    ask(client, system, USER)

    assert llm.received[0].body["messages"][0]["content"].startswith("<heedful>")
    assert checks(acme) == [(1, 0)]


def test_a_context_that_did_not_reach_the_prompt_is_not_measured(
    client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer
) -> None:
    """The content of the system message is nothing that a text can be added to."""
    llm.will(chat(BREAKING))
    answer = ask(client, {"role": "system", "content": 7}, USER)

    assert llm.received[0].body["messages"][0]["content"] == 7
    assert client.heedful.outcome(answer, accepted=False) is None
    assert outcomes(acme) == []


def test_conversations_in_which_the_same_is_asked_keep_their_own_contexts(
    client: LearningOpenAI, llm: LlmServer
) -> None:
    llm.will(*(chat("x") for _ in range(4)))
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    loop = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "found"},
    ]
    about_files, about_mail = ([{"role": "user", "content": about}, USER] for about in ("On files:", "On mail:"))
    begun = [client.heedful.of(ask(client, *said)) for said in (about_files, about_mail)]
    about_files[0] = {"role": "user", "content": [{"type": "text", "text": "On files:", "cache": True}]}
    assert client.heedful.find(ASKED) is None, "a question is not the id of an answer"

    assert begun[0] != begun[1]
    assert [client.heedful.of(ask(client, *said, *loop)) for said in (about_files, about_mail)] == begun


def test_a_tool_loop_keeps_the_context_of_what_was_asked(
    client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(chat(None), chat(FOLLOWING))
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    first = ask(client)
    second = ask(
        client,
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "found"},
    )

    assert client.heedful.of(first) == client.heedful.of(second)
    assert len([*acme.events(kind="CONTEXT_GIVEN")]) == 1
    assert checks(acme) == [(1, 0)]


def test_a_stream_passes_through_and_is_checked_when_it_has_ended(
    client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer
) -> None:
    llm.will(chat_stream(BREAKING))
    with ask(client, stream=True) as stream:
        said = []
        for chunk in stream:
            assert outcomes(acme) == []
            said.append(chunk.choices[0].delta.content or "")
    client.heedful.outcome(stream, success=False)

    assert "".join(said) == BREAKING
    assert checks(acme)[0] == (0, 1)
    assert outcomes(acme)[1]["value"] == 0.0


def test_the_stream_helper_of_the_sdk_works_too(client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer) -> None:
    llm.will(chat_stream(FOLLOWING))
    with client.chat.completions.stream(model="small", messages=[USER]) as stream:
        final = stream.get_final_completion()
    client.heedful.outcome(final, accepted=True)

    assert "nil" in llm.received[0].body["messages"][0]["content"]
    assert checks(acme)[0] == (1, 0)
    assert outcomes(acme)[1]["value"] == 1.0


def test_responses_get_the_context_as_instructions(client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer) -> None:
    llm.will(response(FOLLOWING), response(BREAKING))
    first = client.responses.create(model="small", input=ASKED, instructions="Be short.")
    client.responses.create(
        model="small",
        previous_response_id=first.id,
        input=[{"type": "function_call_output", "call_id": "c", "output": "1"}],
    )

    assert first.output_text == FOLLOWING
    one, two = (received.body["instructions"] for received in llm.received)
    assert one == f"Be short.\n\n{two}"
    assert two.startswith("<heedful>")
    assert len([*acme.events(kind="CONTEXT_GIVEN")]) == 1
    assert checks(acme) == [(1, 0), (0, 1)]


def test_streamed_responses_are_checked(client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer) -> None:
    place = {"item_id": "m", "output_index": 0, "content_index": 0, "logprobs": []}
    sent: list[dict[str, Any]] = [
        {"type": "response.created", "response": _response([], "in_progress")},
        {"type": "response.output_text.delta", "delta": FOLLOWING, **place},
        {"type": "response.completed", "response": _response([])},
    ]
    llm.will(response_stream(*sent))
    assert [event.type for event in client.responses.create(model="small", input=ASKED, stream=True)][-1] == (
        "response.completed"
    )
    client.heedful.outcome("resp_1", score=0.5)

    assert checks(acme)[0] == (1, 0)
    assert outcomes(acme)[1]["value"] == 0.5


def test_the_async_client_does_the_same(acme: heedful.Loop, llm: LlmServer) -> None:
    async def main() -> None:
        async with AsyncOpenAI(api_key="k", base_url=llm.url, max_retries=0) as plain:
            client = with_learnings(plain, acme, agent="coder", user="dana", hold_out=0)
            answer = await client.chat.completions.create(model="small", messages=[USER])
            assert client.heedful.of(answer)
            stream: Any = await ask(client, stream=True)  # type: ignore[arg-type]
            async with stream:
                assert "".join([chunk.choices[0].delta.content or "" async for chunk in stream]) == BREAKING

    llm.will(chat(FOLLOWING), chat_stream(BREAKING))
    asyncio.run(main())

    assert checks(acme) == [(1, 0), (0, 1)]


def test_the_client_that_was_wrapped_and_other_options_stay_as_they_are(
    plain: OpenAI, client: LearningOpenAI, llm: LlmServer
) -> None:
    llm.will(chat("x"), chat("x"))
    ask(plain)
    ask(client.with_options(timeout=5))

    assert [len(received.body["messages"]) for received in llm.received] == [1, 2]
    assert isinstance(client, OpenAI)


def test_without_a_relevant_learning_nothing_is_added(plain: OpenAI, tmp_path: Path, llm: LlmServer) -> None:
    with heedful.open(str(tmp_path / "empty.db"), embedder=WordEmbedder()) as loop:
        client = with_learnings(plain, loop)
        llm.will(chat("x"))
        answer = ask(client)

        assert llm.received[0].body["messages"] == [USER]
        assert client.heedful.outcome(answer, accepted=True) is None
        assert [*loop.events()] == []


def test_if_heedful_fails_the_call_goes_on_and_it_is_logged_once(
    client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer, caplog: pytest.LogCaptureFixture
) -> None:
    acme.close()
    llm.will(chat("x"), chat("x"))
    with caplog.at_level(logging.WARNING, logger="heedful"):
        answers = [ask(client), ask(client)]

    assert [answer.choices[0].message.content for answer in answers] == ["x", "x"]
    assert [record.message for record in caplog.records] == [
        "the application goes on without context of heedful: closed"
    ]
    assert client.heedful.outcome(answers[0], accepted=True) is None


def test_errors_of_the_application_are_its_own(client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer) -> None:
    llm.will(problem(400, "bad_request", "no such model"))
    with pytest.raises(APIStatusError):
        ask(client)
    with pytest.raises(TypeError, match="messages"):
        client.chat.completions.create(model="small")  # type: ignore[call-overload]

    assert outcomes(acme) == []


def test_mistakes_in_the_use_of_an_adapter_are_told(client: LearningOpenAI, plain: OpenAI, acme: heedful.Loop) -> None:
    with pytest.raises(InvalidInput, match="needs a loop or a client"):
        with_learnings(plain, "acme")  # type: ignore[call-overload]
    with pytest.raises(InvalidInput, match="agent"):
        with_learnings(plain, acme, agent="")
    with pytest.raises(InvalidInput, match="had no context"):
        client.heedful.outcome(object(), accepted=True)


def test_what_heedful_said_is_not_asked_about(client: LearningOpenAI, acme: heedful.Loop, llm: LlmServer) -> None:
    """An application may send a prompt that has a context in it already."""
    llm.will(chat("x"))
    ask(client, {"role": "user", "content": f"<heedful>\n{ASKED}\n</heedful> Sing a song"})

    assert len(llm.received[0].body["messages"]) == 1


def test_with_a_server_behind_it_all_is_the_same_and_without_it_the_call_goes_on(
    plain: OpenAI, tmp_path: Path, llm: LlmServer
) -> None:
    settings = Settings(database=str(tmp_path / "served.db"), org="acme", rate_limit=0)
    llm.will(chat(FOLLOWING), chat("x"))
    with serving(Server(settings, worker=False)) as served:
        report(served.loop.org("acme"), "an error", "nil", query=ASKED)
        remote = heedful.Client(served.url, served.key())
        client = with_learnings(plain, remote, agent="coder", user="dana", hold_out=0)
        client.heedful.outcome(ask(client), accepted=True)
        assert checks(served.loop.org("acme"))[0] == (1, 0)

    assert "nil" in llm.received[0].body["messages"][0]["content"]
    with remote:
        assert ask(client).choices[0].message.content == "x"

"""The OpenAI SDK, with any server that speaks its protocol: answers get a context and are checked.

    client = with_learnings(OpenAI(), acme, agent="writer")
    response = client.responses.create(model=…, input="Write to the customer")
    client.heedful.outcome(response, accepted=True)

The context goes into the system message, or into `instructions`. Sync and async clients, answers and streams.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Unpack, overload

from heedful.adapters.chat import Arguments, ChatApi, learning_async_call, learning_call, part
from heedful.adapters.contexts import ContextOptions, Contexts

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from heedful.loop import Stages

    class LearningOpenAI(OpenAI):
        heedful: Contexts

    class LearningAsyncOpenAI(AsyncOpenAI):
        heedful: Contexts


@overload
def with_learnings(client: OpenAI, loop: Stages, **options: Unpack[ContextOptions]) -> LearningOpenAI: ...
@overload
def with_learnings(client: AsyncOpenAI, loop: Stages, **options: Unpack[ContextOptions]) -> LearningAsyncOpenAI: ...
def with_learnings(client: Any, loop: Stages, **options: Unpack[ContextOptions]) -> Any:
    """A copy of the client that heeds what was learned; it shares the connections, so make one per user or task."""
    return _learning(client.copy(), Contexts(loop, **options))


def _learning(client: Any, contexts: Contexts) -> Any:
    from openai import AsyncOpenAI

    wrap = learning_async_call if isinstance(client, AsyncOpenAI) else learning_call
    copy = client.copy
    for resource, api in ((client.chat.completions, CHAT), (client.responses, RESPONSES)):
        for method in ("create", "parse"):  # `stream` calls `create`
            setattr(resource, method, wrap(getattr(resource, method), api, contexts))
    client.heedful = contexts
    client.copy = client.with_options = lambda **changes: _learning(copy(**changes), contexts)
    return client


def _in_messages(arguments: Arguments, text: str) -> Arguments:
    """In the system message, because chat templates of many models take only one; it stays as it was up to there."""
    messages = arguments["messages"]
    at = len([*takewhile(lambda message: part(message, "role") in ("system", "developer"), messages)])
    last = messages[at - 1] if at else None
    if isinstance(last, Mapping):
        said = last.get("content") or ""  # some libraries leave it out, or None
        joined = f"{said}\n\n{text}" if said else text
        content = joined if isinstance(said, str) else [*said, {"type": "text", "text": text}]
        changed = [*messages[: at - 1], {**last, "content": content}, *messages[at:]]
    else:
        changed = [*messages[:at], {"role": "system", "content": text}, *messages[at:]]
    return {**arguments, "messages": changed}


def _in_instructions(arguments: Arguments, text: str) -> Arguments:
    said = arguments.get("instructions")
    return {**arguments, "instructions": f"{said}\n\n{text}" if isinstance(said, str) and said else text}


def _message(completion: Any) -> str:
    choices = part(completion, "choices")
    return part(part(choices[0], "message"), "content") or "" if choices else ""


def _chunk(chunk: Any) -> str:
    choices = part(chunk, "choices")
    return part(part(choices[0], "delta"), "content") or "" if choices else ""


def _response_event(event: Any) -> str:
    return event.delta if part(event, "type") == "response.output_text.delta" else ""


CHAT = ChatApi("messages", _in_messages, _message, _chunk)
RESPONSES = ChatApi("input", _in_instructions, lambda response: part(response, "output_text") or "", _response_event)

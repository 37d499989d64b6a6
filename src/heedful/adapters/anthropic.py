"""The Anthropic SDK: answers get a context and are checked.

    client = with_learnings(Anthropic(), acme, agent="writer")
    message = client.messages.create(model=…, max_tokens=…, messages=[…])
    client.heedful.outcome(message, accepted=True)

The context is the last block of `system`, so that what was cached before it stays cached. Sync and async clients,
answers and streams.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Unpack, overload

from heedful.adapters.chat import Arguments, ChatApi, learning_async_call, learning_call, part, prepared
from heedful.adapters.contexts import ContextOptions, Contexts

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic

    from heedful.loop import Stages

    class LearningAnthropic(Anthropic):
        heedful: Contexts

    class LearningAsyncAnthropic(AsyncAnthropic):
        heedful: Contexts


@overload
def with_learnings(client: Anthropic, loop: Stages, **options: Unpack[ContextOptions]) -> LearningAnthropic: ...
@overload
def with_learnings(
    client: AsyncAnthropic, loop: Stages, **options: Unpack[ContextOptions]
) -> LearningAsyncAnthropic: ...
def with_learnings(client: Any, loop: Stages, **options: Unpack[ContextOptions]) -> Any:
    """A copy of the client that heeds what was learned; it shares the connections, so make one per user or task."""
    return _learning(client.copy(), Contexts(loop, **options))


def _learning(client: Any, contexts: Contexts) -> Any:
    from anthropic import AsyncAnthropic

    wrap = learning_async_call if isinstance(client, AsyncAnthropic) else learning_call
    copy, messages = client.copy, client.messages
    stream = messages.stream
    for method in ("create", "parse"):
        setattr(messages, method, wrap(getattr(messages, method), MESSAGES, contexts))
    messages.stream = lambda **arguments: LearningStreamManager(stream, arguments, contexts)
    client.heedful = contexts
    client.copy = client.with_options = lambda **changes: _learning(copy(**changes), contexts)
    return client


class LearningStreamManager:
    """`messages.stream(…)`: the request is made when it is entered, so that is when its context is composed."""

    def __init__(self, stream: Callable[..., Any], arguments: Arguments, contexts: Contexts) -> None:
        self._stream = stream
        self._arguments = arguments
        self._contexts = contexts

    def __enter__(self) -> Any:
        arguments, self._context = prepared(MESSAGES, self._contexts, self._arguments)
        self._manager = self._stream(**arguments)
        self._entered = self._manager.__enter__()
        self._contexts.remember(self._context, self._entered)
        final = self._entered.get_final_message
        self._entered.get_final_message = lambda: self._remembered(final())
        return self._entered

    def __exit__(self, *error: object) -> Any:
        self._ended()
        return self._manager.__exit__(*error)

    async def __aenter__(self) -> Any:
        arguments, self._context = await asyncio.to_thread(prepared, MESSAGES, self._contexts, self._arguments)
        self._manager = self._stream(**arguments)
        self._entered = await self._manager.__aenter__()
        self._contexts.remember(self._context, self._entered)
        final = self._entered.get_final_message

        async def remembered() -> Any:
            return self._remembered(await final())

        self._entered.get_final_message = remembered
        return self._entered

    async def __aexit__(self, *error: object) -> Any:
        await asyncio.to_thread(self._ended)
        return await self._manager.__aexit__(*error)

    def _remembered(self, message: Any) -> Any:
        """An outcome may be reported before the stream is closed."""
        self._contexts.remember(self._context, message)
        return message

    def _ended(self) -> None:
        """A stream that nobody read to its end is not checked."""
        try:
            message = self._entered.current_message_snapshot
        except AssertionError:
            return  # nothing of it was read
        if message.stop_reason is not None:
            self._contexts.answered(self._context, message, _text)


def _in_system(arguments: Arguments, text: str) -> Arguments:
    said = arguments.get("system")
    if isinstance(said, str):
        said = [{"type": "text", "text": said}] if said else []
    blocks = [*said] if isinstance(said, Iterable) else []
    return {**arguments, "system": [*blocks, {"type": "text", "text": text}]}


def _text(message: Any) -> str:
    blocks = part(message, "content") or ()
    return "".join(part(block, "text") or "" for block in blocks if part(block, "type") == "text")


def _event(event: Any) -> str:
    delta = part(event, "delta") if part(event, "type") == "content_block_delta" else None
    return part(delta, "text") or "" if part(delta, "type") == "text_delta" else ""


MESSAGES = ChatApi("messages", _in_system, _text, _event)

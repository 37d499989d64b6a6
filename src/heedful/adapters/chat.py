"""Calls of chat APIs: a context goes into the arguments, and the answer or the stream is watched as it passes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from hashlib import blake2b
from typing import Any, NamedTuple

from heedful.adapters.contexts import EMPTY, ChatQuery, Contexts
from heedful.records.context import Context

Arguments = dict[str, Any]
_TEXT = ("text", "input_text")
_IDENTITY = ("role", "id", "call_id", "tool_call_id", "tool_use_id", "text", "output")


class ChatApi(NamedTuple):
    """How one method of an SDK is spoken to."""

    messages: str
    """The argument with the messages."""
    put: Callable[[Arguments, str], Arguments]
    """Arguments with a text among the instructions."""
    text: Callable[[Any], str]
    """The text of an answer."""
    delta: Callable[[Any], str]
    """The text of one event of a stream."""


def learning_call(call: Callable[..., Any], api: ChatApi, contexts: Contexts) -> Callable[..., Any]:
    @wraps(call)
    def answered(**given: Any) -> Any:
        arguments, context = prepared(api, contexts, given)
        answer = call(**arguments)
        if given.get("stream") is True:
            return WatchedStream(answer, api.delta, contexts, context)
        contexts.answered(context, answer, api.text)
        return answer

    return answered


def learning_async_call(call: Callable[..., Any], api: ChatApi, contexts: Contexts) -> Callable[..., Any]:
    @wraps(call)
    async def answered(**given: Any) -> Any:
        arguments, context = await asyncio.to_thread(prepared, api, contexts, given)
        answer = await call(**arguments)
        if given.get("stream") is True:
            return WatchedAsyncStream(answer, api.delta, contexts, context)
        await asyncio.to_thread(contexts.answered, context, answer, api.text)
        return answer

    return answered


def prepared(api: ChatApi, contexts: Contexts, given: Mapping[str, Any]) -> tuple[Arguments, Context]:
    """The arguments with a context for what was asked."""
    arguments = dict(given)
    messages = arguments.get(api.messages)
    if isinstance(messages, Iterable) and not isinstance(messages, str):
        arguments[api.messages] = messages = [*messages]  # an iterator can be read only once
    context = contexts.compose(asked(messages, arguments.get("previous_response_id")))
    if not context.text:
        return arguments, context
    changed = contexts.attempt("context", lambda: api.put(arguments, context.text))
    return (arguments, EMPTY) if changed is None else (changed, context)  # what nobody read must not be measured


def asked(messages: object, previous: object = None) -> ChatQuery:
    """What the last message of a person says; messages after it mean that the model goes on with the same turn."""
    previous = previous if isinstance(previous, str) else None
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    messages = messages if isinstance(messages, list) else []
    for after, message in enumerate(reversed(messages)):
        if part(message, "role") == "user" and (text := content_text(part(message, "content"))):
            turn = _digest(previous, messages[: len(messages) - after])
            return ChatQuery(text, turn, goes_on=after > 0)
    return ChatQuery(previous=previous)


def _digest(previous: str | None, messages: Sequence[object]) -> bytes:
    """Tells conversations apart in which a person says the same, such as "go on": by all that was said before."""
    found = blake2b(repr(previous).encode(), digest_size=16)
    for message in messages:
        found.update(repr([*_identity(message)]).encode(errors="replace"))
    return found.digest()


def _identity(message: object) -> Iterator[object]:
    """What stays the same when it is sent again: texts, names and ids, but not, for example, what is to be cached."""
    content, calls = part(message, "content"), part(message, "tool_calls")
    content = [{"text": content}] if isinstance(content, str) else content
    blocks = [one for many in (content, calls) if isinstance(many, list | tuple) for one in many]
    for one in (message, *blocks):
        yield [value if isinstance(value := part(one, name), str) else None for name in _IDENTITY]


def content_text(content: object) -> str:
    """The text of a message: a string, or the parts that are text."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list | tuple) else ()
    texts = (part(one, "text") for one in parts if part(one, "type") in _TEXT)
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


def part(value: object, name: str) -> Any:
    """A part of a dict or of an object of an SDK; both may stand in a list of messages."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


class _Watched:
    """A stream that passes through unchanged. When it has ended, what it said is checked."""

    def __init__(self, stream: Any, delta: Callable[[Any], str], contexts: Contexts, context: Context) -> None:
        self._stream = stream
        self._delta = delta
        self._contexts = contexts
        self._context = context
        self._heard: list[str] = []
        contexts.remember(context, self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _hear(self, event: Any) -> None:
        if not self._heard:  # only the answer itself has an id, which one of its first events tells
            self._contexts.remember(self._context, part(event, "response") or part(event, "message") or event)
        self._heard.append(self._contexts.attempt("output", lambda: self._delta(event)) or "")

    def _ended(self) -> None:
        self._contexts.check(self._context, "".join(self._heard))


class WatchedStream(_Watched):
    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._events = self._watch()

    def _watch(self) -> Iterator[Any]:
        for event in self._stream:
            self._hear(event)
            yield event
        self._ended()

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def __next__(self) -> Any:
        return next(self._events)

    def __enter__(self) -> WatchedStream:
        self._stream.__enter__()
        return self

    def __exit__(self, *error: object) -> Any:
        return self._stream.__exit__(*error)


class WatchedAsyncStream(_Watched):
    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._events = self._watch()

    async def _watch(self) -> AsyncIterator[Any]:
        async for event in self._stream:
            self._hear(event)
            yield event
        await asyncio.to_thread(self._ended)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._events

    async def __anext__(self) -> Any:
        return await anext(self._events)

    async def __aenter__(self) -> WatchedAsyncStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> Any:
        return await self._stream.__aexit__(*error)

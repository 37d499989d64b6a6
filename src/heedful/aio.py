"""Async API: the same loop and the same client, with each call in a thread.

loop = await heedful.aio.open("heedful.db", org="acme")
await loop.capture.event("MAPPING_CONFIRMED", actor="dana")
async for event in loop.events(kind="MAPPING_CONFIRMED"): ...
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from functools import partial
from itertools import islice
from typing import Any, Self, TypeVar

from heedful import loop as sync
from heedful.conversation import Conversation
from heedful.errors import NotOffered
from heedful.loop import Stages

T = TypeVar("T")
_AT_ONCE = 200


async def open(*args: Any, **options: Any) -> Loop:
    """Like `heedful.open`."""
    return Loop(await asyncio.to_thread(partial(sync.open, *args, **options)))


def Client(url: str, key: str, **options: Any) -> Loop:  # noqa: N802 - as its counterpart is called
    """Like `heedful.Client`."""
    from heedful.client import Client  # noqa: PLC0415 - an extra

    return Loop(Client(url, key, **options))


class AsyncStage:
    """Wraps a stage: runs its methods in a thread, and also properties that may query the store."""

    def __init__(self, target: Any) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Any:
        if name == "transaction":
            raise NotOffered("A transaction belongs to one thread.", hint="Use it inside `await loop.run(function)`.")
        if isinstance(getattr(type(self._target), name, None), property):
            return Call(partial(getattr, self._target, name))
        found = getattr(self._target, name)
        if hasattr(found, "_store"):
            return AsyncStage(found)
        return partial(Call, found) if callable(found) else found


class Loop(AsyncStage):
    _target: Stages

    async def run(self, work: Callable[[Any], T]) -> T:
        """Run a function in one thread: `await loop.run(record_both)`; transactions work inside it."""
        return await asyncio.to_thread(work, self._target)

    async def close(self) -> None:
        await asyncio.to_thread(self._target.close)  # type: ignore[attr-defined]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class Call:
    """Awaitable, or an async iterator if the method returns an iterator."""

    def __init__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self._call = partial(function, *args, **kwargs)
        self._begun = False

    def __await__(self) -> Generator[Any, None, Any]:
        self._begun = True
        return asyncio.to_thread(self._answer).__await__()

    def __del__(self) -> None:
        if not self._begun:
            warnings.warn(f"{self._call.func!r} was never awaited", RuntimeWarning, stacklevel=2)

    def _answer(self) -> Any:
        found = self._call()
        if isinstance(found, Stages):
            return Loop(found)
        return AsyncStage(found) if isinstance(found, Conversation) else found

    async def __aiter__(self) -> AsyncIterator[Any]:
        self._begun = True
        items: Iterator[Any] = iter(await asyncio.to_thread(self._call))
        while chunk := await asyncio.to_thread(lambda: list(islice(items, _AT_ONCE))):
            for item in chunk:
                yield item

"""Group commit: writes of an organisation that arrive together are committed in one transaction, by one thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import groupby
from typing import Any, NamedTuple

from anyio import CapacityLimiter, to_thread

from heedful.edges.api.fair_limiter import FairLimiter
from heedful.errors import StoreError
from heedful.loop import Loop
from heedful.operations.caller import Caller, acting
from heedful.wire import Wire, dump

_MAX_BATCH = 64


class _PendingWrite(NamedTuple):
    caller: Caller
    wire: Wire
    arguments: Mapping[str, Any]
    answer: asyncio.Future[bytes]


class WriteBatcher:
    """The pending writes of one organisation. Calls `done` when none are left."""

    def __init__(
        self, loop: Loop, limiter: FairLimiter, threads: CapacityLimiter, *, done: Callable[[], object]
    ) -> None:
        self._loop = loop
        self._limiter = limiter
        self._threads = threads
        self._done = done
        self._waiting: list[_PendingWrite] = []
        self._task: asyncio.Task[None] | None = None

    async def do(self, caller: Caller, wire: Wire, arguments: Mapping[str, Any]) -> bytes:
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting.append(_PendingWrite(caller, wire, arguments, answer))
        if self._task is None:
            self._task = asyncio.create_task(self._drain())
        return await answer

    async def _drain(self) -> None:
        try:
            while self._waiting:
                async with self._limiter.slot(self._loop.name):
                    together, self._waiting = self._waiting[:_MAX_BATCH], self._waiting[_MAX_BATCH:]
                    outcomes = await to_thread.run_sync(self._act, together, limiter=self._threads)
                for write, outcome in zip(together, outcomes, strict=True):
                    _resolve(write.answer, outcome)
        finally:
            self._done()

    def _act(self, together: Sequence[_PendingWrite]) -> list[bytes | Exception]:
        try:
            with self._loop.transaction() if len(together) > 1 else nullcontext():
                return _outcomes(self._loop, together)
        except StoreError as error:  # none of them is durable
            return [error] * len(together)
        except Exception as error:  # noqa: BLE001 - rolled back, so each can be retried alone
            return [error] if len(together) == 1 else [self._act([write])[0] for write in together]


def _outcomes(loop: Loop, members: Sequence[_PendingWrite]) -> list[bytes | Exception]:
    """A failing operation rolls back only itself: nested transactions are savepoints."""
    found: list[bytes | Exception] = []
    for (caller, wire), same in groupby(members, key=lambda write: (write.caller, write.wire)):
        with acting(caller):
            answers = wire.call_together(loop, [write.arguments for write in same])
        found += [answer if isinstance(answer, Exception) else dump(answer) for answer in answers]
    return found


def _resolve(answer: asyncio.Future[bytes], outcome: bytes | Exception) -> None:
    if answer.done():  # the client disconnected
        return
    if isinstance(outcome, Exception):
        answer.set_exception(outcome)
    else:
        answer.set_result(outcome)

"""Writes that arrive together are committed together.

Each request for itself would wait for the disk in a thread of its own, and a dozen threads that fight for one
interpreter are slower than one. So an organisation has a lane with one thread at a time, which does everything that has
arrived meanwhile in one transaction; nobody gets an answer before it is on disk, and each gets their own.
"""

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

_AT_ONCE = 64


class _PendingWrite(NamedTuple):
    caller: Caller
    wire: Wire
    arguments: Mapping[str, Any]
    answer: asyncio.Future[bytes]


class WriteBatcher:
    """The writes of one organisation. When there are none left it is `done`, and another one is made for the next."""

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
                    together, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
                    outcomes = await to_thread.run_sync(self._act, together, limiter=self._threads)
                for asked, outcome in zip(together, outcomes, strict=True):
                    _tell(asked.answer, outcome)
        finally:
            self._done()

    def _act(self, together: Sequence[_PendingWrite]) -> list[bytes | Exception]:
        try:
            with self._loop.transaction() if len(together) > 1 else nullcontext():
                return _outcomes(self._loop, together)
        except StoreError as error:  # it did not become durable, for none of them
            return [error] * len(together)
        except Exception as error:  # noqa: BLE001 - nothing was kept, so each can be tried again by itself
            return [error] if len(together) == 1 else [self._act([asked])[0] for asked in together]


def _outcomes(loop: Loop, members: Sequence[_PendingWrite]) -> list[bytes | Exception]:
    """An operation that fails undoes its own part only: inside a transaction, its own one is a savepoint."""
    found: list[bytes | Exception] = []
    for (caller, wire), same in groupby(members, key=lambda asked: (asked.caller, asked.wire)):
        with acting(caller):
            answers = wire.call_together(loop, [asked.arguments for asked in same])
        found += [answer if isinstance(answer, Exception) else dump(answer) for answer in answers]
    return found


def _tell(answer: asyncio.Future[bytes], outcome: bytes | Exception) -> None:
    if answer.done():  # whoever asked has left
        return
    if isinstance(outcome, Exception):
        answer.set_exception(outcome)
    else:
        answer.set_result(outcome)

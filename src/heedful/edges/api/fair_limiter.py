"""A concurrency limit that is fair: an organisation with a thousand requests does not delay the first of another."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FairLimiter:
    """Limits concurrency, in total and per organisation. For one event loop."""

    def __init__(self, at_once: int, *, each: int) -> None:
        self._free = at_once
        self._each = each
        self._running: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def slot(self, org: str) -> AsyncIterator[None]:
        await self._take(org)
        try:
            yield
        finally:
            self._give(org)

    async def _take(self, org: str) -> None:
        called = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(org, deque()).append(called)
        self._call_next()
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():  # cancelled right after it got its slot
                self._give(org)
            raise

    def _give(self, org: str) -> None:
        self._free += 1
        self._running -= Counter((org,))  # drops organisations at zero
        if org in self._waiting:
            self._waiting.move_to_end(org)
        self._call_next()

    def _call_next(self) -> None:
        """Gives free slots to the organisations that have waited longest since their last one."""
        for org in list(self._waiting):
            if not self._free:
                return
            queue = self._waiting[org]
            while queue and queue[0].cancelled():
                queue.popleft()
            if queue and self._running[org] < self._each:
                queue.popleft().set_result(None)
                self._free -= 1
                self._running[org] += 1
                self._waiting.move_to_end(org)
            if not queue:
                del self._waiting[org]

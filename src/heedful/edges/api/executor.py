"""Runs operations in threads, as the caller and in their organisation, with fair limits per organisation."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import HTTPConnection

from heedful.edges.api.auth import no_key
from heedful.edges.api.fair_limiter import FairLimiter
from heedful.edges.api.write_batcher import WriteBatcher
from heedful.errors import Closed
from heedful.loop import Loop
from heedful.operations import policy
from heedful.operations.caller import Caller, acting
from heedful.wire import Wire, dump

T = TypeVar("T")
_THREADS = 16
_SHARE = 8  # of these threads, for each organisation
_STREAMS = 2
_DOCUMENTS = 2  # as many as there are processes that read them
_CACHE_SIZE = 1_000


class Executor:
    def __init__(
        self, loop: Loop, *, changed: Callable[[], object], recheck: Callable[[Caller], Awaitable[None]]
    ) -> None:
        self.loop = loop
        self._recheck = recheck
        """Checks that the key of a long request is still valid."""
        self._changed = changed
        self._loops: OrderedDict[str, Loop] = OrderedDict()
        self._threads = CapacityLimiter(math.inf)  # the fair limiters limit them
        self._readers = FairLimiter(_THREADS, each=_SHARE)  # separate, so that readers do not wait for writers
        self._writers = FairLimiter(_THREADS, each=_SHARE)
        self._streams = FairLimiter(_STREAMS, each=1)
        self._documents = FairLimiter(_DOCUMENTS, each=1)
        # SQLite has one writer at a time anyway.
        self._committers = FairLimiter(1 if loop.store.database.one_writer else _THREADS, each=1)
        self._batchers: dict[str, WriteBatcher] = {}
        self._stopping = False

    def stop(self) -> None:
        self._stopping = True

    def require_running(self) -> None:
        if self._stopping:
            raise Closed("The server is stopping.", hint="Send the rest again; lines with an id are recorded once.")

    async def perform(self, request: HTTPConnection, wire: Wire, arguments: Mapping[str, Any]) -> bytes:
        caller = caller_of(request)
        if wire.operation.together is not None:
            return await self._batcher(caller.org).do(caller, wire, arguments)
        reads = wire.operation.verb == "GET"
        document = wire.operation.upload is not None
        answer = await self.run(caller, lambda loop: dump(wire.call(loop, arguments)), reads=reads, document=document)
        if wire.operation.permission is policy.KeyPolicy.revoke:
            self._changed()
        return answer

    async def recheck(self, request: HTTPConnection) -> None:
        """Raises if the key of a long request was revoked meanwhile."""
        await self._recheck(caller_of(request))

    async def run(self, caller: Caller, work: Callable[[Loop], T], *, reads: bool = False, document: bool = False) -> T:
        """With `document`, it reads or draws a document, which may be slow: each organisation has one turn at a time,
        and those who wait hold no slot that others need."""
        if document:
            async with self._documents.slot(caller.org):
                return await self.run(caller, work, reads=reads)
        async with (self._readers if reads else self._writers).slot(caller.org):
            return await self.in_thread(caller, work)

    @asynccontextmanager
    async def stream_slot(self, caller: Caller) -> AsyncIterator[None]:
        """A slot for the next part of a stream. Raises if the server stops or the key was revoked."""
        async with self._streams.slot(caller.org):
            self.require_running()
            await self._recheck(caller)
            yield

    async def in_thread(self, caller: Caller, work: Callable[[Loop], T]) -> T:
        """Runs work in a thread; the caller holds a slot."""

        def act() -> T:
            with acting(caller):
                return work(self.of(caller.org))

        return await to_thread.run_sync(act, limiter=self._threads)

    def _batcher(self, org: str) -> WriteBatcher:
        if org not in self._batchers:
            self._batchers[org] = WriteBatcher(
                self.of(org), self._committers, self._threads, done=lambda: self._batchers.pop(org)
            )
        return self._batchers[org]

    def of(self, org: str) -> Loop:
        loop = self._loops.get(org)
        if loop is None:
            loop = self._loops[org] = self.loop.org(org)
            if len(self._loops) > _CACHE_SIZE:
                self._loops.popitem(last=False)
        return loop


def caller_of(request: HTTPConnection) -> Caller:
    caller: Caller | None = request.scope.get("heedful.caller")
    if caller is None:
        raise no_key()
    return caller

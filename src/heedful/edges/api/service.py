"""Doing an operation for whoever asked, in a thread, as them and in their organisation."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import HTTPConnection

from heedful.edges.api.gate import no_key
from heedful.edges.api.lane import Lane
from heedful.errors import Closed
from heedful.loop import Loop
from heedful.model import policy
from heedful.model.caller import Caller, acting
from heedful.wire import Wire, dump

T = TypeVar("T")
_THREADS = 16
_REMEMBERED = 1_000


class Service:
    def __init__(
        self, loop: Loop, *, changed: Callable[[], object], check_again: Callable[[Caller], Awaitable[None]]
    ) -> None:
        self.loop = loop
        self.check_again = check_again
        """Whether a caller whose request takes long may still go on."""
        self._changed = changed
        self._loops: OrderedDict[str, Loop] = OrderedDict()
        self._readers = CapacityLimiter(_THREADS)  # apart, so that nobody waits for writers in order to read
        self._writers = CapacityLimiter(_THREADS)
        self._lanes: dict[str, Lane] = {}
        self._stopping = False

    def stop(self) -> None:
        """Begin nothing more that may take long."""
        self._stopping = True

    def require_running(self) -> None:
        if self._stopping:
            raise Closed("The server is stopping.", hint="Send the rest again; what has an id is recorded once.")

    async def perform(self, request: HTTPConnection, wire: Wire, arguments: Mapping[str, Any]) -> bytes:
        """The answer of an operation, as JSON."""
        caller = caller_of(request)
        if wire.operation.together is not None:
            return await self._lane(caller.org).do(caller, wire, arguments)
        reads = wire.operation.verb == "GET"
        answer = await self.run(caller, lambda loop: dump(wire.call(loop, arguments)), reads=reads)
        if wire.operation.permission is policy.Keys.revoke:
            self._changed()
        return answer

    async def run(self, caller: Caller, work: Callable[[Loop], T], *, reads: bool = False) -> T:
        def act() -> T:
            with acting(caller):
                return work(self.of(caller.org))

        return await to_thread.run_sync(act, limiter=self._readers if reads else self._writers)

    def _lane(self, org: str) -> Lane:
        """One lane where a database has one writer at a time anyway; else one for each organisation."""
        name = "" if self.loop.store.database.one_writer else org
        if name not in self._lanes:
            self._lanes[name] = Lane(self.of, self._writers)
        return self._lanes[name]

    def of(self, org: str) -> Loop:
        loop = self._loops.get(org)
        if loop is None:
            loop = self._loops[org] = self.loop.org(org)
            if len(self._loops) > _REMEMBERED:
                self._loops.popitem(last=False)
        return loop


def caller_of(request: HTTPConnection) -> Caller:
    """Who asks. Nothing is done for nobody."""
    caller: Caller | None = request.scope.get("heedful.caller")
    if caller is None:
        raise no_key()
    return caller

"""A pool of connections, shared by threads and never by processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

from heedful.errors import Closed, StoreBusy
from heedful.store.fair_lock import FairLock

_PATIENCE = 60.0


class _Closable(Protocol):
    def close(self) -> None: ...


C = TypeVar("C", bound=_Closable)


class Pool(Generic[C]):
    """A fork finds it empty: idle connections are closed before, because a database file's locks and a
    server's socket cannot be shared with a child. What is lent out at that moment makes it useless there."""

    def __init__(self, connect: Callable[[], C], *, usable: Callable[[C], bool], limit: int) -> None:
        self._connect = connect
        self._usable = usable
        self._limit = limit
        self._inherited: list[Any] = []
        self._closed = False
        self._reset()
        _POOLS.add(self)

    def _reset(self) -> None:
        self._idle: list[C] = []
        self._lent: list[C] = []
        self._busy = 0
        self._change = threading.Condition()
        self.write_lock = FairLock()
        """For databases with one writer at a time: the writer holds it."""

    def take(self) -> C:
        """An idle connection, or a new one; waits while as many as allowed are lent out."""
        self.check()
        with self._change:
            if not self._change.wait_for(self._has_room, timeout=_PATIENCE):
                raise StoreBusy(
                    f"All {self._limit} connections were in use for {_PATIENCE:.0f} s.",
                    hint="Keep transactions short, or use fewer threads.",
                )
            self._busy += 1
            connection = self._idle_one()
        try:
            lent = connection or self._connect()
        except BaseException:
            self._one_less()
            raise
        self._lent.append(lent)
        return lent

    def _idle_one(self) -> C | None:
        while self._idle:
            connection = self._idle.pop()
            if self._usable(connection):
                return connection
            connection.close()
        return None

    def _has_room(self) -> bool:
        return self._busy < self._limit

    def give(self, connection: C) -> None:
        """Return it to the pool, unless it is broken or in the middle of a transaction."""
        self._lent.remove(connection)
        if not self._closed and self._usable(connection):
            self._idle.append(connection)
        else:
            connection.close()
        self._one_less()

    def _one_less(self) -> None:
        with self._change:
            self._busy -= 1
            self._change.notify()

    def check(self) -> None:
        if self._closed:
            raise Closed("This loop is closed.", hint="Open a new one with heedful.open().")
        if self._inherited:
            raise Closed(
                "This process was forked while the loop was in the middle of something.",
                hint="Open a loop of its own in the child, or fork when nothing is being read or written.",
            )

    def close_idle(self) -> None:
        """Close what is not lent out: when the server went away, before a fork, or at the end."""
        with self._change:
            while self._idle:
                self._idle.pop().close()

    def close(self) -> None:
        """What is still lent out is closed when it comes back."""
        self._closed = True
        self.close_idle()

    def start_over_in_child(self) -> None:
        inherited = self._lent  # referenced, so that it is not closed: the parent still uses it
        self._reset()
        self._inherited += inherited


_POOLS: WeakSet[Pool[Any]] = WeakSet()


def _before_fork() -> None:
    for pool in list(_POOLS):
        pool.close_idle()


def _in_child() -> None:
    for pool in list(_POOLS):
        pool.start_over_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)

"""Connections that are lent out and come back: shared by threads, never by processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class _Closable(Protocol):
    def close(self) -> None: ...


C = TypeVar("C", bound=_Closable)


class Pool(Generic[C]):
    def __init__(self, connect: Callable[[], C], *, usable: Callable[[C], bool], limit: int) -> None:
        self._connect = connect
        self._usable = usable
        self._limit = limit
        self._inherited: list[C] = []
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._idle: list[C] = []
        self._lent = 0
        self._change = threading.Condition()
        self.turn = threading.Lock()
        """For databases with one writer at a time: who holds this one may write."""

    def take(self) -> C:
        """An idle connection, or a new one; waits while as many as allowed are lent out."""
        if os.getpid() != self._pid:
            # A fork copies connections that the parent still uses: keep them, untouched, and start anew.
            self._inherited += self._idle
            self._start()
        with self._change:
            while self._lent >= self._limit:
                self._change.wait()
            self._lent += 1
        try:
            while self._idle:
                connection = self._idle.pop()
                if self._usable(connection):
                    return connection
                connection.close()
            return self._connect()
        except BaseException:
            self._came_back()
            raise

    def give(self, connection: C) -> None:
        """Back into the pool, unless it is broken or was left in the middle of something."""
        if self._usable(connection):
            self._idle.append(connection)
        else:
            connection.close()
        self._came_back()

    def _came_back(self) -> None:
        with self._change:
            self._lent -= 1
            self._change.notify()

    def close_idle(self) -> None:
        """Close what is not lent out: when the server went away, or at the end."""
        while self._idle:
            self._idle.pop().close()

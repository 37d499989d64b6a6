"""Connections that are lent out and come back: shared by threads, never by processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        self._places = threading.BoundedSemaphore(self._limit)
        self._turn = threading.Lock()

    @contextmanager
    def lend(self, *, alone: bool = False) -> Iterator[C]:
        """A connection for the length of the block; with `alone`, no other such block runs in this process."""
        if os.getpid() != self._pid:
            # A fork copies connections that the parent still uses: keep them, untouched, and start anew.
            self._inherited += self._idle
            self._start()
        with self._places:
            connection = self._take()
            try:
                if alone:
                    with self._turn:
                        yield connection
                else:
                    yield connection
            finally:
                if self._usable(connection):
                    self._idle.append(connection)
                else:
                    connection.close()

    def _take(self) -> C:
        while self._idle:
            connection = self._idle.pop()
            if self._usable(connection):
                return connection
            connection.close()
        return self._connect()

    def close_idle(self) -> None:
        """Close what is not lent out: when the server went away, or at the end."""
        while self._idle:
            self._idle.pop().close()

"""A lock for one writer at a time, fair to organisations: each waits for at most one writer of another."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque


class FairLock:
    """Passes from organisation to organisation, and within one to the writer that waited longest."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: OrderedDict[str | None, deque[threading.Event]] = OrderedDict()

    def acquire(self, org: str | None, seconds: float) -> bool:
        """Wait for the lock; False if it was not free within so many seconds."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            called = threading.Event()
            self._waiting.setdefault(org, deque()).append(called)
        try:
            called.wait(seconds)
        except BaseException:  # such as Ctrl-C: the lock must not pass to a writer that left
            if not self._withdraw(org, called):
                self.release(org)
            raise
        return not self._withdraw(org, called)

    def release(self, org: str | None) -> None:
        with self._guard:
            if not self._waiting:
                self._taken = False
                return
            if org in self._waiting:  # it has just had the lock
                self._waiting.move_to_end(org)
            following, queue = next(iter(self._waiting.items()))
            queue.popleft().set()
            if not queue:
                del self._waiting[following]

    def _withdraw(self, org: str | None, called: threading.Event) -> bool:
        """Stop waiting; False if the lock was passed on already."""
        with self._guard:
            if called.is_set():
                return False
            queue = self._waiting[org]
            queue.remove(called)
            if not queue:
                del self._waiting[org]
            return True

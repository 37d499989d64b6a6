"""Whose turn it is to write, where there is one writer at a time: organisations take turns.

However many writers one organisation has waiting, another one's next writer waits for one of them at most.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque


class Turn:
    """A lock that goes from organisation to organisation, and within one to whoever waited longest."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: OrderedDict[str | None, deque[threading.Event]] = OrderedDict()

    def acquire(self, org: str | None, seconds: float) -> bool:
        """Wait for the turn; False if it did not come within so many seconds."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            called = threading.Event()
            self._waiting.setdefault(org, deque()).append(called)
        try:
            called.wait(seconds)
        except BaseException:  # such as Ctrl-C: the turn must not go to somebody who left
            if not self._withdraw(org, called):
                self.release(org)
            raise
        return not self._withdraw(org, called)

    def release(self, org: str | None) -> None:
        with self._guard:
            if not self._waiting:
                self._taken = False
                return
            if org in self._waiting:  # it had its turn just now
                self._waiting.move_to_end(org)
            following, queue = next(iter(self._waiting.items()))
            queue.popleft().set()
            if not queue:
                del self._waiting[following]

    def _withdraw(self, org: str | None, called: threading.Event) -> bool:
        """Wait no longer; False if the turn had come already."""
        with self._guard:
            if called.is_set():
                return False
            queue = self._waiting[org]
            queue.remove(called)
            if not queue:
                del self._waiting[org]
            return True

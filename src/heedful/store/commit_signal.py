"""A signal that every commit of this process sends, so that those that follow the log need not poll often."""

from __future__ import annotations

import threading


class CommitSignal:
    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._count = 0
        self._listeners = 0

    def send(self) -> None:
        self._count += 1
        if self._listeners:
            with self._condition:
                self._condition.notify_all()

    @property
    def count(self) -> int:
        return self._count

    def wait(self, seen: int, seconds: float) -> None:
        """Return as soon as it was sent more than `seen` times, or after that many seconds."""
        with self._condition:
            self._listeners += 1
            try:
                self._condition.wait_for(lambda: self._count != seen, timeout=seconds)
            finally:
                self._listeners -= 1

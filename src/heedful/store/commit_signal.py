"""A bell that every commit rings, so that whoever follows the log in this process need not poll fast."""

from __future__ import annotations

import threading


class Bell:
    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._rings = 0
        self._listeners = 0

    def ring(self) -> None:
        self._rings += 1
        if self._listeners:
            with self._condition:
                self._condition.notify_all()

    @property
    def rings(self) -> int:
        return self._rings

    def wait(self, heard: int, seconds: float) -> None:
        """Return as soon as it has rung more than `heard` times, or after that many seconds."""
        with self._condition:
            self._listeners += 1
            try:
                self._condition.wait_for(lambda: self._rings != heard, timeout=seconds)
            finally:
                self._listeners -= 1

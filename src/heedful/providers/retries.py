"""Asking again: how often, after which pauses, and when not."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from heedful.errors import ProviderError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    tries: int = 4  # the first of them may go into finding out what a server understands
    first_pause: float = 0.5
    longest_pause: float = 20.0
    rest: float = 0.0
    """Seconds in which nobody is asked again who could not be reached at all."""
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    chance: Callable[[], float] = random.random

    def insist(self, call: Callable[[], T]) -> T:
        for attempt in range(1, self.tries):
            try:
                return call()
            except ProviderError as error:
                if not error.again or (error.retry_after or 0.0) > self.longest_pause:
                    raise
                self.sleep(self._pause(attempt, error.retry_after))
        return call()

    def _pause(self, attempt: int, retry_after: float | None) -> float:
        """With some chance in it, so that those who failed together do not come back together."""
        if retry_after is not None:
            return min(self.longest_pause, retry_after * (1 + self.chance() / 4))
        return float(min(self.longest_pause, self.first_pause * 2 ** (attempt - 1)) * (1 + self.chance()) / 2)

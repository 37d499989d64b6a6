"""Retries: how often, with which delays, and for which errors."""

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
    tries: int = 4  # the first may be used to find out what a server supports
    first_pause: float = 0.5
    longest_pause: float = 20.0
    rest: float = 0.0
    """Seconds for which an unreachable server is skipped."""
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    chance: Callable[[], float] = random.random

    def call(self, function: Callable[[], T]) -> T:
        for attempt in range(1, self.tries):
            try:
                return function()
            except ProviderError as error:
                if not error.again or (error.retry_after or 0.0) > self.longest_pause:
                    raise
                self.sleep(self._pause(attempt, error.retry_after))
        return function()

    def _pause(self, attempt: int, retry_after: float | None) -> float:
        """With jitter, so that clients that failed together do not retry together."""
        if retry_after is not None:
            return min(self.longest_pause, retry_after * (1 + self.chance() / 4))
        return float(min(self.longest_pause, self.first_pause * 2 ** (attempt - 1)) * (1 + self.chance()) / 2)

"""Rate limits: requests per key, and failed sign-ins per address."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar

from heedful.errors import TooManyRequests

T = TypeVar("T")
_REMEMBERED = 10_000
_BURST = 0.1  # of a minute's worth, at once


class RateLimit:
    """A token bucket for each key, in the memory of one server."""

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_minute = per_minute
        self._now = now
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, key: Hashable, own_limit: int | None) -> None:
        per_minute = self._per_minute if own_limit is None else own_limit
        if not per_minute:
            return
        now, room = self._now(), max(1.0, per_minute * _BURST)
        left, since = self._buckets.pop(key, (room, now))
        left = min(room, left + (now - since) * per_minute / 60)
        allowed = left >= 1
        _remember(self._buckets, key, (left - allowed, now))
        if not allowed:
            raise _slow_down(f"Rate limit exceeded: {per_minute:,} requests per minute.", (1 - left) * 60 / per_minute)


class FailedTries:
    """Blocks addresses that sent too many wrong keys, for a while."""

    MOST = 10
    SECONDS = 60.0

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._tries: OrderedDict[Hashable, tuple[int, float]] = OrderedDict()

    def check(self, address: str) -> None:
        count, until = self._tries.get(address, (0, 0.0))
        if count >= self.MOST and self._now() < until:
            raise _slow_down("Too many wrong keys from your address.", until - self._now())

    def failed(self, address: str) -> None:
        count, until = self._tries.pop(address, (0, 0.0))
        if self._now() >= until:
            count = 0
        _remember(self._tries, address, (count + 1, self._now() + self.SECONDS))


def _remember(kept: OrderedDict[Hashable, T], name: Hashable, value: T) -> None:
    kept[name] = value
    if len(kept) > _REMEMBERED:
        kept.popitem(last=False)


def _slow_down(message: str, seconds: float) -> TooManyRequests:
    error = TooManyRequests(message, hint=f"Try again in {max(1, round(seconds))} s.")
    error.retry_after = seconds
    return error

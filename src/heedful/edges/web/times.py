"""Times for people to read: how long ago, or in how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_UNITS = (("year", 365, 365), ("month", 60, 30), ("week", 14, 7), ("day", 1, 1))
"""Each with the days from which it is used, and the days it has."""


def relative(time: datetime, now: datetime) -> str:
    """`3 days ago`, `in 4 weeks`, or `just now`."""
    passed = abs(now - time)
    if passed < timedelta(minutes=1):
        return "just now"
    told = _days(passed.days) if passed.days else _minutes(int(passed / timedelta(minutes=1)))
    return f"{told} ago" if time <= now else f"in {told}"


def _minutes(count: int) -> str:
    return _counted(count // 60, "hour") if count >= 60 else _counted(count, "minute")


def _days(count: int) -> str:
    unit, length = next((unit, length) for unit, least, length in _UNITS if count >= least)
    return _counted(count // length, unit)


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def exact(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

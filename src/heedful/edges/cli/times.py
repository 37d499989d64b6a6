"""Times for people to read: how long ago, and in the local time zone."""

from __future__ import annotations

from datetime import datetime, timedelta

_UNITS = (("year", 365), ("month", 30), ("week", 7), ("day", 1))
_MOST_DAYS = 14  # a longer age is given in weeks or more


def age(time: datetime, now: datetime) -> str:
    """How long ago, such as "3 days ago"."""
    passed = max(timedelta(0), now - time)
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(days=1):
        minutes = int(passed.total_seconds()) // 60
        return _ago(minutes // 60, "hour") if minutes >= 60 else _ago(minutes, "minute")
    if passed.days <= _MOST_DAYS:
        return _ago(passed.days, "day")
    unit, length = next((unit, length) for unit, length in _UNITS if passed.days >= length)
    return _ago(passed.days // length, unit)


def _ago(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'} ago"


def local_time(time: datetime) -> str:
    try:
        return time.astimezone().strftime("%Y-%m-%d %H:%M")
    except (OverflowError, ValueError):  # the last hours of the calendar have no local time
        return time.strftime("%Y-%m-%d %H:%M")

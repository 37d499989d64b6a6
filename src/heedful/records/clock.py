"""Times are in UTC and come from an injected clock. Stores keep them as integer microseconds."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from heedful.errors import InvalidTime
from heedful.records.names import ArgumentRule

Clock = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST_DAY = date(1970, 1, 1).toordinal()
_AGO = re.compile(r"([1-9][0-9]{0,3})([mhdw])")
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_FORMATS = ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date"})

Time = Annotated[datetime | date | str, ArgumentRule({"anyOf": [*_FORMATS]}, parse=lambda value: value)]
"""When something happened: see `moment`."""
When = Annotated[
    datetime | date | str,
    ArgumentRule({"anyOf": [*_FORMATS, {"type": "string", "pattern": f"^{_AGO.pattern}$"}]}, parse=lambda value: value),
]
"""A start or end of a range: a time, or how long ago."""


def utc_now() -> datetime:
    return datetime.now(UTC)


def aware(value: datetime, name: str = "at") -> datetime:
    """The same moment in UTC; rejects a time without a zone, which would be ambiguous."""
    if not isinstance(value, datetime):
        raise InvalidTime(f"{name} must be a datetime, not {type(value).__name__}.", hint="Pass datetime.now(UTC).")
    if type(value) is datetime and value.tzinfo is UTC:
        return value
    if value.utcoffset() is None:
        raise InvalidTime(
            f"{name} has no time zone: {value.isoformat()}.",
            hint="Use an aware time, such as datetime.now(timezone.utc) or time.astimezone().",
        )
    try:
        moment = value.astimezone(UTC)
    except OverflowError:
        raise InvalidTime(f"{name} is out of range: {value.isoformat()}.", hint="Check the year.") from None
    return datetime.combine(moment.date(), moment.time(), UTC)  # a plain datetime, whatever subclass came in


def moment(value: object, name: str = "at", now: datetime | None = None) -> datetime:
    """Parses a time into a moment in UTC: a datetime with its zone, a date (its first moment, in UTC), or either as ISO
    text; and if `now` is passed, how long before it: `90m`, `12h`, `7d`, `4w`."""
    if isinstance(value, datetime):
        return aware(value, name)
    if isinstance(value, str):
        value = _read(value, name, now)
    if not isinstance(value, date):
        raise _no_time(value, name, now)
    return value if isinstance(value, datetime) else datetime.combine(value, time.min, UTC)


def day(value: object, name: str, now: datetime) -> date:
    return moment(value, name, now).date()


def _read(text: str, name: str, now: datetime | None) -> datetime | date:
    ago = None if now is None else _AGO.fullmatch(text)
    if ago and now is not None:
        return now - int(ago[1]) * _UNITS[ago[2]]
    try:
        return date.fromisoformat(text) if len(text) <= len("2026-01-05") else _zoned(text, name)
    except ValueError:
        raise _no_time(text, name, now) from None


def _zoned(text: str, name: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.utcoffset() is None:
        raise InvalidTime(
            f"{name} has no time zone: {text!r}.",
            hint=f"Write {found.isoformat()}Z for UTC, or with an offset such as +02:00.",
        )
    return aware(found, name)


def _no_time(value: object, name: str, now: datetime | None) -> InvalidTime:
    ago = "" if now is None else ", or how long ago: 90m, 12h, 7d, 4w"
    if isinstance(value, str):
        hint = f"Write 2026-01-05T09:00:00Z or 2026-01-05{ago}."
        return InvalidTime(f"{name} is not a time: {value!r}.", hint=hint)
    hint = f"Pass a datetime with its time zone, a date, or ISO text{ago}."
    return InvalidTime(f"{name} must be a time, not {type(value).__name__}.", hint=hint)


def to_micros(time: datetime) -> int:
    return (time - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def to_hour(time: datetime) -> int:
    """Hours since 1970-01-01 in UTC."""
    return (time.toordinal() - _FIRST_DAY) * 24 + time.hour


def to_day(day: date) -> int:
    """Days since 1970-01-01, the resolution of counters."""
    return day.toordinal() - _FIRST_DAY


def from_day(number: int) -> date:
    return date.fromordinal(number + _FIRST_DAY)

"""Time is UTC and comes from a clock that is handed in. Stores keep it as whole microseconds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from heedful.errors import InvalidTime

Clock = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST_DAY = date(1970, 1, 1).toordinal()


def utc_now() -> datetime:
    return datetime.now(UTC)


def aware(time: datetime, name: str = "at") -> datetime:
    """The same moment in UTC; a time without a zone could be any of twenty-six moments and is refused."""
    if not isinstance(time, datetime):
        raise InvalidTime(
            f"{name} must be a datetime, not {type(time).__name__}.",
            hint="Pass datetime.now(timezone.utc), or parse text with datetime.fromisoformat.",
        )
    if type(time) is datetime and time.tzinfo is UTC:
        return time
    if time.utcoffset() is None:
        raise InvalidTime(
            f"{name} has no time zone: {time.isoformat()}.",
            hint="Use an aware time, such as datetime.now(timezone.utc) or time.astimezone().",
        )
    try:
        moment = time.astimezone(UTC)
    except OverflowError:
        raise InvalidTime(f"{name} is out of range: {time.isoformat()}.", hint="Check the year.") from None
    return datetime.combine(moment.date(), moment.time(), UTC)  # a plain datetime, whatever subclass came in


def moment(text: object, name: str = "at") -> datetime:
    """An ISO time with its zone."""
    try:
        time = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        time = None
    if time is None:
        raise InvalidTime(f"{name} is not a time: {text!r}.", hint="Write 2026-01-05T09:00:00Z.")
    if time.utcoffset() is None:
        raise InvalidTime(
            f"{name} has no time zone: {text!r}.",
            hint=f"Write {time.isoformat()}Z for UTC, or with an offset such as +02:00.",
        )
    return time


def to_micros(time: datetime) -> int:
    return (time - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def to_hour(time: datetime) -> int:
    """Hours since 1970-01-01, of a time in UTC."""
    return (time.toordinal() - _FIRST_DAY) * 24 + time.hour


def to_day(day: date) -> int:
    """Days since 1970-01-01, the grain of counters."""
    return day.toordinal() - _FIRST_DAY


def from_day(number: int) -> date:
    return date.fromordinal(number + _FIRST_DAY)

"""A period: whole days, in UTC, both ends included."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from heedful.errors import InvalidInput, InvalidTime
from heedful.records.clock import When, day
from heedful.records.record import Record

_SPAN = re.compile(r"([1-9][0-9]{0,3})(d)|([1-9][0-9]{0,2})(w)")
_DAYS = {"d": 1, "w": 7}


@dataclass(frozen=True, slots=True)
class Period(Record):
    start: date | None = None
    end: date | None = None

    @classmethod
    def of(cls, period: str | None, since: When | None, until: When | None, now: datetime) -> Period:
        """The last days (`30d`, including today), or from one day to another, or all time."""
        start, end = (
            None if since is None else day(since, "since", now),
            None if until is None else day(until, "until", now),
        )
        if period is None:
            if start is not None and end is not None and end < start:
                raise InvalidTime(f"The period ends ({end}) before it begins ({start}).", hint="Swap the two dates.")
            return cls(start, end)
        if since is not None or until is not None:
            raise InvalidInput("Pass either a period, or since and until, not both.", hint="Leave one of them out.")
        if period == "all":
            return cls()
        today = now.date()
        return cls(today - timedelta(days=span(period, "period") - 1), today)

    def includes(self, day: date) -> bool:
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)

    @property
    def first_moment(self) -> datetime | None:
        return None if self.start is None else datetime.combine(self.start, time.min, UTC)

    @property
    def end_moment(self) -> datetime | None:
        """The first moment after it."""
        if self.end is None or self.end == date.max:
            return None
        return datetime.combine(self.end + timedelta(days=1), time.min, UTC)


def span(text: object, name: str) -> int:
    """`30d` or `4w` in days; up to 9999d or 999w."""
    found = _SPAN.fullmatch(text) if isinstance(text, str) else None
    if found:
        return int(found[1] or found[3]) * _DAYS[found[2] or found[4]]
    raise InvalidInput(f"{name} is {text!r}.", hint="Write days or weeks, such as 30d or 4w.")

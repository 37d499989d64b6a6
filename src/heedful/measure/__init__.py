"""Measure: did it help? So far: what was recorded, per day."""

from __future__ import annotations

from datetime import date
from typing import Literal

from heedful.errors import InvalidInput, InvalidTime
from heedful.measure.activity import ACTIVITY
from heedful.model import policy
from heedful.model.clock import to_day
from heedful.model.operation import operation
from heedful.model.projection import TIMELESS, Count
from heedful.store import Store

__all__ = ["ACTIVITY", "Measure"]

_LAST_DAY = 2**31 - 1


class Measure:
    """`loop.measure`: numbers that cost the same at a thousand events and at a million."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation("GET /activity", policy.Analytics.read, example={"by": "kind", "since": "2026-01-01"}, tool="activity")
    def activity(
        self, by: Literal["kind", "layout"] = "kind", *, since: date | None = None, until: date | None = None
    ) -> list[Count]:
        """Count the events of each kind (or layout) on each day, both ends included."""
        if by not in ("kind", "layout"):
            raise InvalidInput(f"Activity is not counted by {by!r}.", hint="Ask for 'kind' or 'layout'.")
        for name, day in (("since", since), ("until", until)):
            if day is not None and not isinstance(day, date):
                raise InvalidTime(f"{name} must be a date, not {day!r}.", hint="Pass date(2026, 1, 5).")
        first = TIMELESS + 1 if since is None else to_day(since)
        last = _LAST_DAY if until is None else to_day(until)
        return self._store.derivation.counts(ACTIVITY.name, by, first, last)

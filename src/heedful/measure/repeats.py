"""The repeat-correction rate, by week and by group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple, TypeVar

from heedful.learnings.said import SaidRow, monday_of, week_of, weeks
from heedful.records.clock import from_day, to_day
from heedful.records.interval import wilson
from heedful.records.repeats import RepeatGroup, Repeats, RepeatWeek
from heedful.store import Store

RepeatGrouping = Literal["teacher", "about", "user", "agent"]

GROUPINGS: Mapping[RepeatGrouping, Callable[[SaidRow], str]] = {
    "teacher": lambda row: row.teacher,
    "about": lambda row: row.about or "",
    "user": lambda row: row.actor or "",
    "agent": lambda row: row.agent or "",
}


K = TypeVar("K")


class _Sum(NamedTuple):
    said: int
    again: int

    @property
    def rate(self) -> float:
        return self.again / self.said


def repeats(store: Store, count: int, by: RepeatGrouping | None, about: str | None) -> Repeats:
    """Of the last weeks, with this one."""
    last = week_of(to_day(store.clock().date()))
    first = last - count + 1
    rows = [
        row
        for row in weeks(store, first, last, by_key=by is not None or about is not None)
        if about is None or row.about == about
    ]
    total = _sum(rows)
    by_week = _sums(rows, lambda row: row.week)
    groups = {} if by is None else _sums(rows, GROUPINGS[by])
    return Repeats(
        said=total.said,
        again=total.again,
        rate=total.rate if total.said else None,
        interval=wilson(total.again, total.said) if total.said else None,
        weeks=tuple(_week(week, by_week.get(week, _Sum(0, 0))) for week in range(first, last + 1)),
        groups=tuple(
            _group(name, groups[name]) for name in sorted(groups, key=lambda name: (-groups[name].said, name))
        ),
    )


def _week(week: int, found: _Sum) -> RepeatWeek:
    return RepeatWeek(from_day(monday_of(week)), *found, found.rate if found.said else None)


def _group(name: str, found: _Sum) -> RepeatGroup:
    return RepeatGroup(name, *found, found.rate, wilson(found.again, found.said))


def _sum(rows: Iterable[SaidRow]) -> _Sum:
    said = first = 0
    for row in rows:
        said += row.said
        first += row.first
    return _Sum(said, said - first)


def _sums(rows: Iterable[SaidRow], key: Callable[[SaidRow], K]) -> dict[K, _Sum]:
    found: dict[K, list[SaidRow]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return {name: _sum(some) for name, some in found.items()}

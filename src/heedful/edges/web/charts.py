"""Charts as plain shapes for a template: every place is a share of the plot in per cent, so a chart fits any width."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Literal, NamedTuple

Unit = Literal["day", "week", "month"]

_MOST_DAYS, _MOST_WEEKS = 92, 731  # days of a period that are drawn one by one, and by the week
_STEPS = 5  # of an axis
_NICE = (1, 2, 5, 10)
_MOST_LABELS = 8  # below the plot
_FEW_LABELS = 4  # which fit on a phone
_APART: dict[Unit, tuple[int, ...]] = {"day": (1, 2, 7, 14, 28), "week": (1, 2, 4, 13, 26), "month": (1, 3, 6, 12, 24)}
_BAR = 0.74  # the share of its slot that a bar fills
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Slot(NamedTuple):
    """A part of a period that is drawn as one bar or point: a day, a week or a month."""

    first: date
    last: date
    label: str


class Tick(NamedTuple):
    at: float
    """From the left, or from the top."""
    label: str
    minor: bool = False
    """Left out where there is little room."""


class Mark(NamedTuple):
    """What is drawn for one slot, and what is told of it."""

    x: float
    width: float
    middle: float
    text: str
    y: float | None = None
    """The top of its bar, or its place on the line. None: there is no value."""
    dot: float | None = None
    """The value of the slot alone, where the line is a moving average."""


class Bar(NamedTuple):
    """A horizontal bar."""

    label: str
    value: str
    width: float
    text: str


class TimeChart(NamedTuple):
    marks: tuple[Mark, ...]
    lines: tuple[str, ...]
    """Points for polylines on a plot of 100 by 100; more than one if there are gaps. None for bars."""
    y_ticks: tuple[Tick, ...]
    x_ticks: tuple[Tick, ...]
    bar: float = 0
    """The width of a bar."""


class RankedChart(NamedTuple):
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]


class Point(NamedTuple):
    """The value of a slot in a chart of lines, in per cent."""

    value: float | None
    text: str
    dot: float | None = None


# Time


def unit(first: date, last: date) -> Unit:
    """The longer the period, the coarser: a plot has room for some hundred values."""
    days = (last - first).days + 1
    return "day" if days <= _MOST_DAYS else "week" if days <= _MOST_WEEKS else "month"


def time_slots(first: date, last: date) -> list[Slot]:
    """The days, weeks (from Monday) or months of a period; the first and the last one end with it."""
    step, found, start = unit(first, last), list[Slot](), first
    while start <= last:
        end = min(_end(start, step), last)
        found.append(Slot(start, end, _span_label(start, end, step)))
        start = end + timedelta(days=1)
    return found


def _end(start: date, step: Unit) -> date:
    if step == "day":
        return start
    if step == "week":
        return start + timedelta(days=6 - start.weekday())
    return (start.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def day_label(day: date, *, year: bool = False) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]}" + (f" {day.year}" if year else "")


def period_label(first: date, last: date) -> str:
    return f"{day_label(first, year=first.year != last.year)} – {day_label(last, year=True)}"


def _span_label(first: date, last: date, step: Unit) -> str:
    if step == "day":
        return f"{_DAYS[first.weekday()]} {day_label(first, year=True)}"
    return period_label(first, last) if step == "week" else _month_label(first)


def _month_label(day: date) -> str:
    return f"{_MONTHS[day.month - 1]} {day.year}"


def _time_ticks(slots: Sequence[Slot]) -> tuple[Tick, ...]:
    """At regular slots; for days in steps of weeks, at Mondays."""
    step = unit(slots[0].first, slots[-1].last)
    apart = next((one for one in _APART[step] if len(slots) <= one * _MOST_LABELS), _APART[step][-1])
    begin = (7 - slots[0].first.weekday()) % 7 if step == "day" and apart % 7 == 0 else 0
    places = range(begin, len(slots), apart)
    many = len(places) > _FEW_LABELS
    years = slots[0].first.year != slots[-1].last.year and step == "week"
    width = 100 / len(slots)
    return tuple(
        Tick(
            _percent((place + 0.5) * width),
            _month_label(slots[place].first) if step == "month" else day_label(slots[place].first, year=years),
            minor=many and number % 2 == 1,
        )
        for number, place in enumerate(places)
    )


# Values


class Axis(NamedTuple):
    low: float
    high: float
    step: float

    def from_top(self, value: float) -> float:
        return _percent(100 * (self.high - value) / (self.high - self.low))

    def share(self, value: float) -> float:
        return _percent(100 * (value - self.low) / (self.high - self.low))

    @property
    def values(self) -> Iterator[float]:
        return (self.low + number * self.step for number in range(round((self.high - self.low) / self.step) + 1))


def axis(least: float, most: float) -> Axis:
    """Around all values, with about five steps of 1, 2 or 5 times a power of ten, and at least 1."""
    wanted = max((most - least) / _STEPS, 1)
    power = 10 ** math.floor(math.log10(wanted))
    step = next(nice * power for nice in _NICE if nice * power >= wanted * (1 - 1e-9))
    low = math.floor(least / step) * step
    return Axis(low, max(math.ceil(most / step) * step, low + step), step)


def percent_label(value: float) -> str:
    return f"{value:.0f}\N{NO-BREAK SPACE}%"


def _y_ticks(scale: Axis, label: Callable[[float], str]) -> tuple[Tick, ...]:
    return tuple(Tick(scale.from_top(value), label(value)) for value in scale.values)


def _count_label(value: float) -> str:
    return f"{value:,.0f}"


# Charts


def bar_chart(slots: Sequence[Slot], values: Sequence[int], texts: Sequence[str]) -> TimeChart:
    scale, width = axis(0, max(values)), 100 / len(slots)
    marks = tuple(
        Mark(_percent(place * width), _percent(width), _percent((place + 0.5) * width), text, scale.from_top(value))
        for place, (value, text) in enumerate(zip(values, texts, strict=True))
    )
    return TimeChart(marks, (), _y_ticks(scale, _count_label), _time_ticks(slots), _percent(width * _BAR))


def line_chart(slots: Sequence[Slot], points: Sequence[Point], scale: Axis) -> TimeChart:
    width = 100 / len(slots)
    marks = tuple(
        Mark(
            _percent(place * width),
            _percent(width),
            _percent((place + 0.5) * width),
            point.text,
            None if point.value is None else scale.from_top(point.value),
            None if point.dot is None else scale.from_top(point.dot),
        )
        for place, point in enumerate(points)
    )
    return TimeChart(marks, tuple(_lines(marks)), _y_ticks(scale, percent_label), _time_ticks(slots))


def _lines(marks: Sequence[Mark]) -> Iterator[str]:
    for has_value, run in groupby(marks, lambda mark: mark.y is not None):
        if has_value:
            yield " ".join(f"{mark.middle},{mark.y}" for mark in run)


def ranked_chart(values: Sequence[tuple[str, int]], tell: Callable[[str, int], str]) -> RankedChart:
    """Horizontal bars, in the order given."""
    scale = axis(0, max(value for _, value in values))
    bars = tuple(Bar(label, f"{value:,}", scale.share(value), tell(label, value)) for label, value in values)
    ticks = tuple(
        Tick(scale.share(value), _count_label(value), minor=number % 2 == 1)
        for number, value in enumerate(scale.values)
    )
    return RankedChart(bars, ticks)


def _percent(value: float) -> float:
    """Two decimals are finer than any screen."""
    return round(value, 2)

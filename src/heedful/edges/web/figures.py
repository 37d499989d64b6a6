"""The numbers and charts of learning analytics, in words and shapes for a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import NamedTuple
from urllib.parse import urlencode

from heedful.edges.web import charts
from heedful.edges.web.charts import Axis, Point, RankedChart, Slot, TimeChart
from heedful.records import document, mapping
from heedful.records.learning_analytics import DayQuality, LearningAnalytics

_WINDOW = 7  # days of the moving average
_LOWEST_TOP = 10  # per cent: a rate of nearly nothing is not drawn as a mountain
_NONE = "–"
_KINDS = {
    document.LINE_CORRECTED: "Line corrected",
    document.FIELD_CORRECTED: "Field corrected",
    document.CUSTOMER_SELECTED: "Customer selected",
    document.DRAFT_CONFIRMED: "Draft confirmed",
    mapping.CONFIRMED: "Mapping confirmed",
    mapping.REJECTED: "Mapping rejected",
}


class Headline(NamedTuple):
    label: str
    value: str
    change: str = ""
    """Against the period before; empty if there is nothing to compare with."""
    was: str = ""
    better: bool | None = None
    """None: neither better nor worse."""


class Figure(NamedTuple):
    """A chart, the same numbers as a table, and where to download them."""

    id: str
    title: str
    note: str
    y_label: str
    x_label: str
    summary: str
    """The chart in words, for those who do not see it."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    csv: str
    """Empty if there is nothing to download."""
    time: TimeChart | None = None
    ranked: RankedChart | None = None
    facts: tuple[tuple[str, str], ...] = ()


# Headlines


def headlines(found: LearningAnalytics, before: LearningAnalytics | None) -> tuple[Headline, ...]:
    return (
        _count("Documents", found.documents, None if before is None else before.documents),
        _count("Extractions", found.extractions, None if before is None else before.extractions),
        _rate(
            "Correction rate",
            found.correction_rate,
            None if before is None else before.correction_rate,
            lambda points: points < 0,
        ),
        _rate(
            "Mean confidence",
            found.mean_confidence,
            None if before is None else before.mean_confidence,
            lambda points: points > 0,
        ),
    )


def _count(label: str, value: int, before: int | None) -> Headline:
    if not before:
        return Headline(label, f"{value:,}")
    change = _signed(round(100 * (value - before) / before), "\N{NO-BREAK SPACE}%")
    return Headline(label, f"{value:,}", change, f"{before:,}")


def _rate(label: str, value: float | None, before: float | None, is_better: Callable[[int], bool]) -> Headline:
    if value is None or before is None:
        return Headline(label, share(value))
    points = round(100 * value) - round(100 * before)  # of what is shown, so that it adds up
    better = is_better(points) if points else None
    return Headline(
        label, share(value), _signed(points, " point" if abs(points) == 1 else " points"), share(before), better
    )


def _signed(number: int, unit: str) -> str:
    if not number:
        return "unchanged"
    sign = "+" if number > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(number):,}{unit}"


def kind_label(kind: str) -> str:
    return _KINDS.get(kind) or kind.replace("_", " ").capitalize()


def share(value: float | None) -> str:
    return _NONE if value is None else charts.percent_label(100 * value)


# Figures


def figures(found: LearningAnalytics, before: LearningAnalytics | None) -> tuple[Figure, ...]:
    slots = charts.time_slots(found.start_date, found.end_date)
    quality = _Quality(found, before)
    return (
        _trend(_RATE, found, slots, quality),
        _trend(_CONFIDENCE, found, slots, quality),
        _events(found, slots),
        _corrected_fields(found),
    )


def _events(found: LearningAnalytics, slots: Sequence[Slot]) -> Figure:
    unit = charts.unit(found.start_date, found.end_date)
    by_day = {one.date: one.count for one in found.events_by_day}
    counts = [sum(by_day.get(day, 0) for day in _days(slot.first, slot.last)) for slot in slots]
    texts = [f"{slot.label}: {_counted(count, 'event')}" for slot, count in zip(slots, counts, strict=True)]
    total, most = sum(counts), max(counts)
    by_type = Counter(found.events_by_type).most_common()
    return Figure(
        id="events",
        title=f"Events per {unit}",
        note="What people corrected, confirmed, rejected or chose.",
        y_label="Events",
        x_label=f"{unit.capitalize()} (UTC)",
        summary=f"{_counted(total, 'event')} in all; the most in one {unit}: {texts[counts.index(most)]}.",
        columns=(unit.capitalize(), "Events"),
        rows=tuple((slot.label, f"{count:,}") for slot, count in zip(slots, counts, strict=True)),
        csv=csv_address("events_by_day", found),
        time=charts.bar_chart(slots, counts, texts) if total else None,
        facts=tuple((kind_label(kind), f"{count:,}") for kind, count in by_type if count),
    )


def _corrected_fields(found: LearningAnalytics) -> Figure:
    values = [(one.field, one.count) for one in found.corrected_fields]
    told = ", ".join(f"{field} {_times(count)}" for field, count in values[:3])
    return Figure(
        id="fields",
        title="Most corrected fields",
        note="Where extraction goes wrong most often.",
        y_label="Field",
        x_label="Corrections",
        summary=f"Corrected most: {told}.",
        columns=("Field", "Corrections"),
        rows=tuple((field, f"{count:,}") for field, count in values),
        csv=csv_address("corrected_fields", found),
        ranked=charts.ranked_chart(values, lambda field, count: f"{field}: {_times(count)}") if values else None,
    )


class _Quality:
    """The extractions of a period, and of the days just before it, which the moving average needs as well."""

    def __init__(self, found: LearningAnalytics, before: LearningAnalytics | None) -> None:
        self._days = {one.date: one for one in (*(before.quality_by_day if before else ()), *found.quality_by_day)}
        self.by_day = charts.unit(found.start_date, found.end_date) == "day"

    def within(self, slot: Slot) -> DayQuality:
        return self._sum(slot.first, slot.last)

    def line(self, slot: Slot) -> DayQuality:
        """What the line shows there: the last seven days if it is drawn by the day."""
        start = max(slot.first.toordinal() - _WINDOW + 1, 1) if self.by_day else slot.first.toordinal()
        return self._sum(date.fromordinal(start), slot.last)

    def _sum(self, first: date, last: date) -> DayQuality:
        days = [self._days[day] for day in _days(first, last) if day in self._days]
        extractions = sum(one.extractions for one in days)
        weighted = sum(one.confidence * one.extractions for one in days)
        mean = weighted / extractions if extractions else 0.0
        return DayQuality(first, extractions, sum(one.corrected for one in days), mean)


def _days(first: date, last: date) -> Iterator[date]:
    return (date.fromordinal(number) for number in range(first.toordinal(), last.toordinal() + 1))


class _Measure(NamedTuple):
    """Something that becomes better or worse over time, in per cent."""

    id: str
    title: str
    note: str
    y_label: str
    value: Callable[[DayQuality], float | None]
    """None without extractions."""
    counts: Callable[[DayQuality], str]
    scale: Callable[[Sequence[float]], Axis]


_RATE = _Measure(
    "rate",
    "Correction rate",
    "The share of extractions that somebody had to correct.",
    "Corrected extractions",
    lambda one: 100 * one.corrected / one.extractions if one.extractions else None,
    lambda one: f"{one.corrected:,} of {one.extractions:,}",
    lambda values: charts.axis(0, max(*values, _LOWEST_TOP)),
)
_CONFIDENCE = _Measure(
    "confidence",
    "Extraction confidence",
    "How sure extraction was of its values, on average.",
    "Mean confidence",
    lambda one: 100 * one.confidence if one.extractions else None,
    lambda one: f"{one.extractions:,}",
    lambda values: charts.axis(min(values), 100),
)


def _trend(measure: _Measure, found: LearningAnalytics, slots: Sequence[Slot], quality: _Quality) -> Figure:
    unit = charts.unit(found.start_date, found.end_date)
    alone = [quality.within(slot) for slot in slots]
    lines = [measure.value(quality.line(slot)) for slot in slots]
    dots = [measure.value(one) if quality.by_day else None for one in alone]
    points = [
        Point(line, _told(slot, one, line, dot, measure), dot)
        for slot, one, line, dot in zip(slots, alone, lines, dots, strict=True)
    ]
    drawn = [value for value in (*lines, *dots) if value is not None]
    known = [value for value in lines if value is not None]
    columns = (unit.capitalize(), "Extractions", measure.title)
    rows = [
        (slot.label, measure.counts(one), _percent(measure.value(one)), _percent(line))
        for slot, one, line in zip(slots, alone, lines, strict=True)
        if one.extractions or one.corrected
    ]
    return Figure(
        id=measure.id,
        title=measure.title,
        note=f"{measure.note} Line: {_WINDOW} days up to each day; dots: each day." if quality.by_day else measure.note,
        y_label=measure.y_label,
        x_label=f"{unit.capitalize()} (UTC)",
        summary=f"From {_percent(known[0])} to {_percent(known[-1])} in this period." if known else "",
        columns=(*columns, f"{_WINDOW} days up to it") if quality.by_day else columns,
        rows=tuple(row if quality.by_day else row[:-1] for row in rows),
        csv=csv_address("quality_by_day", found),
        time=charts.line_chart(slots, points, measure.scale(drawn)) if drawn else None,
    )


def _told(slot: Slot, one: DayQuality, line: float | None, dot: float | None, measure: _Measure) -> str:
    if line is None:
        return f"{slot.label}: no extractions"
    if not one.extractions:
        return f"{slot.label}: {_percent(line)} in {_WINDOW} days; none that day"
    counts = f"{measure.counts(one)} extraction{'' if one.extractions == 1 else 's'}"
    if dot is None:
        return f"{slot.label}: {_percent(line)}, {counts}"
    return f"{slot.label}: {_percent(line)} in {_WINDOW} days; {_percent(dot)} that day, {counts}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else charts.percent_label(value)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def csv_address(table: str, found: LearningAnalytics) -> str:
    query = {"table": table, "start_date": found.start_date.isoformat(), "end_date": found.end_date.isoformat()}
    return f"/analytics/learning.csv?{urlencode(query)}"

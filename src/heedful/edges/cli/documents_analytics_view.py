"""How the learning analytics of documents are printed: small plots and tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from rich.text import Text

from heedful.edges.cli.documents_view import corrected_share, rate_style
from heedful.edges.cli.layout_view import table
from heedful.edges.cli.plots import bar, columns, meter
from heedful.edges.cli.terminal import Part, Terminal, assembled, counted, visible
from heedful.edges.cli.times import age

if TYPE_CHECKING:
    from heedful.records.learning_analytics import DayQuality, LayoutStatistics, LearningAnalytics

_HEIGHT = 4
_AXIS = 7  # columns for the numbers beside a plot
_BAR = 24
_METER = 5
_NAME = 30
_LAYOUTS = 10
_WIDE = 2
_SPREAD = 0.1  # the least range of the axis of confidence


def show(terminal: Terminal, org: str, found: LearningAnalytics, now: datetime) -> None:
    documents, extractions = counted(found.documents, "document"), counted(found.extractions, "extraction")
    terminal.say((org, "bold"), f"  {documents}, {extractions}, from {found.start_date} to {found.end_date}")
    if found.extractions:
        terminal.say("  corrected   ", *corrected_share(found.corrected, found.extractions))
    if found.mean_confidence is not None:
        sure = found.mean_confidence
        terminal.say("  confidence  ", (meter(sure, _METER), "green"), f" {sure:.2f}")
    _show_events(terminal, found)
    _show_fields(terminal, found)
    _show_confidence(terminal, found)
    _show_layouts(terminal, found.layout_stats, now)


def _show_events(terminal: Terminal, found: LearningAnalytics) -> None:
    total = sum(one.count for one in found.events_by_day)
    terminal.say()
    terminal.say(("what people did", "bold"), (f"  {counted(total, 'act')}", "dim"))
    if not total:
        return
    days = _days(found)
    counts = {one.date: one.count for one in found.events_by_day}
    groups = _grouped(terminal, days)
    sums = [sum(counts.get(day, 0) for day in group) for group in groups]
    values = [None if value == 0 else float(value) for value in sums]
    plotted = columns(values, _HEIGHT, low=0, high=max(sums))
    _show_plot(terminal, plotted, groups, f"{max(sums):,}", "0", "blue")
    _say_days(terminal, groups)
    most = max(found.events_by_type.values(), default=1)
    _show_bars(terminal, [(_words(kind), count) for kind, count in found.events_by_type.items() if count], most, "blue")


def _show_fields(terminal: Terminal, found: LearningAnalytics) -> None:
    if not found.corrected_fields:
        return
    terminal.say()
    terminal.say(("most corrected fields", "bold"))
    most = found.corrected_fields[0].count
    _show_bars(terminal, [(one.field, one.count) for one in found.corrected_fields], most, "yellow")


def _show_bars(terminal: Terminal, named: Sequence[tuple[str, int]], most: int, style: str) -> None:
    width = min(_NAME, max(len(name) for name, _ in named))
    for name, count in sorted(named, key=lambda pair: -pair[1]):
        shown = visible(name)[:width].ljust(width)
        terminal.console.print(assembled([f"  {shown}  ", (bar(count / most, _BAR), style), f" {count:>6,}"]))


def _show_confidence(terminal: Terminal, found: LearningAnalytics) -> None:
    by_day = {one.date: one for one in found.quality_by_day if one.extractions}
    if not by_day:
        return
    groups = _grouped(terminal, _days(found))
    values = [_mean([by_day[day] for day in group if day in by_day]) for group in groups]
    known = [value for value in values if value is not None]
    low = max(0.0, min(*known, max(known) - _SPREAD) - 0.02)
    high = min(1.0, max(known) + 0.02)
    terminal.say()
    trend = known[-1] - known[0]
    sign: Part = ("▲", "green") if trend > 0.005 else ("▼", "red") if trend < -0.005 else ("·", "dim")
    moved: tuple[Part, ...] = (f"  {known[0]:.2f} → {known[-1]:.2f} ", sign) if len(known) > 1 else ()
    terminal.say(("confidence of extractions", "bold"), *moved)
    _show_plot(terminal, columns(values, _HEIGHT, low=low, high=high), groups, f"{high:.2f}", f"{low:.2f}", "green")
    _say_days(terminal, groups)


def _mean(days: Sequence[DayQuality]) -> float | None:
    total = sum(one.extractions for one in days)
    return sum(one.confidence * one.extractions for one in days) / total if total else None


def _show_layouts(terminal: Terminal, layouts: Sequence[LayoutStatistics], now: datetime) -> None:
    if not layouts:
        return
    terminal.say()
    terminal.say(("layouts", "bold"), ("  of all time, most seen first", "dim"))
    rows = table(
        ("layout", "seen", "corrections", "corrected", "last seen"),
        wrapping=("last seen",),
        numbers=("seen", "corrections"),
    )
    for one in layouts[:_LAYOUTS]:
        last = "" if one.last_seen_at is None else age(one.last_seen_at, now)
        rows.add_row(
            Text(visible(one.fingerprint), "cyan"),
            f"{one.seen_count:,}",
            f"{one.example_count:,}",
            _rate(one.correction_rate),
            Text(last, "dim"),
        )
    terminal.console.print(rows)
    if len(layouts) > _LAYOUTS:
        terminal.say((f"and {len(layouts) - _LAYOUTS:,} more: heedful layouts", "dim"))


def _rate(share: float | None) -> Text:
    if share is None:
        return Text("not extracted", "dim")
    return assembled([(meter(share, _METER), rate_style(share)), f" {share:.0%}"])


# Days


def _days(found: LearningAnalytics) -> list[date]:
    count = (found.end_date - found.start_date).days + 1
    return [found.start_date + timedelta(days=number) for number in range(count)]


def _grouped(terminal: Terminal, days: Sequence[date]) -> list[list[date]]:
    """One group of days for each column that there is room for."""
    room = max(10, terminal.console.width - _AXIS - 2)
    size = -(-len(days) // room)
    return [list(days[start : start + size]) for start in range(0, len(days), size)]


def _show_plot(
    terminal: Terminal, plotted: Sequence[str], groups: Sequence[Sequence[date]], top: str, bottom: str, style: str
) -> None:
    wide = _column_width(terminal, groups)
    for number, row in enumerate(plotted):
        label = top if number == 0 else bottom if number == len(plotted) - 1 else ""
        text = "".join(sign * wide for sign in row)
        terminal.console.print(assembled([(f"{label:>{_AXIS}} ", "dim"), (text, style)]), soft_wrap=True)


def _column_width(terminal: Terminal, groups: Sequence[Sequence[date]]) -> int:
    return _WIDE if _WIDE * len(groups) + _AXIS + 2 <= terminal.console.width else 1


def _say_days(terminal: Terminal, groups: Sequence[Sequence[date]]) -> None:
    """The first and the last day below a plot, and what a column stands for."""
    first, last = f"{groups[0][0]}", f"{groups[-1][-1]}"
    width = len(groups) * _column_width(terminal, groups)
    gap = width - len(first) - len(last)
    said = f"{first}{' ' * gap}{last}" if gap > 0 else f"{first} to {last}" if first != last else first
    size = len(groups[0])
    terminal.console.print(Text(f"{'':>{_AXIS}} {said}", "dim"), soft_wrap=True)
    if size > 1:
        terminal.say((f"{'':>{_AXIS}} one column is {size} days", "dim"))


def _words(kind: str) -> str:
    return kind.removeprefix("EXTRACTION_").replace("_", " ").lower()

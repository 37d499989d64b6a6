"""Learning analytics: what people had to correct in extracted documents, and whether it becomes less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from heedful.edges.spreadsheet import spreadsheet
from heedful.edges.web import charts
from heedful.edges.web.figures import csv_address, figures, headlines, kind_label, share
from heedful.edges.web.site import Site, View, Visit
from heedful.errors import InvalidInput, InvalidTime
from heedful.loop import Loop
from heedful.operations import policy
from heedful.records import document
from heedful.records.event import Event
from heedful.records.json import encode
from heedful.records.learning_analytics import TABLES, LearningAnalytics
from heedful.text.checks import clipped

_SPANS = (7, 30, 90)
_DEFAULT_SPAN = 30
_LONGEST = 3_660  # days of a period
_AHEAD = timedelta(days=366)
_PER_PAGE = 20
_VALUE = 300  # characters of a value before and after

_OFFERED = ("candidates", "suggestions")  # in payloads: what people chose from
_BESIDE = ("field", "line", "line_id", *_OFFERED)  # what is no value that changed


class Change(NamedTuple):
    """The value of a field before and after; None if there was none."""

    field: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class EventView:
    """An event of a layout, in words."""

    at: datetime
    actor: str | None
    title: str
    changes: tuple[Change, ...]
    offered: str
    """What the person chose from, if there was a choice."""
    document: str | None


def routes(site: Site) -> list[Route]:
    return [
        Route("/analytics", site.page(_overview)),
        Route("/analytics/learning.csv", site.page(_download)),
        Route("/analytics/layouts/{layout:path}", site.page(_layout)),
    ]


# The overview


def _overview(loop: Loop, visit: Visit) -> View:
    policy.AnalyticsPolicy.read.require(visit.caller.role)
    today = loop.store.clock().date()
    try:
        found, message = _chosen(loop, visit, today), ""
    except InvalidInput as error:
        found, message = _last(loop, today, _DEFAULT_SPAN), f"{error.message} {error.hint}"
    days = (found.end_date - found.start_date).days + 1
    before = _before(loop, found.start_date, days)
    numbers = headlines(found, before)
    values = {
        "found": found,
        "period": charts.period_label(found.start_date, found.end_date),
        "previous": None if before is None else charts.period_label(before.start_date, before.end_date),
        "days": days,
        "spans": _SPANS,
        "span": days if found.end_date == today and days in _SPANS else None,
        "today": today,
        "message": message,
        "headlines": numbers,
        "compared": any(one.change for one in numbers),
        "figures": figures(found, before),
        "layouts": [(one, share(one.correction_rate)) for one in found.layout_stats],
        "layouts_csv": csv_address("layout_stats", found),
        "is_empty": not (found.documents or found.extractions or found.events_by_day or found.layout_stats),
    }
    return View("analytics", values, 422 if message else 200)


def _chosen(loop: Loop, visit: Visit, today: date) -> LearningAnalytics:
    """The last days, or from one date to another."""
    start, end, span = (visit.query(name).strip() or None for name in ("start_date", "end_date", "days"))
    if start is None and end is None:
        return _last(loop, today, {str(days): days for days in _SPANS}.get(span or "", _DEFAULT_SPAN))
    found = loop.measure.learning(start, end)
    if (found.end_date - found.start_date).days >= _LONGEST:
        raise InvalidTime("The period is longer than ten years.", hint="Choose a shorter one.")
    if found.end_date > today + _AHEAD:
        raise InvalidTime("The period ends in the far future.", hint="Choose a day up to today.")
    return found


def _last(loop: Loop, today: date, days: int) -> LearningAnalytics:
    return loop.measure.learning(today - timedelta(days=days - 1), today)


def _before(loop: Loop, start: date, days: int) -> LearningAnalytics | None:
    """The period of the same length that ended just before."""
    if (start - date.min).days < days:
        return None
    return loop.measure.learning(start - timedelta(days=days), start - timedelta(days=1))


# Downloads


def _download(loop: Loop, visit: Visit) -> Response:
    policy.AnalyticsPolicy.read.require(visit.caller.role)
    table = visit.query("table")
    if table not in TABLES:
        raise InvalidInput(f"There is no table {clipped(table, 50)!r}.", hint=f"Choose one of {', '.join(TABLES)}.")
    found = loop.measure.learning(visit.query("start_date") or None, visit.query("end_date") or None)
    name = f"{table}_{found.start_date}_{found.end_date}.csv"
    columns = [field.name for field in fields(TABLES[table])]  # type: ignore[arg-type]
    content = spreadsheet(columns, ([getattr(row, column) for column in columns] for row in getattr(found, table)))
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return Response(content, headers=headers, media_type="text/csv; charset=utf-8")


# One layout


def _layout(loop: Loop, visit: Visit) -> View:
    policy.AnalyticsPolicy.read.require(visit.caller.role)
    layout = visit.request.path_params["layout"]
    profile = loop.learn.layouts.get(layout)
    page = loop.learn.layouts.page(layout, limit=_PER_PAGE, cursor=visit.query("cursor") or None)
    values = {
        "profile": profile,
        "rate": share(profile.correction_rate),
        "events": [_event_view(event) for event in page.items],
        "next": page.next,
        "first": not visit.query("cursor"),
    }
    return View("layout", values)


def _event_view(event: Event) -> EventView:
    source = event.meta.get("document")
    return EventView(
        event.at,
        event.actor,
        _title(event),
        tuple(changes(event)),
        _offered(event),
        source if isinstance(source, str) and source else None,
    )


def _title(event: Event) -> str:
    line, act = event.meta.get("line"), event.meta.get("act")
    if event.kind == document.LINE_CORRECTED and isinstance(line, int):
        return f"Line {line} {act if act in (document.ADDED, document.REMOVED) else 'corrected'}"
    return kind_label(event.kind)


def changes(event: Event) -> Iterator[Change]:
    """What differs between before and after, field by field."""
    before, after = event.before, event.after
    for field in sorted({*before, *after} - {*_BESIDE}):
        if before.get(field) != after.get(field):
            yield Change(field, _shown(before.get(field)), _shown(after.get(field)))


def _shown(value: object) -> str | None:
    if value is None or value == "":
        return None
    return clipped(value if isinstance(value, str) else encode(value), _VALUE)


def _offered(event: Event) -> str:
    found = next((offered for name in _OFFERED if (offered := event.before.get(name))), ())
    return clipped(", ".join(map(str, found)) if isinstance(found, list) else "", _VALUE)

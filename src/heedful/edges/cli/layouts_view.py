"""How layouts are printed: lists, one in full, and what people corrected, with before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.panel import Panel
from rich.text import Text

from heedful.edges.cli.documents_view import FINGERPRINT, corrected_share, rate_style
from heedful.edges.cli.drafts_view import text_of
from heedful.edges.cli.ids import short
from heedful.edges.cli.layout_view import COME, GONE, grid, table
from heedful.edges.cli.plots import meter
from heedful.edges.cli.terminal import Part, Terminal, assembled, visible
from heedful.edges.cli.times import age, local_time
from heedful.learnings.content import shortened
from heedful.records.document import ADDED, CUSTOMER_SELECTED, FIELD_CORRECTED, LINE_CORRECTED, LINE_FIELDS, REMOVED
from heedful.records.event import Event

if TYPE_CHECKING:
    from heedful.records.document import LayoutProfile

_METER = 5
_ACTOR = 16
_VALUE = 60


def show_list(terminal: Terminal, found: Sequence[tuple[LayoutProfile, str]], now: datetime) -> None:
    rows = table(
        ("layout", "seen", "corrections", "corrected", "last seen", "looks like"),
        wrapping=("last seen", "looks like"),
        numbers=("seen", "corrections"),
    )
    for one, family in found:
        rows.add_row(
            Text(visible(one.layout[:FINGERPRINT]), "cyan"),
            f"{one.seen_count:,}",
            f"{one.example_count:,}",
            assembled([_rate(one)]),
            Text("" if one.last_seen_at is None else age(one.last_seen_at, now), "dim"),
            Text(visible(family)),
        )
    terminal.console.print(rows)


def _rate(one: LayoutProfile) -> Part:
    share = one.correction_rate
    if share is None:
        return "not extracted", "dim"
    return f"{meter(share, _METER)} {share:.0%} of {one.extractions:,}", rate_style(share)


def show(terminal: Terminal, one: LayoutProfile, family: str, now: datetime) -> None:
    facts = grid("dim", ((name, parts) for name, *parts in _facts(one, family, now)))
    heading = assembled([(one.layout[:FINGERPRINT], "bold"), one.layout[FINGERPRINT:]])
    terminal.console.print(Panel(facts, title=heading, title_align="left"))


def _facts(one: LayoutProfile, family: str, now: datetime) -> Iterator[tuple[str, *tuple[Part, ...]]]:
    stats = one.stats
    yield "looks like", family, (f"  {short(one.family)}" if one.family else "", "dim")
    yield "seen", f"{one.seen_count:,}×"
    if one.created_at is not None and one.last_seen_at is not None:
        yield "first seen", f"{local_time(one.created_at)}, {age(one.created_at, now)}"
        yield "last seen", f"{local_time(one.last_seen_at)}, {age(one.last_seen_at, now)}"
    if stats:
        pages, tables = _average(stats["page_count"], "page"), _average(stats["table_count"], "table")
        yield "on average", f"{pages}, {tables}, text on {stats['text_coverage_ratio']:.0%} of the pages"
    yield "corrections", f"{one.example_count:,}", ("  acts of people, each an example for the next one", "dim")
    yield "corrected", *corrected_share(one.corrected, one.extractions)


def _average(value: float, noun: str) -> str:
    return f"{value:.3g} {noun}{'' if value == 1 else 's'}"


def show_events(terminal: Terminal, events: Sequence[Event]) -> None:
    terminal.say(("what people did", "bold"))
    terminal.rows(((f"  {local_time(event.at)}", "dim"), [_said(event), *_changes(event)]) for event in events)


def _said(event: Event) -> list[Part]:
    about = f"  draft {short(event.entity.id)}" if event.entity is not None and event.entity.kind == "draft" else ""
    return [(event.actor or "somebody")[:_ACTOR], "  ", _deed(event), (about, "dim")]


def _deed(event: Event) -> Part:
    line, act = event.meta.get("line"), event.meta.get("act")
    if event.kind != LINE_CORRECTED:
        return _DEEDS.get(event.kind, event.kind.replace("_", " ").lower())
    did = act if act in (ADDED, REMOVED) else "corrected"
    return f"{did} {'a line' if line is None else f'line {line}'}"


_DEEDS: dict[str, Part] = {
    FIELD_CORRECTED: "corrected a field",
    CUSTOMER_SELECTED: "chose the customer",
}


def _changes(event: Event) -> list[list[Part]]:
    """Each value that an act changed: before → after; all values of a line that was added or removed."""
    before, after, act = event.before, event.after, event.meta.get("act")
    names = [name for name in dict.fromkeys((*after, *before)) if name not in ("field", "candidates")]
    if act in (ADDED, REMOVED):
        values = after if act == ADDED else before
        said = ", ".join(f"{name} {_text(name, values[name])}" for name in _in_order(values))
        return [[(said, COME if act == ADDED else GONE)]]
    return [
        [
            (f"{name}  ", "dim"),
            (_text(name, before.get(name)), GONE),
            (" → ", "dim"),
            (_text(name, after.get(name)), COME),
        ]
        for name in names
    ]


def _in_order(values: Iterable[str]) -> list[str]:
    return sorted(values, key=lambda name: LINE_FIELDS.index(name) if name in LINE_FIELDS else len(LINE_FIELDS))


def _text(name: str, value: object) -> str:
    shown = text_of(name, value) if value is None or isinstance(value, str | int | float) else str(value)
    return shortened(shown, _VALUE)

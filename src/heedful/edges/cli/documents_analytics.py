"""documents analytics: what people had to correct in documents, as plots, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli import documents_analytics_view as view
from heedful.edges.cli import text_file
from heedful.edges.cli.terminal import DONE, Terminal, command, counted
from heedful.errors import InvalidInput
from heedful.records.learning_analytics import DayCount, DayQuality, FieldCount, LayoutStatistics

if TYPE_CHECKING:
    from heedful.records.learning_analytics import LearningAnalytics
    from heedful.records.record import Record

_TABLES: dict[str, type[Record]] = {
    "events_by_day": DayCount,
    "corrected_fields": FieldCount,
    "layout_stats": LayoutStatistics,
    "quality_by_day": DayQuality,
}
_STDOUT = "-"
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@command(
    "heedful documents analytics --since 90d\n"
    "heedful documents analytics --csv fields.csv --table corrected_fields\n"
    "heedful documents analytics --csv - --table layout_stats"
)
@click.option("--since", metavar="TIME", help="First day: 2026-01-05, or an age: 7d, 4w. [30 days]")
@click.option("--until", metavar="TIME", help="Last day. [today]")
@click.option(
    "--csv", "file", type=click.Path(dir_okay=False, allow_dash=True), metavar="FILE", help="Write CSV; - is stdout."
)
@click.option(
    "--table",
    type=click.Choice(list(_TABLES)),
    metavar="TABLE",
    help=f"What to write as CSV: {', '.join(_TABLES)}. [events_by_day]",
)
def analytics(terminal: Terminal, since: str | None, until: str | None, file: str | None, table: str | None) -> None:
    """Show what people had to correct, and whether it is less.

    Events per day, the fields that are corrected most, layouts with the share of extractions that were corrected, and
    confidence over time. Days are in UTC; layouts are those of all time.
    """
    if table is not None and file is None:
        raise InvalidInput(
            "--table is for --csv.", hint=f"Add --csv FILE, or --csv - for stdout: --csv - --table {table}"
        )
    if file is not None and terminal.json:
        raise InvalidInput("--csv cannot be combined with --json.", hint="Drop one of them.")
    with terminal.existing() as loop:
        found = loop.measure.learning(since, until)
        if file is not None:
            _write(terminal, found, file, table or "events_by_day")
        elif terminal.json:
            terminal.line(found.to_dict())
        elif not (found.documents or found.extractions or found.events_by_day or found.layout_stats):
            terminal.say(
                (f"Nothing was recorded from {found.start_date} to {found.end_date}. Take in documents:", "dim")
            )
            terminal.say(f"  heedful documents add{terminal.same_place(loop)} order.pdf --extract")
        else:
            view.show(terminal, loop.name, found, loop.store.clock())


def _write(terminal: Terminal, found: LearningAnalytics, file: str, table: str) -> None:
    rows = [one.to_dict() for one in getattr(found, table)]
    text = _csv([field.name for field in fields(_TABLES[table])], rows)  # type: ignore[arg-type]
    if file == _STDOUT:
        click.echo(text, nl=False)
        return
    text_file.replace(Path(file), text)
    terminal.say(DONE, f"{file} has {counted(len(rows), 'row')} of {table}")


def _csv(names: list[str], rows: list[dict[str, Any]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_harmless(row[name]) for name in names] for row in rows)
    return written.getvalue()


def _harmless(value: Any) -> Any:
    """A spreadsheet would take a text such as =1+1 for a formula, and names of fields are typed by people."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value

"""documents analytics: what people had to correct in documents, as plots, as JSON and as CSV."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import documents_analytics_view as view
from heedful.edges.cli import text_file
from heedful.edges.cli.terminal import DONE, Terminal, command, counted
from heedful.edges.spreadsheet import table_text
from heedful.errors import InvalidInput
from heedful.records.learning_analytics import TABLES

if TYPE_CHECKING:
    from heedful.records.learning_analytics import LearningAnalytics

_STDOUT = "-"


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
    type=click.Choice(list(TABLES)),
    metavar="TABLE",
    help=f"What to write as CSV: {', '.join(TABLES)}. [events_by_day]",
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
    columns = [field.name for field in fields(TABLES[table])]  # type: ignore[arg-type]
    rows = [[one.to_dict()[column] for column in columns] for one in getattr(found, table)]
    text = table_text(columns, rows)
    if file == _STDOUT:
        click.echo(text, nl=False)
        return
    text_file.replace(Path(file), text)
    terminal.say(DONE, f"{file} has {counted(len(rows), 'row')} of {table}")

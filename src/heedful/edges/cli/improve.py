"""improve: apply earlier corrections to a new output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import corrections_view as view
from heedful.edges.cli.terminal import Terminal, command, counted, visible
from heedful.edges.cli.text_file import read_input

if TYPE_CHECKING:
    from heedful.records.improved import Improved


@command(
    'heedful improve "parse() returns an error on bad input" --query "what does parse() return?"\n'
    "heedful improve --about deployment < answer.txt > better.txt"
)
@click.argument("text", required=False)
@click.option("--query", default="", help="The question that the output answers.")
@click.option("--about", help="The project, topic or agent.")
@click.option("--user", help="Who gets the output: also corrections that are only for them.")
def improve(terminal: Terminal, text: str | None, query: str, about: str | None, user: str | None) -> None:
    """Apply earlier corrections to a new output.

    Reads the output from the argument or stdin. Prints the new text to stdout, and the changes to stderr.
    """
    output = read_input("-") if text in (None, "-") else str(text)
    with terminal.existing() as loop:
        improved = loop.apply.improve(output, query=query, about=about, user=user)
    if terminal.json:
        terminal.line({**improved.to_dict(), "modified": improved.modified})
        return
    click.echo(visible(improved.text) if sys.stdout.isatty() else improved.text, nl=not improved.text.endswith("\n"))
    _show_changes(terminal, improved)
    terminal.warn_unanswered(improved.unanswered)


def _show_changes(terminal: Terminal, improved: Improved) -> None:
    if not improved.changes:
        terminal.say(("no changes", "dim"), to=terminal.notices)
        return
    by = "" if improved.by == "local" else f" by {improved.by}"
    terminal.say((f"{counted(len(improved.changes), 'change')}{by}", "bold"), to=terminal.notices)
    for one in improved.changes:
        terminal.notices.print("  ", view.change(one.before, one.after), soft_wrap=True, sep="")
        terminal.say(
            (f"    {one.why}  ({one.correction})" if one.why else f"    {one.correction}", "dim"), to=terminal.notices
        )

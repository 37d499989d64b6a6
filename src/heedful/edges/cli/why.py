"""why: what people did that is behind a learning, or behind a whole context."""

from __future__ import annotations

import re
from itertools import groupby
from shlex import quote
from typing import TYPE_CHECKING

import click

from heedful.edges.cli.context_ids import find_context
from heedful.edges.cli.learnings import register
from heedful.edges.cli.terminal import Terminal, assembled, command
from heedful.errors import NotFound
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.names import identifier

if TYPE_CHECKING:
    from heedful.loop import Loop

_DATED = re.compile(r" *\d{4}-\d\d-\d\d ")


@command(
    "heedful why 5f0c1a9be27d4431\n"
    "heedful why 5f0c1a9be27d4431 --at 2026-03-02\n"
    "heedful why 5f0c1a9be27d4431 --mermaid > why.mmd"
)
@click.argument("id")
@click.option("--at", metavar="TIME", help="As it was known then: 2026-03-02, 2026-03-02T09:00:00Z or 30d ago.")
@click.option("--mermaid", is_flag=True, help="Print the graph as a Mermaid flowchart.")
def why(terminal: Terminal, id: str, at: str | None, mermaid: bool) -> None:
    """Show who taught, confirmed and approved a learning.

    ID is the id in a line of a prompt, or the id of a whole context. Abbreviate it to six or more characters if that
    is unambiguous. Evidence that was erased is not shown, only that it was.
    """
    with terminal.existing() as loop:
        found = _found(loop, id)
        shown = loop.govern.why(found, at=at)
        place = terminal.same_place(loop)
    if terminal.json:
        terminal.line(shown.to_dict())
    elif mermaid:
        click.echo(shown.mermaid, nl=False)
    else:
        _show(terminal, shown.text.split("\n"))
        then = "" if at is None else f" --at {quote(at)}"
        terminal.say((f"As a graph: heedful why{place} {found}{then} --mermaid", "dim"))


def _show(terminal: Terminal, lines: list[str]) -> None:
    """What it says, then a row for each act: the day, and what was done."""
    terminal.console.print(assembled([(lines[0], "bold")]))
    for is_dated, some in groupby(lines[1:], lambda line: _DATED.match(line) is not None):
        if is_dated:
            acts = (line.strip().partition(" ") for line in some)
            terminal.rows(((f"  {day}", "dim"), [[did]]) for day, _, did in acts)
            continue
        for line in some:
            terminal.console.print(assembled([line]))


def _found(loop: Loop, id: str) -> str:
    event = loop.store.log.get(identifier(id, "id"))
    if event is not None and event.kind == CONTEXT_GIVEN:
        return id
    try:
        return register(loop).find(id).id
    except NotFound as error:
        try:
            return find_context(loop, id)
        except NotFound:
            raise error from None

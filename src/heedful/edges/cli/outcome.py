"""outcome: report what came of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.context_ids import find_context
from heedful.edges.cli.terminal import DONE, Terminal, command, counted
from heedful.edges.cli.text_file import read_input
from heedful.errors import InvalidInput

if TYPE_CHECKING:
    from heedful.records.outcome import Outcome

_OPPOSITES = {"success": "failure", "accepted": "rejected"}
_FILE = click.Path(dir_okay=False, allow_dash=True)


@command(
    "heedful outcome 0197f3a9-c0e2-7d11-8a41-5f0c1a9be27d --success\n"
    'heedful outcome 0197f3a9-c0e2-7d11-8a41-5f0c1a9be27d --score 0.4 --note "half of it had to be redone"\n'
    "heedful outcome 0197f3a9-c0e2-7d11-8a41-5f0c1a9be27d --output made.md --edited-to sent.md"
)
@click.argument("context")
@click.option("--success", is_flag=True, help="It worked.")
@click.option("--failure", is_flag=True, help="It did not.")
@click.option("--score", type=float, help="How well it worked, from 0 to 1.")
@click.option("--accepted", is_flag=True, help="A person took the output.")
@click.option("--rejected", is_flag=True, help="A person did not.")
@click.option("--output", type=_FILE, metavar="FILE", help="The output, to check what it follows; - is stdin.")
@click.option("--edited-to", type=_FILE, metavar="FILE", help="What a person made of the output.")
@click.option("--note", help="What you want to remember of it.")
@click.option("--actor", metavar="NAME", help="Who reports it.")
@click.option("--at", metavar="TIME", help="Time of the outcome, with time zone: 2026-01-05T09:00:00Z. [now]")
@click.option("--id", help="Your own id; reporting it twice changes nothing.")
def outcome(terminal: Terminal, context: str, **options: Any) -> None:
    """Report what came of a context.

    CONTEXT is the id that `heedful context` prints; six or more characters of it will do. An output is compared with
    the learnings it was made with; its text is not stored. The latest report counts.
    """
    told = {name: _told(options.pop(name), options.pop(no), name, no) for name, no in _OPPOSITES.items()}
    given = {name: value for name, value in {**options, **told}.items() if value is not None}
    files = [name for name in ("output", "edited_to") if name in given]
    if len(files) > 1 and given["output"] == given["edited_to"] == "-":
        raise InvalidInput("Only one file can be read from stdin.", hint="Name the other.")
    given |= {name: read_input(given[name]) for name in files}
    with terminal.existing() as loop:
        reported = loop.measure.outcome(find_context(loop, context), **given)
    if terminal.json or reported is None:
        terminal.line(reported)
    else:
        _show(terminal, reported)


def _told(yes: bool, no: bool, name: str, opposite: str) -> bool | None:
    if yes and no:
        raise InvalidInput(f"--{name} and --{opposite} exclude each other.", hint="Pass one of them.")
    return yes if yes or no else None


def _show(terminal: Terminal, reported: Outcome) -> None:
    value = "" if reported.value is None else f": {reported.value:.2f}"
    unit = "" if reported.unit == reported.context else f"  in {reported.unit}"
    terminal.say(DONE, f"reported{value}", (unit, "dim"))
    for noun, ids in (("followed", reported.followed), ("broken", reported.broken)):
        if ids:
            terminal.say(f"  {noun}: {counted(len(ids), 'learning')}", (f"  {', '.join(ids)}", "dim"))

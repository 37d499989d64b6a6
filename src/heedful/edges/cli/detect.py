"""detect: decide whether a message corrects an output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from heedful.edges.cli import corrections_view as view
from heedful.edges.cli.terminal import Terminal, command
from heedful.edges.cli.text_file import read_input
from heedful.errors import InvalidInput

if TYPE_CHECKING:
    from heedful.records.correction import Detection

_NO_CORRECTION = 1


@command(
    'heedful detect "No, it should return nil" --after "The function returns an error."\n'
    'heedful detect "Use tabs, please" --after-file answer.txt && echo "a correction"'
)
@click.argument("message")
@click.option("--after", help="The output that the message responds to.")
@click.option(
    "--after-file", type=click.Path(dir_okay=False, allow_dash=True), help="A file with that output; - is stdin."
)
@click.option("--asked", help="What the AI had been asked.")
def detect(terminal: Terminal, message: str, after: str | None, after_file: str | None, asked: str | None) -> None:
    """Detect whether a message corrects an output.

    Stores nothing, and needs no database.

    \b
    Exit codes: 0 a correction · 1 not a correction
    """
    if (after is None) == (after_file is None):
        raise InvalidInput(
            "Pass either --after or --after-file.", hint="They name the output that the message responds to."
        )
    output = after if after is not None else read_input(after_file or "-")
    with terminal.existing_or_temporary() as loop:
        found = loop.capture.detect(message, last_output=output, query=asked)
    if terminal.json:
        terminal.line(found)
    else:
        _show(terminal, found)
    if not found.is_correction:
        click.get_current_context().exit(_NO_CORRECTION)


def _show(terminal: Terminal, found: Detection) -> None:
    if not found.is_correction:
        terminal.say("not a correction", (f"  probability {found.confidence:.2f}", "dim"))
    else:
        kind = "" if found.category is None else f"{found.category.value}, "
        holds = "holds always" if found.always else "holds here"
        facts = f"  {kind}{holds}, confidence {found.confidence:.2f}, severity {found.severity:.2f}"
        terminal.say(("a correction", "bold"), (facts, "dim"))
        if found.wrong or found.right:
            terminal.console.print("  ", view.change(found.wrong, found.right), soft_wrap=True, sep="")
        elif found.sentence:
            terminal.say((f"  about: {found.sentence}", "dim"))
        if found.understood:
            terminal.say(f"  understood: {found.understood}")
        if found.fixed:
            terminal.say(f"  put right: {found.fixed}")
        if found.why:
            terminal.say(f"  why: {found.why}")
    for signal in found.signals:
        terminal.say((f"  · {signal}", "dim"))
    if found.disputed:
        terminal.say(("  The language model and the local detector disagree.", "yellow"))
    terminal.warn_unanswered(found.unanswered)

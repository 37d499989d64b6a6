"""detect, improve: one turn of a conversation with an AI."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import correction_view as view
from heedful.edges.cli.session import Session, command, counted, visible
from heedful.errors import InvalidInput
from heedful.records.correction import LONG_LIMIT
from heedful.records.language import why_unanswered

if TYPE_CHECKING:
    from heedful.records.correction import Detection
    from heedful.records.improved import Improved

_NO_CORRECTION = 1


@command(
    'heedful detect "No, it should return nil" --after "The function returns an error."\n'
    'heedful detect "Use tabs, please" --after-file answer.txt && echo "a correction"'
)
@click.argument("message")
@click.option("--after", help="The output that the message follows.")
@click.option("--after-file", type=click.Path(dir_okay=False, allow_dash=True), help="A file with it; - is stdin.")
def detect(session: Session, message: str, after: str | None, after_file: str | None) -> None:
    """Tell whether a message corrects the output before it.

    Nothing is stored.

    \b
    Exit codes: 0 it is a correction · 1 it is none
    """
    if (after is None) == (after_file is None):
        raise InvalidInput("Which output does the message follow?", hint="Give --after or --after-file.")
    output = after if after is not None else _read(after_file or "-")
    with session.existing() as loop:
        found = loop.capture.detect(message, last_output=output)
    if session.json:
        session.line(found)
    else:
        _show(session, found)
    if not found.is_correction:
        click.get_current_context().exit(_NO_CORRECTION)


def _show(session: Session, found: Detection) -> None:
    if not found.is_correction:
        session.say("no correction", (f"  confidence that it is one {found.confidence:.2f}", "dim"))
    else:
        kind = "" if found.category is None else f"{found.category.value}, "
        facts = f"  {kind}confidence {found.confidence:.2f}, severity {found.severity:.2f}"
        session.say(("a correction", "bold"), (facts, "dim"))
        if found.wrong or found.right:
            session.console.print("  ", view.change(found.wrong, found.right), soft_wrap=True, sep="")
        if found.why:
            session.say(f"  why: {found.why}")
    for signal in found.signals:
        session.say((f"  · {signal}", "dim"))
    if found.disputed:
        session.say(("  The language model and the local detector see it differently.", "yellow"))
    _say_unanswered(session, found.unanswered)


def _say_unanswered(session: Session, code: str | None) -> None:
    if code is not None:
        said = f"The language model did not decide: {why_unanswered(code)}. What is told here was found locally."
        session.say(("! ", "yellow"), said, to=session.notices)


@command(
    'heedful improve "parse() returns an error on bad input" --query "what does parse() return?"\n'
    "heedful improve --about deployment < answer.txt > better.txt"
)
@click.argument("text", required=False)
@click.option("--query", default="", help="What the AI was asked.")
@click.option("--about", help="The topic, agent or rule it belongs to.")
def improve(session: Session, text: str | None, query: str, about: str | None) -> None:
    """Apply what people corrected before to a new output.

    The output is the argument, or stdin.

    The text goes to stdout, and what was changed in it to stderr.
    """
    output = _read("-") if text in (None, "-") else str(text)
    with session.existing() as loop:
        improved = loop.apply.improve(output, query=query, about=about)
    if session.json:
        session.line(
            {
                "text": improved.text,
                "original": improved.original,
                "modified": improved.modified,
                "changes": improved.changes,
                "applied": improved.applied,
                "by": improved.by,
                "unanswered": improved.unanswered,
            }
        )
        return
    click.echo(visible(improved.text) if sys.stdout.isatty() else improved.text, nl=not improved.text.endswith("\n"))
    _show_changes(session, improved)
    _say_unanswered(session, improved.unanswered)


def _show_changes(session: Session, improved: Improved) -> None:
    if not improved.changes:
        session.say(("nothing was changed", "dim"), to=session.notices)
        return
    by = "" if improved.by == "local" else f" by {improved.by}"
    session.say((f"{counted(len(improved.changes), 'change')}{by}", "bold"), to=session.notices)
    for one in improved.changes:
        session.notices.print("  ", view.change(one.before, one.after), soft_wrap=True, sep="")
        session.say(
            (f"    {one.why}  ({one.correction})" if one.why else f"    {one.correction}", "dim"), to=session.notices
        )


def _read(file: str) -> str:
    most = 4 * LONG_LIMIT + 1  # bytes: a character takes four at most
    try:
        if file == "-":
            content = sys.stdin.buffer.read(most)
        else:
            with Path(file).open("rb") as source:
                content = source.read(most)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.", hint="Check the name of the file.") from None
    if len(content) == most:
        raise InvalidInput(f"The text is longer than {LONG_LIMIT:,} characters.", hint="Send the passage that matters.")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InvalidInput("The text is not UTF-8.", hint="Convert it first, with iconv for example.") from None

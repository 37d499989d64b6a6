"""forget: a person, a conversation, a document, or everything of an organisation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from heedful.edges.cli.terminal import DONE, Part, Terminal, command, counted
from heedful.errors import InvalidInput

if TYPE_CHECKING:
    from heedful.records.receipt import Receipt

_DONE = {
    "user": "the person was forgotten",
    "conversation": "the conversation was forgotten",
    "document": "the document was forgotten",
    "everything": "everything was forgotten",
}


@command(
    "heedful forget --user dana\n"
    "heedful forget --conversation 3b1f9a52-7d80-4c0e-9a55-0b7c5d1e2f60 --yes\n"
    "heedful forget --document order-4711\n"
    "heedful forget --everything"
)
@click.option("--user", metavar="NAME", help="Everything that this person did and said.")
@click.option("--conversation", metavar="ID", help="A conversation, and what only it taught.")
@click.option("--document", metavar="ID", help="A document, its drafts, and what was corrected in them.")
@click.option("--everything", is_flag=True, help="All data of the organisation.")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@click.option(
    "--confirm", metavar="ORG", help="The name of the organisation, to forget everything without being asked."
)
def forget(
    terminal: Terminal,
    user: str | None,
    conversation: str | None,
    document: str | None,
    everything: bool,
    yes: bool,
    confirm: str | None,
) -> None:
    """Forget a person, a conversation, a document, or everything.

    Prints a receipt. What others said too is derived again without them.
    """
    chosen = user or conversation or document
    with terminal.existing() as loop:
        if everything and confirm is None:
            confirm = _typed_name(terminal, loop.name)
        elif chosen is not None and not yes and not terminal.confirms_deletion(chosen, more=", and what came of it"):
            return
        with terminal.notices.status("erasing"):
            receipt = loop.govern.forget(
                user=user, conversation=conversation, document=document, everything=everything, confirm=confirm
            )
    terminal.answer(receipt, DONE, _DONE[receipt.scope])
    if not terminal.json:
        _show(terminal, receipt)


def _typed_name(terminal: Terminal, org: str) -> str:
    """Nobody types the name of an organisation by accident."""
    if terminal.json or not sys.stdin.isatty():
        raise InvalidInput("Forgetting everything needs confirmation.", hint=f"Add --confirm {org}.")
    terminal.say(("! ", "yellow"), f"All data of {org} will be erased for good, with its keys and settings.")
    return str(click.prompt("  Type the name of the organisation to go on"))


def _show(terminal: Terminal, receipt: Receipt) -> None:
    rows: list[tuple[Part, list[list[Part]]]] = [(("receipt", "bold"), [[receipt.id]])]
    erased = [f"{count:,} {kind}" for kind, count in receipt.events.items()]
    rows.append((("erased", "bold"), [[line] for line in erased] or [["nothing was found"]]))
    if receipt.rewritten:
        kept = [f"{count:,} {kind}" for kind, count in receipt.rewritten.items()]
        rows.append((("kept, without the name", "bold"), [[line] for line in kept]))
    also = {
        "learning": len(receipt.learnings),
        "vector": receipt.vectors,
        "file": receipt.files,
        "job": receipt.jobs,
        "key": receipt.keys,
    }
    with_it = [counted(number, noun) for noun, number in also.items() if number]
    if with_it:
        rows.append((("with it", "bold"), [[", ".join(with_it)]]))
    if receipt.changed:
        rows.append((("derived again", "bold"), [[counted(len(receipt.changed), "learning")]]))
    rows.append((("notes", "bold"), [[(note, "dim")] for note in receipt.notes]))
    terminal.rows(rows)

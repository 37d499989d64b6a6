"""conversations: list mined conversations, explain their outcome, and delete one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import learnings_view as view
from heedful.edges.cli.ids import IdLookup, short
from heedful.edges.cli.terminal import DONE, Part, Terminal, command, counted, group, limit_option
from heedful.edges.cli.times import age, local_time
from heedful.errors import NotFound
from heedful.learnings.content import shortened
from heedful.records.mining import ENTITY, MiningOutcome

if TYPE_CHECKING:
    from datetime import datetime

    from heedful.loop import Loop
    from heedful.records.mining import Mined

_OUTCOMES = click.Choice([outcome.value for outcome in MiningOutcome])
_TITLE = 60
_GOOD = (MiningOutcome.LEARNED, MiningOutcome.KNOWN)


@group(
    "heedful conversations list --outcome learned\n"
    "heedful conversations why 3b1f9a52-7d80\n"
    "heedful conversations forget 3b1f9a52-7d80"
)
def conversations() -> None:
    """List mined conversations, and delete one.

    Abbreviate an id to six or more characters if that is unambiguous.
    """


def _register(loop: Loop) -> IdLookup[Mined]:
    get = loop.govern.conversations.get
    return IdLookup("conversation", get, lambda: _each(loop), lambda one: one.conversation, _plain)


def _each(loop: Loop) -> Iterator[Mined]:
    """Each conversation once, with its last mining."""
    seen: set[str] = set()
    for one in loop.govern.conversations.all():
        if one.conversation not in seen:
            seen.add(one.conversation)
            yield one


def _plain(one: Mined) -> str:
    return shortened(one.title or "", _TITLE) or f"{counted(one.messages, 'message')} with {one.tool or 'an AI tool'}"


@command(
    "heedful conversations list\nheedful conversations list --outcome low_value -n 50",
    name="list",
    within=conversations,
)
@click.option(
    "--outcome",
    type=_OUTCOMES,
    metavar="OUTCOME",
    help=f"Only with this outcome: {', '.join(_OUTCOMES.choices)}.",
)
@limit_option(20, ", last mined first")
def list_conversations(terminal: Terminal, outcome: str | None, limit: int) -> None:
    """List conversations and their outcomes.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = list(islice((one for one in _each(loop) if outcome in (None, one.outcome.value)), limit))
        if terminal.json:
            terminal.lines(found)
        elif found:
            now = loop.store.clock()
            terminal.rows(((short(one.conversation), "cyan"), _lines(one, now)) for one in found)
        elif outcome is not None:
            terminal.say(("No conversations match.", "dim"))
        else:
            terminal.say(("No conversations were mined yet. Mine some:", "dim"))
            terminal.say(f"  heedful mine{terminal.same_place(loop)} ~/.claude/projects")


def _lines(one: Mined, now: datetime) -> list[list[Part]]:
    facts = (one.tool, one.project, counted(one.messages, "message"), f"mined {age(one.at, now)}")
    title: list[Part] = [("  " + shortened(one.title, _TITLE), "bold")] if one.title else []
    return [[_outcome(one), *title], [(" · ".join(fact for fact in facts if fact), "dim")]]


def _outcome(one: Mined) -> Part:
    if one.outcome is MiningOutcome.LEARNED:
        return (f"learned {len(one.learned):,}", "green")
    if one.possible:
        return (f"possible {len(one.possible):,}", "yellow")
    return (one.outcome.value.replace("_", " "), "" if one.outcome is MiningOutcome.KNOWN else "yellow")


@command("heedful conversations why 3b1f9a52-7d80", within=conversations)
@click.argument("id")
def why(terminal: Terminal, id: str) -> None:
    """Show why a conversation taught something, or nothing."""
    with terminal.existing() as loop:
        one = _register(loop).find(id)
        if terminal.json:
            terminal.line(one)
            return
        terminal.say((_plain(one), "bold"))
        when = f"mined {local_time(one.at)}"
        facts = (one.conversation, one.tool, one.project, counted(one.messages, "message"), when)
        terminal.say((" · ".join(fact for fact in facts if fact), "dim"))
        terminal.say()
        terminal.rows(((found.step, "bold"), [[found.says]]) for found in one.findings)
        terminal.say()
        terminal.say((one.says, "green" if one.outcome in _GOOD else "yellow"))
        for ids, says in _named(one):
            terminal.rows(
                ((short(id), "cyan"), [[_title(loop, id), (f"  {says}" if says else "", "dim")]]) for id in ids
            )
        if one.proposals:
            place = terminal.same_place(loop)
            terminal.say((f"Decide: heedful proposals show{place} {short(one.proposals[0])}", "dim"))


def _named(one: Mined) -> Iterator[tuple[tuple[str, ...], str]]:
    yield one.learned, ""
    yield one.confirmed, "known"
    yield one.possible, "not used yet"
    yield one.taken_back, "taken back"


def _title(loop: Loop, id: str) -> str:
    try:
        return view.title(loop.govern.learnings.get(id))
    except NotFound:
        return "(deleted)"


@command(
    "heedful conversations forget 3b1f9a52-7d80\nheedful conversations forget 3b1f9a52-7d80 --yes", within=conversations
)
@click.argument("id")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
def forget(terminal: Terminal, id: str, yes: bool) -> None:
    """Delete a conversation and what only it taught.

    Learnings with evidence from other conversations stay, without the quotes of this one.
    """
    with terminal.existing() as loop:
        name, shown = _chosen(loop, id)
        if not yes and not terminal.confirms_deletion(shown, more=", with what only it taught"):
            return
        gone = loop.govern.conversations.delete(name)
    learned = f" and {counted(gone.learnings, 'learning')}" if gone.learnings else ""
    terminal.answer(gone, DONE, f"deleted: {shown}, with {counted(gone.events, 'event')}{learned}")


def _chosen(loop: Loop, id: str) -> tuple[str, str]:
    """Also finds a conversation that is not mined yet, by its full id."""
    try:
        one = _register(loop).find(id)
    except NotFound:
        if not any(True for _ in loop.events(entity=(ENTITY, id), limit=1)):
            raise
        return id, id
    return one.conversation, _plain(one)

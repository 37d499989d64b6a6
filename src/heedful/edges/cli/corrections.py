"""corrections: list, add, edit and delete corrections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from heedful.capture.corrections.reported import checked_item
from heedful.edges.cli import corrections_view as view
from heedful.edges.cli.events import item, record_lines
from heedful.edges.cli.ids import IdLookup
from heedful.edges.cli.terminal import DONE, Terminal, command, group, limit_option
from heedful.errors import InvalidInput, NotFound
from heedful.learnings.changes import edits
from heedful.learnings.events import CONFIRMED, EDITED
from heedful.learnings.table import LearningTable
from heedful.operations.operation import operation_of
from heedful.records.correction import Category, Correction
from heedful.records.learning import Audience, Status

if TYPE_CHECKING:
    from heedful.loop import Loop

_CATEGORIES = click.Choice([category.value for category in Category])
_STATUSES = click.Choice([status.value for status in Status])
_AUDIENCES = click.Choice([audience.value for audience in Audience])
_SHARE = click.FloatRange(0, 1)
_ALWAYS = click.option("--always/--only-here", default=None, help="Whether it holds beyond this question.")


@group(
    'heedful corrections add --wrong "make ship" --right "make release" --about deployment\n'
    "heedful corrections list --category code\n"
    'heedful corrections search "how do I deploy?"'
)
def corrections() -> None:
    """List, add, edit and delete corrections.

    Abbreviate an id to six or more characters if that is unambiguous.
    """


@command(
    "heedful corrections list --category code --limit 50\nheedful corrections list --json",
    name="list",
    within=corrections,
)
@click.option("--category", type=_CATEGORIES, help="Only of this category.")
@click.option("--status", type=_STATUSES, help="Only of this status.")
@click.option("--about", help="Only about this project, topic or agent.")
@limit_option(20, ", newest first")
def list_corrections(terminal: Terminal, limit: int, **wanted: Any) -> None:
    """List corrections, newest first.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = islice(_each(loop, wanted), limit)
        now = loop.store.clock()
        if terminal.json:
            for one in found:
                terminal.line({**asdict(one), "confidence_now": round(view.now_worth(one, now), 6)})
            return
        shown = list(found)
        if shown:
            view.show_list(terminal, shown, now)
        elif any(wanted.values()):
            terminal.say(("No corrections match.", "dim"))
        else:
            terminal.say(("There are no corrections yet. Add one:", "dim"))
            terminal.say('  heedful corrections add --wrong "what was wrong" --right "what is right"')


def _each(loop: Loop, wanted: dict[str, Any]) -> Iterator[Correction]:
    return loop.govern.learnings.all(kind="correction", **{"status": None, **wanted})


@command("heedful corrections show 7f3a9c0e21d4", within=corrections)
@click.argument("id")
def show(terminal: Terminal, id: str) -> None:
    """Show a correction and its events."""
    with terminal.existing() as loop:
        one = _found(loop, id)
        supersedes = LearningTable(loop.store).superseded_by(one.id)
        evidence = LearningTable(loop.store).history(one.id)
        now = loop.store.clock()
    if terminal.json:
        events = [{"id": one.id, "at": one.at, "actor": one.actor, "kind": one.kind} for one in evidence]
        worth = round(view.now_worth(one, now), 6)
        terminal.line({**asdict(one), "confidence_now": worth, "supersedes": supersedes, "evidence": events})
        return
    view.show(terminal, one, supersedes, evidence, now)


def _one(loop: Loop, id: str) -> Correction:
    found = loop.govern.learnings.get(id)
    if not isinstance(found, Correction):
        raise NotFound(f"There is no correction {id!r} here.", hint="List them with `heedful corrections list`.")
    return found


def _found(loop: Loop, id: str) -> Correction:
    register = IdLookup("correction", partial(_one, loop), lambda: _each(loop, {}), lambda one: one.id, view.plain)
    return register.find(id)


@command(
    'heedful corrections add --wrong "make ship" --right "make release" --why "renamed in March" --about deployment\n'
    "heedful corrections add --file corrections.jsonl",
    within=corrections,
)
@click.option("--wrong", help="The wrong text.")
@click.option("--right", help="The right text.")
@click.option("--why", help="The reason.")
@click.option("--query", help="The question that the AI answered.")
@click.option("--sentence", help="The sentence that was corrected.")
@_ALWAYS
@click.option("--about", help="The project, topic or agent.")
@click.option("--category", type=_CATEGORIES, help="The category. [detected]")
@click.option("--severity", type=_SHARE, help="From 0 (trivial) to 1. [0.5]")
@click.option("--actor", help="Who corrected.")
@click.option("--audience", type=_AUDIENCES, help="For the whole team, or only for the actor. [team]")
@click.option("--session", "in_session", help="The conversation.")
@click.option("--at", metavar="TIME", help="Time of the correction, with time zone: 2026-01-05T09:00:00Z. [now]")
@click.option("--id", help="Your own id; adding it twice changes nothing.")
@click.option(
    "--file",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Corrections, one JSON object per line; - is stdin.",
)
def add(terminal: Terminal, file: str | None, in_session: str | None, at: str | None, **options: Any) -> None:
    """Add a correction, or a file of corrections.

    Confirms an existing correction that says the same, which takes over --always, another --why and another --category.
    Supersedes one by the same person that contradicts it. Between different people, somebody decides: see `heedful
    proposals`. A file is validated completely before anything is recorded.
    """
    given = {name: value for name, value in {**options, "session": in_session, "at": at}.items() if value is not None}
    if file is not None and given:
        raise InvalidInput("Options cannot be combined with --file.", hint="Drop the options or the file.")
    if file is None and not (given.keys() & {"wrong", "right"}):
        raise InvalidInput("--wrong or --right is required.", hint="Pass both, or --file.")
    with terminal.loop() as loop:
        if file is not None:
            _add_file(terminal, loop, file)
        else:
            _add(terminal, loop, given)


def _add(terminal: Terminal, loop: Loop, given: dict[str, Any]) -> None:
    again = "id" in given and loop.store.log.get(given["id"]) is not None
    one = loop.capture.correction(**given)
    confirms = not again and one.confirmed > 0  # what is new has not been confirmed yet
    supersedes = [] if again or confirms else LearningTable(loop.store).superseded_by(one.id)
    if terminal.json:
        terminal.line({**asdict(one), "known": again or confirms, "supersedes": supersedes})
        return
    did = "recorded before" if again else "confirmed an existing correction" if confirms else "recorded"
    terminal.say(DONE, f"{did}: {view.plain(one)}")
    terminal.say((f"  {one.category.value}, as {one.id}", "dim"))
    if confirms and (new := _taken_over(loop, one)):
        terminal.say((f"  took over: {', '.join(new)}", "dim"))
    for old in supersedes:
        terminal.say(("  supersedes ", "yellow"), f"{view.plain(_one(loop, old))}  ", (old, "dim"))
    if one.contradicted_by or one.status is Status.SUPERSEDED:
        _say_what_it_contradicts(terminal, loop, one)


def _taken_over(loop: Loop, one: Correction) -> list[str]:
    """What a known correction took over from the report that confirmed it last."""
    history = LearningTable(loop.store).history(one.id)
    *_, last = (event for event in history if event.kind in (CONFIRMED, EDITED))
    return edits(history)[last.id].changes() if last.kind == EDITED else []


def _say_what_it_contradicts(terminal: Terminal, loop: Loop, one: Correction) -> None:
    waits = (one.superseded_by,) if one.superseded_by is not None else ()
    for other in one.contradicted_by or waits:
        terminal.say(("  contradicts ", "yellow"), f"{view.plain(_one(loop, other))}  ", (other, "dim"))
    terminal.say((f"  Other people said so. Decide: heedful proposals list{terminal.same_place(loop)}", "dim"))


def _add_file(terminal: Terminal, loop: Loop, file: str) -> None:
    redacted = partial(operation_of(loop.capture.correction).redacted, loop.store)
    parsed = partial(item, hint='Write {"wrong": "…", "right": "…", …}.')
    record_lines(
        terminal,
        file,
        "correction",
        lambda line, number: checked_item(parsed(line), number, redacted),
        lambda lines: loop.capture.corrections(map(parsed, lines)),
    )


@command(
    'heedful corrections edit 7f3a9c0e21d4 --right "make release"\n'
    'heedful corrections edit 7f3a9c0e21d4 --about "" --audience team',
    within=corrections,
)
@click.argument("id")
@click.option("--wrong", help="The wrong text.")
@click.option("--right", help="The right text.")
@click.option("--why", help="The reason.")
@click.option("--fixed", help="The corrected sentence, put right.")
@click.option("--understood", help="What to know from now on, in one sentence.")
@_ALWAYS
@click.option("--about", metavar="TEXT", help="The project, topic or agent; an empty text makes it hold everywhere.")
@click.option("--audience", type=_AUDIENCES, help="For the whole team, or only for whoever taught it.")
@click.option("--category", type=_CATEGORIES, help="The category.")
@click.option("--severity", type=_SHARE, help="From 0 (trivial) to 1.")
def edit(terminal: Terminal, id: str, **changes: Any) -> None:
    """Edit a correction.

    Omitted fields keep their values, except that new wrong or right words remove the sentences made with the old ones.
    """
    given = {name: value for name, value in changes.items() if value is not None}
    with terminal.existing() as loop:
        loop.govern.learnings.edit(_found(loop, id).id, **given)
        one = _found(loop, id)
    terminal.answer(one, DONE, f"version {one.version}: {view.plain(one)}")


@command("heedful corrections adjust 7f3a9c0e21d4 --by -0.2", within=corrections)
@click.argument("id")
@click.option("--by", type=click.FloatRange(-1, 1), required=True, help="The change, from -1 to 1.")
def adjust(terminal: Terminal, id: str, by: float) -> None:
    """Raise or lower the confidence in a correction."""
    with terminal.existing() as loop:
        loop.govern.learnings.adjust(_found(loop, id).id, by=by)
        one = _found(loop, id)
    terminal.answer(one, DONE, f"confidence {one.confidence:.2f}: {view.plain(one)}")


@command("heedful corrections delete 7f3a9c0e21d4\nheedful corrections delete 7f3a9c0e21d4 --yes", within=corrections)
@click.argument("id")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
def delete(terminal: Terminal, id: str, yes: bool) -> None:
    """Delete a correction and its events.

    A correction that it superseded becomes active again.
    """
    with terminal.existing() as loop:
        one = _found(loop, id)
        if not yes and not terminal.confirms_deletion(view.plain(one)):
            return
        loop.govern.learnings.delete(one.id)
    terminal.answer(one, DONE, f"deleted: {view.plain(one)}")


@command('heedful corrections search "how do I deploy?" --about deployment', within=corrections)
@click.argument("query")
@click.option("--category", type=_CATEGORIES, help="Only of this category.")
@click.option("--status", type=_STATUSES, default=Status.ACTIVE.value, show_default=True, help="Only of this status.")
@click.option("--about", help="Only about this project, topic or agent.")
@click.option("--user", help="Who asks: also what is only for them.")
@limit_option(10, ", best first", 1_000)
def search(terminal: Terminal, query: str, status: str, **options: Any) -> None:
    """Search corrections by relevance to a question or task.

    Relevance is similarity × confidence × recency × standing. With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        wanted = Status(status)
        found = loop.apply.search(query, kind="correction", status=wanted, **options)
        if terminal.json:
            terminal.lines(found)
        elif found:
            view.show_matches(terminal, found)
        else:
            terminal.say(("Nothing found: no correction is relevant.", "dim"))
            terminal.say((f"List all: heedful corrections list{terminal.same_place(loop)}", "dim"))

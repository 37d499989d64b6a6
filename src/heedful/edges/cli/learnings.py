"""learnings: list, search, review and edit learnings of every kind."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli import learnings_view as view
from heedful.edges.cli.agents_md import write
from heedful.edges.cli.ids import IdLookup, short
from heedful.edges.cli.learnings_report import report
from heedful.edges.cli.learnings_review import review_command
from heedful.edges.cli.terminal import DONE, Terminal, command, counted, group
from heedful.errors import Conflict, InvalidInput
from heedful.learnings.kinds import KINDS
from heedful.learnings.overlaps import told_once
from heedful.learnings.repetition import repetitions
from heedful.records.insight import CONTENT_PARTS
from heedful.records.learning import Status
from heedful.records.names import PAGE_LIMIT

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.learnings import AnyKind, AnyLearning, Repetition

_KINDS = click.Choice(list(KINDS))
_CATEGORIES = click.Choice([category.value for kind in KINDS.values() for category in kind.categories])
_NAMED = f"One of {', '.join(_CATEGORIES.choices)}."  # too many for the name of the option
_ALL = "all"
_STATUSES = click.Choice([*(status.value for status in Status), _ALL])


@group(
    "heedful learnings review\n"
    'heedful learnings search "flaky test"\n'
    "heedful learnings show 5f0c1a9be27d4431\n"
    "heedful learnings write --to AGENTS.md"
)
def learnings() -> None:
    """List, search, review and edit learnings.

    Abbreviate an id to six or more characters if that is unambiguous.
    """


def register(loop: Loop) -> IdLookup[AnyLearning]:
    def each() -> Iterator[AnyLearning]:
        return loop.govern.learnings.all(status=None)

    return IdLookup("learning", loop.govern.learnings.get, each, lambda one: one.id, view.title)


@command(
    "heedful learnings list --category bug_fix\nheedful learnings list --about shop --approved --json",
    name="list",
    within=learnings,
)
@click.option("--kind", type=_KINDS, help="Only of this kind.")
@click.option("--category", type=_CATEGORIES, metavar="CATEGORY", help=f"Only of this category. {_NAMED}")
@click.option("--status", type=_STATUSES, default=Status.ACTIVE.value, show_default=True, help="Only of this status.")
@click.option("--about", metavar="PROJECT", help="Only of this project.")
@click.option("--approved", is_flag=True, help="Only approved ones.")
@click.option("--again", is_flag=True, help="Only what was said more than once, most often first.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many, newest first."
)
def list_learnings(
    terminal: Terminal,
    kind: AnyKind | None,
    category: str | None,
    status: str,
    about: str | None,
    approved: bool,
    again: bool,
    limit: int,
) -> None:
    """List learnings, newest first.

    What says the same in the same project is listed once. With --json, prints one object per line, with how often it
    was said (times, since, people, projects).
    """
    with terminal.existing() as loop:
        wanted = None if status == _ALL else Status(status)
        filters: Any = {"kind": kind, "category": category, "status": wanted, "about": about}
        often = {one.learning.id: one for one in _said_again(loop, filters)} if again else {}
        each = (one.learning for one in often.values()) if again else loop.govern.learnings.all(**filters)
        found = list(islice((one for one in each if one.approved or not approved), limit + 1))
        said = {one.id: often[one.id] for one in found[:limit]} if again else repetitions(loop.store, found[:limit])
        if terminal.json:
            terminal.lines(map(view.described, said.values()))
        elif found:
            groups = told_once(found[:limit])
            same = {first.id: others for first, *others in groups}
            view.show_list(terminal, [first for first, *_ in groups], loop.store.clock(), said, same)
            if len(found) > limit:
                terminal.say((f"There are more: add --limit {10 * limit}", "dim"))
        else:
            chosen = kind or category or about or approved or again or wanted is not Status.ACTIVE
            _say_none(terminal, loop, approved=approved, chosen=bool(chosen))


def _said_again(loop: Loop, filters: dict[str, Any]) -> list[Repetition]:
    return loop.govern.learnings.repeated(**filters, limit=PAGE_LIMIT)


def _say_none(terminal: Terminal, loop: Loop, *, chosen: bool, approved: bool = False) -> None:
    if not any(True for _ in islice(loop.govern.learnings.all(status=None), 1)):
        terminal.say(("There are no learnings yet. Mine some conversations:", "dim"))
        terminal.say(f"  heedful mine{terminal.same_place(loop)} ~/.claude/projects")
    elif approved:
        terminal.say(("None of these is approved yet. Review and approve them:", "dim"))
        terminal.say(f"  heedful learnings review{terminal.same_place(loop)}")
        terminal.say(f"  heedful learnings approve{terminal.same_place(loop)} ID")
    elif chosen:
        terminal.say(("No learnings match.", "dim"))
    else:
        terminal.say(("No learnings are active. List all of them:", "dim"))
        terminal.say(f"  heedful learnings list{terminal.same_place(loop)} --status all")


@command('heedful learnings search "flaky test"\nheedful learnings search "deploy" --about shop', within=learnings)
@click.argument("query")
@click.option("--kind", type=_KINDS, help="Only of this kind.")
@click.option("--category", type=_CATEGORIES, metavar="CATEGORY", help=f"Only of this category. {_NAMED}")
@click.option("--about", metavar="PROJECT", help="Only of this project, and what holds everywhere.")
@click.option("--user", help="Who asks: also what is only for them.")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1_000), default=5, show_default=True, help="How many, best first."
)
def search(terminal: Terminal, query: str, **options: Any) -> None:
    """Search learnings by relevance to a question or task.

    Relevance is similarity × confidence × recency × standing. With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = loop.apply.search(query, **options)
        if terminal.json:
            for one in found:
                terminal.line(one)
        elif found:
            view.show_matches(terminal, found)
            terminal.say((f"Its evidence: heedful why{terminal.same_place(loop)} {found[0].learning.id}", "dim"))
        else:
            _say_nothing_found(terminal, loop)


def _say_nothing_found(terminal: Terminal, loop: Loop) -> None:
    if not any(True for _ in islice(loop.govern.learnings.all(status=None), 1)):
        _say_none(terminal, loop, chosen=True)
        return
    terminal.say(("Nothing found: no learning is relevant.", "dim"))
    terminal.say((f"List all: heedful learnings list{terminal.same_place(loop)}", "dim"))


@command("heedful learnings show 5f0c1a9be27d4431", within=learnings)
@click.argument("id")
def show(terminal: Terminal, id: str) -> None:
    """Show one learning in full.

    Its content, confidence and scope.
    """
    with terminal.existing() as loop:
        one = register(loop).find(id)
        said = repetitions(loop.store, [one])[one.id]
        if terminal.json:
            terminal.line(view.described(said))
            return
        view.show(terminal, one, loop.store.clock(), said)
        terminal.say((f"Its evidence: heedful why{terminal.same_place(loop)} {short(one.id)}", "dim"))


@command("heedful learnings rate 5f0c1a9be27d4431 up", within=learnings)
@click.argument("id")
@click.argument("thumb", type=click.Choice(["up", "down"]))
def rate(terminal: Terminal, id: str, thumb: str) -> None:
    """Rate a learning up or down.

    One vote per person; the last one counts.
    """
    with terminal.existing() as loop:
        before = register(loop).find(id)
        one = loop.govern.learnings.rate(before.id, up=thumb == "up")
    moved = "" if one.confidence == before.confidence else f"{view.sure(before.confidence)} → "
    waits = "; still not used until somebody approves it" if one.status is Status.POSSIBLE else ""
    _report(terminal, one, f"rated {thumb}, sure {moved}{view.sure(one.confidence)}{waits}")


@command("heedful learnings approve 5f0c1a9be27d4431 91b2c4e07a6d3f18", within=learnings)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def approve(terminal: Terminal, ids: tuple[str, ...]) -> None:
    """Approve learnings for agents to follow.

    `heedful learnings write` adds them to AGENTS.md.

    With --json, prints one object per line.
    """
    failed = False
    with terminal.existing() as loop:
        for id in _found_all(loop, ids):
            try:
                _report(terminal, loop.govern.learnings.approve(id), "approved")
            except Conflict as error:
                terminal.show_error(error)
                failed = True
        if not terminal.json and not failed:
            place = terminal.same_place(loop)
            terminal.say((f"  Write them to AGENTS.md: heedful learnings write{place} --to AGENTS.md", "dim"))
    if failed:
        raise click.exceptions.Exit(1)


@command("heedful learnings unapprove 5f0c1a9be27d4431", within=learnings)
@click.argument("id")
def unapprove(terminal: Terminal, id: str) -> None:
    """Take back your approval of a learning.

    What somebody else approved stays approved: retire it instead.
    """
    with terminal.existing() as loop:
        one = loop.govern.learnings.unapprove(register(loop).find(id).id)
    _report(terminal, one, f"no longer approved, {one.status.value}")


def _found_all(loop: Loop, ids: Sequence[str]) -> list[str]:
    """Looks all of them up first, so that a mistyped id changes nothing."""
    return list(dict.fromkeys(register(loop).find(id).id for id in ids))


@command('heedful learnings retire 5f0c1a9be27d4431 --why "we left that framework"', within=learnings)
@click.argument("id")
@click.option("--why", "reason", help="The reason.")
def retire(terminal: Terminal, id: str, reason: str | None) -> None:
    """Take a learning out of use.

    It stays stored, so that it is not learned again.
    """
    with terminal.existing() as loop:
        one = loop.govern.learnings.retire(register(loop).find(id).id, why=reason)
        _report(terminal, one, "retired")
        if not terminal.json:
            terminal.say((f"  Undo: heedful learnings restore{terminal.same_place(loop)} {short(one.id)}", "dim"))


@command("heedful learnings restore 5f0c1a9be27d4431", within=learnings)
@click.argument("id")
def restore(terminal: Terminal, id: str) -> None:
    """Restore a retired, superseded or merged learning.

    Restoring a merged one undoes the merge.
    """
    with terminal.existing() as loop:
        before = register(loop).find(id)
        one = loop.govern.learnings.restore(before.id)
    same = before.status is one.status
    did = f"already {one.status.value}" if same else f"{one.status.value} again, no longer {before.status.value}"
    _report(terminal, one, did)


@command(
    'heedful learnings edit 5f0c1a9be27d4431 --title "Run the tests with pnpm"\n'
    'heedful learnings edit 5f0c1a9be27d4431 --part why "npm ignores the lock file"\n'
    "heedful learnings edit 5f0c1a9be27d4431 --tag pnpm --tag tests",
    within=learnings,
)
@click.argument("id")
@click.option("--title", help="The title.")
@click.option(
    "--part",
    "content",
    type=(click.Choice(CONTENT_PARTS), str),
    multiple=True,
    metavar="PART TEXT",
    help=f"Replaces a part of the content; an empty text removes it; repeatable. Parts: {', '.join(CONTENT_PARTS)}.",
)
@click.option("--tag", "tags", multiple=True, help="Replaces the tags; repeatable.")
@click.option("--category", type=_CATEGORIES, metavar="CATEGORY", help=f"The category. {_NAMED}")
@click.option("--about", metavar="TEXT", help="The project or topic; an empty text makes it hold everywhere.")
def edit(
    terminal: Terminal, id: str, content: tuple[tuple[str, str], ...], tags: tuple[str, ...], **changes: Any
) -> None:
    """Edit a learning.

    Omitted fields keep their values; older versions stay in the history.
    """
    changes |= {"content": dict(content) or None, "tags": tags or None}
    given = {name: value for name, value in changes.items() if value is not None}
    with terminal.existing() as loop:
        one = loop.govern.learnings.edit(register(loop).find(id).id, **given)
    _report(terminal, one, f"version {one.version}")


@command("heedful learnings delete 5f0c1a9be27d4431\nheedful learnings delete 5f0c1a9be27d4431 --yes", within=learnings)
@click.argument("id")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
def delete(terminal: Terminal, id: str, yes: bool) -> None:
    """Delete a learning and everything merged into it.

    It may be learned again later. To prevent that, retire it instead.
    """
    with terminal.existing() as loop:
        one = register(loop).find(id)
        if not yes and not _agreed(terminal, one):
            terminal.say(("  Nothing was deleted.", "dim"))
            return
        loop.govern.learnings.delete(one.id)
    _report(terminal, one, "deleted")


def _agreed(terminal: Terminal, one: AnyLearning) -> bool:
    if terminal.json or not sys.stdin.isatty():
        raise InvalidInput(f"Deleting needs confirmation: {view.title(one)}", hint="Add --yes to delete it.")
    terminal.say(("! ", "yellow"), view.title(one))
    return click.confirm("  Delete it for good?", default=False)


def _report(terminal: Terminal, one: AnyLearning, did: str) -> None:
    terminal.answer(asdict(one), DONE, f"{did}: {view.title(one)}")


@command("heedful learnings curate", within=learnings)
def curate(terminal: Terminal) -> None:
    """Propose merges and rewrites, and ask what is still true.

    Changes nothing: proposals wait for `heedful proposals approve`. With --json, prints one object per line.
    """
    from heedful.edges.cli.proposals import show_list  # noqa: PLC0415 - it imports this module

    with terminal.existing() as loop:
        with terminal.notices.status("reviewing learnings"):
            made = loop.learn.curate()
        if terminal.json:
            for one in made:
                terminal.line(one)
        elif made:
            terminal.say(DONE, f"{counted(len(made), 'new proposal')}")
            show_list(terminal, loop, made)
        else:
            terminal.say(("No new proposals.", "dim"))


for command_ in (review_command, write, report):
    learnings.add_command(command_)

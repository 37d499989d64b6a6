"""proposals: review proposed changes to learnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import learnings_view as view
from heedful.edges.cli.ids import IdLookup, short
from heedful.edges.cli.terminal import DONE, Part, Terminal, command, group, limit_option
from heedful.edges.cli.times import age, local_time
from heedful.errors import Conflict, NotFound
from heedful.learnings.content import shortened
from heedful.records.proposal import Act, ProposalState

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.learnings import AnyLearning
    from heedful.records.proposal import Proposal

_REASON = 300
_STYLES = {ProposalState.PENDING: "", ProposalState.ACCEPTED: "green", ProposalState.REJECTED: "yellow"}
_WOULD = {
    Act.MERGE: ("keep", "and merge into it"),
    Act.RETIRE: ("retire",),
    Act.RENEW: ("is it still true",),
    Act.REWRITE: ("rewrite",),
    Act.REPLACE: ("retire", "and replace it with"),
}


@group("heedful learnings curate\nheedful proposals list\nheedful proposals accept 5f0c1a9be27d")
def proposals() -> None:
    """Review proposed changes to learnings.

    heedful proposes to merge, retire, replace or rewrite learnings, and asks whether old ones are still true:
    accept to confirm one, reject to retire it.

    Abbreviate an id to six or more characters if that is unambiguous.
    """


def _register(loop: Loop) -> IdLookup[Proposal]:
    every = partial(loop.govern.proposals.all, answer=None)
    return IdLookup("proposal", loop.govern.proposals.get, every, lambda one: one.id, partial(_plain, loop))


def _plain(loop: Loop, one: Proposal) -> str:
    return f"{one.act.value}: {' / '.join(_title(_learning(loop, id)) for id in one.learnings)}"


def _learning(loop: Loop, id: str) -> AnyLearning | None:
    try:
        return loop.govern.learnings.get(id)
    except NotFound:
        return None


def _title(one: AnyLearning | None) -> str:
    return "(deleted)" if one is None else view.title(one)


@command("heedful proposals list\nheedful proposals list --all --json", name="list", within=proposals)
@click.option("--all", "everything", is_flag=True, help="Include decided proposals.")
@limit_option(20, ", newest first")
def list_proposals(terminal: Terminal, everything: bool, limit: int) -> None:
    """List pending proposals, newest first.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = list(loop.govern.proposals.all(answer=None if everything else ProposalState.PENDING, limit=limit))
        if terminal.json:
            terminal.lines(found)
        elif found:
            show_list(terminal, loop, found)
        else:
            terminal.say(("There are no pending proposals. Make some:", "dim"))
            terminal.say(f"  heedful learnings curate{terminal.same_place(loop)}")


def show_list(terminal: Terminal, loop: Loop, found: Sequence[Proposal]) -> None:
    terminal.rows(((short(one.id), "cyan"), [*_lines(loop, one), [""]]) for one in found)
    if pending := next((one for one in found if one.answer is ProposalState.PENDING), None):
        _say_how_to_decide(terminal, loop, pending)


def _say_how_to_decide(terminal: Terminal, loop: Loop, one: Proposal) -> None:
    place = terminal.same_place(loop)
    terminal.say((f"Accept: heedful proposals accept{place} {short(one.id)}", "dim"))
    terminal.say((f"Reject: heedful proposals reject{place} {short(one.id)}", "dim"))


def _lines(loop: Loop, one: Proposal) -> Iterator[list[Part]]:
    for would, id in zip(_WOULD[one.act], one.learnings, strict=False):
        yield [(f"{would}: ", "yellow"), (_title(_learning(loop, id)), "bold"), (f"  {short(id)}", "dim")]
    if one.act is Act.REWRITE and one.title:
        yield [("as: ", "yellow"), (shortened(one.title, _REASON), "bold")]
    shown = "" if one.answer is ProposalState.PENDING else f"  {one.answer.value}"
    yield [(shortened(one.reason, _REASON), "dim"), (shown, _STYLES[one.answer])]


@command("heedful proposals show 5f0c1a9be27d", within=proposals)
@click.argument("id")
def show(terminal: Terminal, id: str) -> None:
    """Show a proposal and its learnings."""
    with terminal.existing() as loop:
        one = _register(loop).find(id)
        about = [_learning(loop, id) for id in one.learnings]
        if terminal.json:
            terminal.line({"proposal": one, "learnings": [learning for learning in about if learning is not None]})
            return
        now = loop.store.clock()
        terminal.say((one.act.value, "bold"), (f"  {one.id}, made {age(one.at, now)}", "dim"))
        terminal.say(f"  {shortened(one.reason, _REASON)}")
        for would, learning in zip(_WOULD[one.act], about, strict=False):
            terminal.say()
            terminal.say((would, "yellow"), "" if learning is not None else "  (deleted)")
            if learning is not None:
                view.show(terminal, learning, now)
        if one.act is Act.REWRITE:
            terminal.say()
            terminal.say(("as", "yellow"))
            view.show_words(terminal, one.title, one.content)
        _say_answer(terminal, loop, one)


def _say_answer(terminal: Terminal, loop: Loop, one: Proposal) -> None:
    terminal.say()
    if one.answer is ProposalState.PENDING:
        _say_how_to_decide(terminal, loop, one)
        return
    at = "" if one.decided_at is None else f" {local_time(one.decided_at)}"
    terminal.say((one.answer.value, _STYLES[one.answer]), (f"{at} by {one.decided_by or 'somebody'}", "dim"))


@command("heedful proposals accept 5f0c1a9be27d 91b2c4e07a6d", within=proposals)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
def accept(terminal: Terminal, ids: tuple[str, ...]) -> None:
    """Accept proposals and apply them.

    With --json, prints one object per line.
    """
    _decide(terminal, ids, accept=True, why=None)


@command('heedful proposals reject 5f0c1a9be27d --why "they are about different tools"', within=proposals)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--why", help="The reason.")
def reject(terminal: Terminal, ids: tuple[str, ...], why: str | None) -> None:
    """Reject proposals; they are not made again.

    With --json, prints one object per line.
    """
    _decide(terminal, ids, accept=False, why=why)


def _decide(terminal: Terminal, ids: Sequence[str], *, accept: bool, why: str | None) -> None:
    """Decides each separately: a failure does not stop the others."""
    failed = False
    with terminal.existing() as loop:
        chosen = list({one.id: one for one in map(_register(loop).find, ids)}.values())  # a mistyped id changes nothing
        for one in chosen:
            try:
                shown = _plain(loop, one)
                decided = loop.govern.proposals.decide(one.id, accept=accept, why=why)
                terminal.answer(decided, DONE, f"{decided.answer.value}: {shown}")
            except (Conflict, NotFound) as error:
                terminal.show_error(type(error)(f"{short(one.id)}: {error.message}", hint=error.hint))
                failed = True
    if failed:
        raise click.exceptions.Exit(1)

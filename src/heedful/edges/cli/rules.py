"""rules: look after the rules that agents get, propose new ones, and put them into a prompt."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli import learnings_view, text_file
from heedful.edges.cli import rules_view as view
from heedful.edges.cli.ids import IdLookup, short
from heedful.edges.cli.person import by_option, named
from heedful.edges.cli.terminal import DONE, Terminal, command, counted, group
from heedful.errors import InvalidInput, NotFound
from heedful.records.clock import moment
from heedful.records.event import document
from heedful.records.rule import INSERTION_POINT, Rule, RuleType

if TYPE_CHECKING:
    from heedful.loop import Loop

_TYPES = click.Choice([type.value for type in RuleType], case_sensitive=False)
_STDIN = "-"
_CRLF = "\r\n"


@group(
    "heedful rules list --agent coder\n"
    'heedful rules propose "Validate input at the boundary." --agent coder\n'
    "heedful rules history 5f0c1a9be27d\n"
    "heedful rules write --agent coder prompt.md"
)
def rules() -> None:
    """Look after rules for agents, and write them to prompts.

    A rule is in force when two people have approved its proposal: see `heedful proposals`.

    Abbreviate an id to six or more characters if that is unambiguous.
    """


def register(loop: Loop) -> IdLookup[Rule]:
    def each() -> Iterator[Rule]:
        return loop.govern.learnings.all(kind="rule", status=None)

    return IdLookup("rule", partial(_get, loop), each, lambda one: one.id, view.title)


def _get(loop: Loop, id: str) -> Rule:
    try:
        found = loop.govern.learnings.get(id)
    except NotFound:
        found = None
    if not isinstance(found, Rule):
        raise NotFound(f"There is no rule {id!r} here.", hint="List them with `heedful rules list`.")
    return found


@command("heedful rules list\nheedful rules list --agent coder --at 2026-01-05 --json", name="list", within=rules)
@click.option("--agent", help="Only those that this agent gets, best first.")
@click.option("--at", metavar="TIME", help="Those in force at that time, such as 2026-01-05 or 30d. [now]")
def list_rules(terminal: Terminal, agent: str | None, at: str | None) -> None:
    """List the rules in force, now or at an earlier time.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        now = loop.store.clock()
        found = loop.govern.rules.in_force(agent=agent, at=None if at is None else moment(at, "at", now))
        if terminal.json:
            terminal.lines(map(asdict, found))
        elif found:
            view.show_list(terminal, found, now)
            terminal.say((f"Its history: heedful rules history{terminal.same_place(loop)} {short(found[0].id)}", "dim"))
        else:
            _say_none(terminal, loop, agent=agent, at=at)


def _say_none(terminal: Terminal, loop: Loop, *, agent: str | None, at: str | None) -> None:
    whose = "" if agent is None else f" for {agent}"
    when = "are in force" if at is None else f"were in force at {at}"
    terminal.say((f"No rules{whose} {when}. Approve proposals, or propose one:", "dim"))
    terminal.say(f"  heedful proposals list{terminal.same_place(loop)}")
    terminal.say(f'  heedful rules propose{terminal.same_place(loop)} "Validate input at the boundary." --agent coder')


@command("heedful rules show 5f0c1a9be27d", within=rules)
@click.argument("id")
def show(terminal: Terminal, id: str) -> None:
    """Show one rule in full."""
    with terminal.existing() as loop:
        one = register(loop).find(id)
        if terminal.json:
            terminal.line(asdict(one))
            return
        learnings_view.show(terminal, one, loop.store.clock())
        terminal.say((f"Its history: heedful rules history{terminal.same_place(loop)} {short(one.id)}", "dim"))


@command("heedful rules history 5f0c1a9be27d\nheedful rules history 5f0c1a9be27d --json", within=rules)
@click.argument("id")
def history(terminal: Terminal, id: str) -> None:
    """Tell all versions of a rule, and what happened to each.

    A rule with new words is a new version: it replaces the one before.
    """
    with terminal.existing() as loop:
        told = view.versions(loop, register(loop).find(id))
        if terminal.json:
            terminal.line(
                {"versions": [{"rule": asdict(one.rule), "events": list(map(document, one.events))} for one in told]}
            )
        else:
            view.show_versions(terminal, told)


@command('heedful rules retire 5f0c1a9be27d --why "the framework validates now"', within=rules)
@click.argument("id")
@click.option("--why", help="The reason.")
def retire(terminal: Terminal, id: str, why: str | None) -> None:
    """Take a rule out of force.

    It stays in the history, and is not proposed again.
    """
    with terminal.existing() as loop:
        one = loop.govern.learnings.retire(register(loop).find(id).id, why=why)
        assert isinstance(one, Rule)
        terminal.answer(asdict(one), DONE, f"retired: {view.title(one)}")
        if not terminal.json:
            terminal.say((f"  To bring it back, propose it: heedful rules propose{terminal.same_place(loop)}", "dim"))


@command("heedful rules effects\nheedful rules effects --agent coder --json", within=rules)
@click.option("--agent", help="Only rules that this agent gets.")
def effects(terminal: Terminal, agent: str | None) -> None:
    """Tell whether the rules in force help.

    The share of reviews that corrected what a rule is about, before the rule and with it, as 95% intervals; 2× if
    reviewers had to say it again twice.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = loop.measure.rules.effects(agent=agent)
        if terminal.json:
            terminal.lines(found)
        elif found:
            view.show_effects(terminal, found)
        else:
            _say_none(terminal, loop, agent=agent, at=None)


@command(
    'heedful rules propose "Validate input at the boundary." --agent coder --type CONSTRAINT --by lee\n'
    'heedful rules propose "Validate all input." --agent coder --replaces 5f0c1a9be27d',
    within=rules,
)
@click.argument("text")
@click.option("--agent", "agents", multiple=True, help="Who gets it; repeatable. [all agents]")
@click.option("--type", type=_TYPES, default=RuleType.GUIDELINE.value, show_default=True, help="Its type.")
@click.option("--at", "point", default=INSERTION_POINT, show_default=True, help="A heading or mark of the prompt.")
@click.option("--before", default="", help="An example: what was wrong.")
@click.option("--after", default="", help="An example: what is right.")
@click.option("--replaces", multiple=True, metavar="ID", help="A rule whose place it takes; repeatable.")
@click.option("--why", help="The reason.")
@by_option("Who proposes it.")
def propose(
    terminal: Terminal,
    text: str,
    agents: tuple[str, ...],
    point: str,
    replaces: tuple[str, ...],
    by: str | None,
    **words: Any,
) -> None:
    """Propose a rule.

    Two other people must approve it.
    """
    with terminal.loop() as loop:
        gone = [register(loop).find(id).id for id in replaces]
        made = loop.govern.proposals.propose(
            text, agents=agents, insertion_point=point, replaces=gone, by=named(by), **words
        )
        terminal.answer(made, DONE, f"proposed: {view.title(made.rule) if made.rule is not None else made.id}")
        if not terminal.json:
            terminal.say((f"  Approve: heedful proposals approve{terminal.same_place(loop)} {short(made.id)}", "dim"))


@command(
    "heedful rules write --agent coder prompt.md\ncat prompt.md | heedful rules write --agent coder > prompt.out",
    within=rules,
)
@click.argument("file", required=False, default=_STDIN)
@click.option("--agent", required=True, help="Whose rules.")
@click.option("--at", metavar="TIME", help="As the prompt was at that time. [now]")
def write(terminal: Terminal, file: str, agent: str, at: str | None) -> None:
    """Put the rules of an agent into its prompt.

    Changes FILE in place, or reads a prompt from stdin and prints it. Each rule goes to its insertion point, or to a
    section at the end. Writing again changes nothing.
    """
    before = _prompt(file)
    with terminal.existing() as loop:
        time = None if at is None else moment(at, "at", loop.store.clock())
        count = len(loop.govern.rules.in_force(agent=agent, at=time))
        after = loop.apply.rules(agent, base=before.replace(_CRLF, "\n"), at=time)
    if _CRLF in before:
        after = after.replace("\n", _CRLF)
    if file == _STDIN:
        if terminal.json:
            terminal.line({"agent": agent, "rules": count, "prompt": after})
        else:
            click.echo(after, nl=False)
        return
    if after != before:
        text_file.replace(Path(file), after)
    did = "now has" if after != before else "is up to date:"
    told = {"file": file, "agent": agent, "rules": count, "changed": after != before}
    terminal.answer(told, DONE, f"{file} {did} {counted(count, 'rule')} for {agent}")


def _prompt(file: str) -> str:
    if file == _STDIN:
        return "" if sys.stdin.isatty() else text_file.read_input(file)
    if not Path(file).exists():
        raise InvalidInput(f"{file} does not exist.", hint="Name the file of a prompt, or pass a prompt on stdin.")
    return text_file.read(Path(file))

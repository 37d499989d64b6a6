"""mappings: what keys on customers' documents mean, confirmed and rejected by people."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from heedful.edges.cli import mappings_view as view
from heedful.edges.cli.ids import IdLookup, short
from heedful.edges.cli.person import by_option, named
from heedful.edges.cli.terminal import DONE, Terminal, command, group, limit_option
from heedful.errors import NotFound
from heedful.records.mapping import ENTITY, MappingState, MappingType

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.event import Event
    from heedful.records.mapping import Mapping
    from heedful.records.proposal import Proposal

_TYPES = click.Choice([type.value for type in MappingType])


@group(
    "heedful mappings confirm ABC-123 INT-999 --customer C-9\n"
    "heedful mappings list --customer C-9\n"
    "heedful mappings show 5f0c1a9be27d"
)
def mappings() -> None:
    """Say what customers' article numbers and words mean.

    A confirmed mapping is applied to that customer's documents by itself.

    Abbreviate an id to six or more characters if that is unambiguous.
    """


def _register(loop: Loop) -> IdLookup[Mapping]:
    def each() -> Iterator[Mapping]:
        return loop.learn.mappings.all(state=None)

    return IdLookup("mapping", loop.learn.mappings.get, each, lambda one: one.id, view.plain)


@command("heedful mappings list --customer C-9\nheedful mappings list --rejected --json", name="list", within=mappings)
@click.option("--customer", metavar="ID", help="Only of this customer.")
@click.option("--type", type=_TYPES, help="Only of this type.")
@click.option("--rejected", is_flag=True, help="Those that people rejected instead.")
@limit_option(20, ", newest first")
def list_mappings(terminal: Terminal, customer: str | None, type: str | None, rejected: bool, limit: int) -> None:
    """List mappings, newest first.

    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        state = MappingState.REJECTED if rejected else MappingState.CONFIRMED
        wanted = None if type is None else MappingType(type)
        found = list(loop.learn.mappings.all(customer=customer, type=wanted, state=state, limit=limit + 1))
        if terminal.json:
            terminal.lines(one.to_dict() for one in found[:limit])
        elif found:
            view.show_list(terminal, found[:limit], loop.store.clock())
            if len(found) > limit:
                terminal.say((f"There are more: add --limit {10 * limit}", "dim"))
            if any(one.contradicted_by for one in found[:limit]):
                terminal.say((f"People disagree. Decide: heedful proposals list{terminal.same_place(loop)}", "dim"))
        elif customer or type or rejected:
            terminal.say(("No mappings match.", "dim"))
        else:
            terminal.say(("There are no mappings yet. Confirm one:", "dim"))
            terminal.say(f"  heedful mappings confirm{terminal.same_place(loop)} ABC-123 INT-999 --customer C-9")


@command("heedful mappings show 5f0c1a9be27d", within=mappings)
@click.argument("id")
def show(terminal: Terminal, id: str) -> None:
    """Show a mapping: support, uses, conflicts and history."""
    with terminal.existing() as loop:
        one = _register(loop).find(id)
        history = _history(loop, one)
        if terminal.json:
            terminal.line(one.to_dict() | {"history": [event.to_dict() for event in history]})
            return
        view.show(terminal, one, _contrary(loop, one), loop.store.clock())
        _say_conflict(terminal, loop, one)
        view.show_history(terminal, history, partial(_value, loop))


def _history(loop: Loop, one: Mapping) -> list[Event]:
    """What people did with it, and what became of it."""
    events = {event.id: event for event in loop.govern.why(one.id).history}
    events |= {event.id: event for event in loop.events(entity=(ENTITY, one.id))}
    return sorted(events.values(), key=lambda event: event.seq)


def _value(loop: Loop, id: str) -> str:
    try:
        return loop.learn.mappings.get(id).value
    except NotFound:  # deleted since
        return short(id)


def _contrary(loop: Loop, one: Mapping) -> list[Mapping]:
    found = []
    for id in one.contradicted_by:
        try:
            found.append(loop.learn.mappings.get(id))
        except NotFound:  # deleted since
            continue
    return found


def _proposal(loop: Loop, one: Mapping) -> Proposal | None:
    """What waits for somebody who decides about it."""
    return next((waiting for waiting in loop.govern.proposals.all() if one.id in waiting.learnings), None)


def _say_conflict(terminal: Terminal, loop: Loop, one: Mapping) -> None:
    others = (
        _contrary(loop, one) if one.state is MappingState.CONFIRMED else []
    )  # else it waits, and the other one holds
    contrary = [other for other in others if other.state is MappingState.CONFIRMED]
    waiting = _proposal(loop, one)
    if contrary:
        view.say_conflict(terminal, one, contrary)
    elif waiting is not None:
        terminal.say(("! ", "yellow"), waiting.reason or "Somebody must decide about it.")
    if waiting is not None:
        terminal.say((f"  Decide: heedful proposals show{terminal.same_place(loop)} {waiting.id}", "dim"))


@command(
    "heedful mappings confirm ABC-123 INT-999 --customer C-9 --by dana\nheedful mappings confirm pcs Stk --type unit",
    within=mappings,
)
@click.argument("key")
@click.argument("value")
@click.option("--customer", metavar="ID", help="Whose documents say it. [all customers]")
@click.option("--type", type=_TYPES, default=MappingType.SKU.value, show_default=True, help="What it is.")
@by_option("Who confirms it.")
def confirm(terminal: Terminal, key: str, value: str, customer: str | None, type: str, by: str | None) -> None:
    """Confirm that KEY on documents means VALUE.

    From then on it is applied by itself. Confirming again adds support.
    """
    with terminal.loop() as loop:
        one = loop.capture.mapping_confirmed(key, value, customer=customer, type=MappingType(type), by=named(by))
        _report(terminal, loop, one, f"confirmed {one.support_count:,}×: ")


@command("heedful mappings reject ABC-123 INT-998 --customer C-9 --by dana", within=mappings)
@click.argument("key")
@click.argument("value")
@click.option("--customer", metavar="ID", help="Whose documents say it. [all customers]")
@click.option("--type", type=_TYPES, default=MappingType.SKU.value, show_default=True, help="What it is.")
@by_option("Who rejects it.")
def reject(terminal: Terminal, key: str, value: str, customer: str | None, type: str, by: str | None) -> None:
    """Reject that KEY on documents means VALUE.

    It is neither applied nor suggested any more. What several people confirmed stays until it is decided.
    """
    with terminal.loop() as loop:
        one = loop.capture.mapping_rejected(key, value, customer=customer, type=MappingType(type), by=named(by))
        kept = "stays until it is decided: " if one.state is MappingState.CONFIRMED else ""
        _report(terminal, loop, one, f"rejected, {kept}" if kept else "rejected: ")


def _report(terminal: Terminal, loop: Loop, one: Mapping, did: str) -> None:
    if terminal.json:
        terminal.line(one.to_dict())
        return
    terminal.say(DONE, f"{did}{view.plain(one)}", (f"  {short(one.id)}", "dim"))
    _say_conflict(terminal, loop, one)

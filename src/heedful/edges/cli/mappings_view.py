"""How mappings are printed: lists, one in full, conflicts, and their history in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.panel import Panel
from rich.text import Text

from heedful.edges.cli.ids import short
from heedful.edges.cli.layout_view import grid, table
from heedful.edges.cli.terminal import Part, Terminal, assembled, visible
from heedful.edges.cli.times import age, local_time
from heedful.learnings import events as learning
from heedful.records import mapping as acts
from heedful.records.learning import Status
from heedful.records.mapping import STALE, Mapping, MappingState

if TYPE_CHECKING:
    from heedful.records.event import Event

_ACTOR = 16


def plain(one: Mapping) -> str:
    whose = f" for {one.customer}" if one.customer else " for all customers"
    what = "" if one.category.value == "sku" else f"{one.category.value} "
    return f"{what}{one.key} is {one.value}{whose}"


def show_list(terminal: Terminal, mappings: Sequence[Mapping], now: datetime) -> None:
    rows = table(
        ("id", "customer", "type", "key", "means", "confirmed", "used", "state"),
        wrapping=("customer", "key", "means", "state"),
        numbers=("confirmed", "used"),
    )
    for one in mappings:
        rows.add_row(
            Text(short(one.id), "cyan"),
            Text(visible(one.customer)) if one.customer else Text("all", "dim"),
            one.category.value,
            Text(visible(one.key)),
            Text(visible(one.value), "bold"),
            f"{one.support_count:,}×",
            f"{one.used:,}×" if one.used else Text("never", "dim"),
            assembled([_state(one, now)]),
        )
    terminal.console.print(rows)


def _state(one: Mapping, now: datetime) -> Part:
    if one.contradicted_by:
        return "people disagree", "yellow"
    if one.state is MappingState.REJECTED:
        return "rejected", "red"
    if one.stale:
        return f"stale: {_idle(one, now)}", "yellow"
    return ("approved", "green") if one.approved else (age(one.renewed_at, now), "dim")


def _idle(one: Mapping, now: datetime) -> str:
    last = max(one.renewed_at, one.last_used or one.renewed_at)
    return f"last {age(last, now)}"


def show(terminal: Terminal, one: Mapping, contrary: Sequence[Mapping], now: datetime) -> None:
    facts = grid("dim", ((name, parts) for name, *parts in _facts(one, contrary, now)))
    heading = assembled([(f"{one.key} → {one.value}", "bold"), f"  {one.id}"])
    terminal.console.print(Panel(facts, title=heading, title_align="left"))


def _facts(one: Mapping, contrary: Sequence[Mapping], now: datetime) -> Iterator[tuple[str, *tuple[Part, ...]]]:
    yield "type", one.category.value
    yield "customer", one.customer or "all customers"
    yield "state", _standing(one), ", approved" if one.approved else ""
    yield "confirmed", f"{one.support_count:,}×, last {age(one.renewed_at, now)}" if one.support_count else "never"
    used = "never" if one.last_used is None else f"{one.used:,}×, last on {one.last_used:%Y-%m-%d}"
    yield "used", used
    if one.stale:
        yield "stale", (f"neither confirmed nor used for more than {STALE.days} days", "yellow")
    yield "sure", f"{one.confidence:.2f}"
    yield "first by", one.actor or "", (f" {local_time(one.at)}", "dim")
    for other in contrary:
        yield "contradicts", (f"{other.key} → {other.value}", "yellow"), (_of_other(other), "dim")


def _standing(one: Mapping) -> Part:
    if one.status is Status.SUPERSEDED:
        return f"replaced by {short(one.superseded_by)}" if one.superseded_by else "replaced", "yellow"
    return one.state.value.lower(), "red" if one.state is MappingState.REJECTED else "green"


def _of_other(other: Mapping) -> str:
    return f"  {other.state.value.lower()} {other.support_count:,}×  {short(other.id)}"


def say_conflict(terminal: Terminal, one: Mapping, contrary: Sequence[Mapping]) -> None:
    """People disagree; what is applied until somebody decides."""
    terminal.say(("! ", "yellow"), ("people disagree", "bold yellow"), f" about {one.key}:")
    ranked = sorted((one, *contrary), key=_support, reverse=True)
    undecided = _support(ranked[0]) == _support(ranked[1])
    for place, each in enumerate(ranked):
        applied: Part = ("  applied until then", "green") if place == 0 and not undecided else ""
        terminal.say(f"    {each.value}  ", (f"confirmed {each.support_count:,}×", "dim"), applied)
    if undecided:
        terminal.say(("  Neither is applied until somebody decides.", "dim"))


def _support(one: Mapping) -> tuple[bool, int]:
    return one.approved, one.people


# History


def show_history(terminal: Terminal, events: Sequence[Event], means: Callable[[str], str]) -> None:
    """`means` tells the value of another mapping by its id."""
    told = [(event, _DEEDS[event.kind](event)) for event in events if event.kind in _DEEDS]
    terminal.say(("history", "bold"))
    terminal.rows(
        (
            (f"  {local_time(event.at)}", "dim"),
            [[f"{(event.actor or 'heedful')[:_ACTOR]}  ", *parts, _other(event, means)]],
        )
        for event, parts in told
        if parts
    )


def _other(event: Event, means: Callable[[str], str]) -> Part:
    other = event.meta.get("by")
    return (f" by {means(other)}", "dim") if isinstance(other, str) else ""


def _confirmed(event: Event) -> list[Part]:
    draft = event.meta.get("draft")
    offered = event.before.get("suggestions")
    among = f" among {', '.join(map(str, offered))}" if isinstance(offered, list) and offered else ""
    return [("confirmed", "green"), (f"{among}{f', in draft {short(str(draft))}' if draft else ''}", "dim")]


_DEEDS: dict[str, Callable[[Event], list[Part]]] = {
    acts.CONFIRMED: _confirmed,
    acts.REJECTED: lambda _: [("rejected", "red")],
    learning.CONTRADICTED: lambda _: [("contradicted", "yellow")],
    learning.SUPERSEDED: lambda _: [("replaced", "yellow")],
    learning.APPROVED: lambda _: [("approved", "green")],
    learning.RETIRED: lambda event: [] if event.meta.get("reason") == "rejected" else [("retired", "yellow")],
    learning.RESTORED: lambda _: [("in force again", "green")],
    learning.RATED: lambda event: [("rated up", "green") if event.meta.get("up") is True else ("rated down", "red")],
}
"""What is told; what a decision does to the confidence of the learning would only be noise."""

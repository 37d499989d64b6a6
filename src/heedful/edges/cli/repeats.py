"""repeats: how often people had to say again what they had said before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from heedful.edges.cli.plots import bar, columns
from heedful.edges.cli.terminal import Part, Terminal, assembled, command, counted
from heedful.records.names import WEEKS_LIMIT

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.measure.repeats import RepeatGrouping
    from heedful.records.repeats import Repeats

_HEIGHT = 4
_AXIS = 7  # columns for the numbers beside a plot
_BAR = 12
_GROUPS = 20
_LEAST_TOP = 0.1
_WITHOUT = {"teacher": "", "about": "(nothing in particular)", "user": "(no name)", "agent": "(no agent)"}


@command("heedful repeats\nheedful repeats --weeks 26 --by about\nheedful repeats --about shop --json")
@click.option(
    "--weeks", type=click.IntRange(1, WEEKS_LIMIT), default=12, show_default=True, help="How many, with this."
)
@click.option(
    "--by",
    type=click.Choice(["teacher", "about", "user", "agent"]),
    default="teacher",
    show_default=True,
    help="Group by this.",
)
@click.option("--about", metavar="NAME", help="Only of this topic, project, agent, rule or layout.")
def repeats(terminal: Terminal, weeks: int, by: RepeatGrouping, about: str | None) -> None:
    """Show how often people had to say something again.

    Of what people corrected, stated, reviewed or refused, the share that had been said before. It should fall.
    """
    with terminal.existing() as loop:
        found = loop.measure.repeats(weeks, by, about)
        if terminal.json:
            terminal.line(found.to_dict())
        elif not found.said:
            _explain(terminal, loop, weeks, about)
        else:
            _show(terminal, found, by)


def _show(terminal: Terminal, found: Repeats, by: RepeatGrouping) -> None:
    assert found.rate is not None  # somebody said something
    assert found.interval is not None
    weeks, things = len(found.weeks), "thing" if found.said == 1 else "things"
    when = "this week" if weeks == 1 else f"in the last {weeks} weeks"
    rate: Part = (f"({found.rate:.0%})", "bold")
    terminal.say(f"People had to say again {found.again:,} of {found.said:,} {things} ", rate, f" {when}.")
    terminal.say((f"95% interval of the rate: {found.interval.low:.0%} to {found.interval.high:.0%}", "dim"))
    if weeks > 1:
        terminal.say()
        _plot(terminal, found)
    terminal.say()
    named = [(one.name or _WITHOUT[by], one) for one in found.groups[:_GROUPS]]
    rows = [
        (
            name,
            f"{one.again:,} of {one.said:,}",
            (bar(one.rate, _BAR), "yellow"),
            f"{one.rate:.0%}",
            (f"{one.interval.low:.0%} to {one.interval.high:.0%}", "dim"),
        )
        for name, one in named
    ]
    terminal.table("", (by, "again", "", "rate", "interval"), rows)
    if len(found.groups) > _GROUPS:
        terminal.say((f"and {len(found.groups) - _GROUPS:,} more: --json lists all", "dim"))


def _plot(terminal: Terminal, found: Repeats) -> None:
    """One column per week, or several if there is room; weeks in which nobody said anything leave a gap."""
    rates = [week.rate for week in found.weeks]
    top = max([_LEAST_TOP, *(rate for rate in rates if rate is not None)])
    wide = max(1, min(4, (terminal.console.width - _AXIS - 2) // len(rates)))
    for number, row in enumerate(columns(rates, _HEIGHT, low=0.0, high=top)):
        label = f"{top:.0%}" if number == 0 else "0%" if number == _HEIGHT - 1 else ""
        plotted = "".join(sign * max(1, wide - 1) + " " * (wide > 1) for sign in row)
        terminal.console.print(assembled([(f"{label:>{_AXIS}} ", "dim"), (plotted, "yellow")]), soft_wrap=True)
    first, last = f"{found.weeks[0].monday}", f"{found.weeks[-1].monday}"
    gap = max(1, wide * len(rates) - len(first) - len(last))
    terminal.console.print(assembled([(f"{'':>{_AXIS}} {first}{' ' * gap}{last}", "dim")]), soft_wrap=True)


def _explain(terminal: Terminal, loop: Loop, weeks: int, about: str | None) -> None:
    place = terminal.same_place(loop)
    what = "" if about is None else f" about {about}"
    terminal.say((f"Nobody corrected anything{what} in the last {counted(weeks, 'week')}. Report a correction:", "dim"))
    terminal.say(f'  heedful corrections add{place} --wrong "make ship" --right "make release"')
    terminal.say(("Reviews, suggestions, conversations and documents count as well.", "dim"))

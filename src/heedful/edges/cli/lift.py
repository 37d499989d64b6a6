"""lift: whether outcomes are better with a learning than without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from heedful.edges.cli.ids import short
from heedful.edges.cli.learnings import register
from heedful.edges.cli.plots import interval
from heedful.edges.cli.terminal import Part, Terminal, command, limit_option
from heedful.learnings.content import shortened

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.lift import Arm, Lift

_STYLES = {"helps": "green", "harms": "red", "no effect yet": "yellow", "not measured": "dim"}
_WIDTH = 21
_LEAST_REACH = 0.2
_TEXT = 160


@command("heedful lift\nheedful lift 5f0c1a9be27d\nheedful lift --json")
@click.argument("id", required=False)
@limit_option(30, ", those that do harm first")
def lift(terminal: Terminal, id: str | None, limit: int) -> None:
    """Show which learnings help, and which do harm.

    One in ten sessions, tasks or documents goes without a learning, and outcomes with and without it are compared. The
    interval of 95% holds however often you look. `heedful work` suspends what does harm and asks people in the inbox.
    With --json, prints one object per line.
    """
    with terminal.existing() as loop:
        found = loop.measure.lift(None if id is None else register(loop).find(id).id)
        if terminal.json:
            terminal.lines(one.to_dict() for one in found[:limit])
        elif not found:
            _explain(terminal, loop)
        else:
            _show(terminal, found[:limit])
            if len(found) > limit:
                terminal.say((f"and {len(found) - limit:,} more: heedful lift -n {len(found)}", "dim"))
            _hint(terminal, loop, found)


def _show(terminal: Terminal, found: Sequence[Lift]) -> None:
    decided = [one for one in found if one.verdict in ("helps", "harms")]
    reach = min(
        1.0, max([_LEAST_REACH, *(abs(end) for one in decided for end in (one.low, one.high) if end is not None)])
    )
    axis = f"-{reach * 100:.0f}".ljust(_WIDTH // 2) + "0" + f"+{reach * 100:.0f}".rjust(_WIDTH // 2)
    checked = any(one.followed or one.broken for one in found)
    terminal.table(
        "",
        ("id", "verdict", "points", axis, "with it, without it", *(["followed"] if checked else []), "learning"),
        (
            (
                (short(one.learning), "cyan"),
                (one.verdict, _STYLES[one.verdict]),
                "" if one.lift is None else f"{one.lift * 100:+.0f}",
                _plotted(one, reach),
                _figures(one),
                *([_followed(one)] if checked else []),
                shortened(one.text, _TEXT),
            )
            for one in found
        ),
    )


def _plotted(one: Lift, reach: float) -> Part:
    if one.lift is None or one.low is None or one.high is None:
        return ""
    return interval(one.low, one.lift, one.high, _WIDTH, reach=reach), _STYLES[one.verdict]


def _figures(one: Lift) -> str:
    more = f" (+{one.needed:,})" if one.needed else ""
    return f"{_mean(one.shown)}, {_mean(one.withheld)}{more}"


def _followed(one: Lift) -> str:
    """Of the outputs that could be checked."""
    outputs = one.followed + one.broken
    return f"{one.followed:,} of {outputs:,}" if outputs else ""


def _mean(arm: Arm) -> str:
    return "none" if arm.mean is None else f"{arm.mean:.0%} of {arm.units:,}"


def _hint(terminal: Terminal, loop: Loop, found: Sequence[Lift]) -> None:
    if any(one.needed for one in found):
        said = "(+n): with about so many more outcomes, a difference of ten points would show."
        terminal.say((said, "dim"))
    if any(one.needed == 0 for one in found):
        said = "No effect yet, without a number: there are enough outcomes to see ten points, so the effect is smaller."
        terminal.say((said, "dim"))
    if all(one.verdict == "not measured" for one in found):
        terminal.say(
            ("None of them was withheld. Rules in force and what always holds never are; of the rest, one in", "dim")
        )
        terminal.say(("ten contexts goes without it, from the first outcome on that somebody reports:", "dim"))
        terminal.say(f"  heedful outcome{terminal.same_place(loop)} CONTEXT --success")


def _explain(terminal: Terminal, loop: Loop) -> None:
    place = terminal.same_place(loop)
    terminal.say(("Nothing is measured yet. Take a context for a task, and report what came of it:", "dim"))
    terminal.say(f'  heedful context{place} "write the invoice parser" --json')
    terminal.say(f"  heedful outcome{place} CONTEXT --success")
    terminal.say(("From then on, one in ten contexts goes without a learning, to compare.", "dim"))

"""How corrections are printed: in one line, in a list, and in full."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from heedful.edges.cli.ids import short
from heedful.edges.cli.terminal import Part, Terminal, assembled, visible
from heedful.edges.cli.times import age, local_time
from heedful.learnings import events as learning
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.relevance import recency
from heedful.records.correction import Correction
from heedful.records.learning import Audience, Status

if TYPE_CHECKING:
    from heedful.records.event import Event
    from heedful.records.learnings import Match

_LINE = 400  # characters of a text to show in one line
_WRONG, _RIGHT = "red strike", "green"


def now_worth(correction: Correction, now: datetime) -> float:
    """Its confidence after decay."""
    return correction.confidence * recency(correction, now)


def change(wrong: str, right: str) -> Text:
    """wrong → right, on one line."""
    return assembled(_change(wrong, right))


def _change(wrong: str, right: str) -> list[Part]:
    arrow = " → " if wrong and right else "→ " if right else ""
    return [(_one_line(wrong), _WRONG), arrow, (_one_line(right), _RIGHT)]


def plain(correction: Correction) -> str:
    return assembled(_line(correction)).plain


def _line(one: Correction) -> list[Part]:
    return _change(one.wrong, one.right) if one.wrong or one.right else [f"“{_one_line(one.said)}”"]


def _one_line(text: str) -> str:
    return visible(" ".join(text[:_LINE].split()))


def show_list(terminal: Terminal, corrections: Sequence[Correction], now: datetime) -> None:
    terminal.rows(((short(one.id), "cyan"), [_line(one), _facts_in_short(one, now)]) for one in corrections)


def _facts_in_short(one: Correction, now: datetime) -> list[Part]:
    facts = (
        one.category.value,
        "always" if one.always else "",
        f"sure {now_worth(one, now):.2f}",
        "" if one.status is Status.ACTIVE else one.status.value,
        "contradicted" if one.contradicted_by else "questioned" if one.questioned_by else "",
        one.about or "",
        "personal" if one.audience is Audience.ME else "",
        f"used {one.applied:,}×" if one.applied else "",
        age(one.renewed_at, now),
    )
    return [(" · ".join(fact for fact in facts if fact), "dim")]


def show_matches(terminal: Terminal, matches: Sequence[Match]) -> None:
    for match in matches:
        one = match.learning
        assert isinstance(one, Correction)
        terminal.rows([((short(one.id), "cyan"), [_line(one), _factors(match)])])


def _factors(match: Match) -> list[Part]:
    shown = (
        f"relevance {match.relevance:.2f}: similar {match.similarity:.2f} × sure {match.learning.confidence:.2f} "
        f"× recent {match.recency:.2f} × standing {match.standing:.1f}"
    )
    return [(shown, "dim")]


def show(
    terminal: Terminal, correction: Correction, supersedes: Sequence[str], evidence: Sequence[Event], now: datetime
) -> None:
    facts = [(name, shown) for name, shown in _facts(correction, supersedes, now) if shown]
    grid = Table.grid(padding=(0, 2))
    for name, shown in facts:
        text, style = (shown, "") if isinstance(shown, str) else shown
        grid.add_row(Text(name, "dim"), Text(visible(text), style))
    terminal.console.print(Panel(grid, title=Text(visible(correction.id)), title_align="left"))
    terminal.say(("evidence", "bold"))
    for event in evidence:
        terminal.say(f"  {local_time(event.at)}  {event.actor or 'unknown':<12}  ", _deed(event))


def _facts(one: Correction, supersedes: Sequence[str], now: datetime) -> tuple[tuple[str, Part], ...]:
    return (
        ("wrong", (one.wrong, _WRONG)) if one.wrong else ("wrong", ""),
        ("right", (one.right, _RIGHT)) if one.right else ("right", ""),
        ("why", one.why),
        ("asked", one.query),
        ("sentence", one.sentence),
        ("put right", (one.fixed, _RIGHT)) if one.fixed else ("put right", ""),
        ("said", one.said),
        ("understood", one.understood),
        ("matters for", "\n".join(one.occasions)),
        ("holds", "always" if one.always else "here"),
        ("about", one.about or ""),
        ("audience", one.audience.value),
        ("session", one.session or ""),
        ("by", one.actor or ""),
        ("first said", f"{local_time(one.at)}, {age(one.at, now)}"),
        ("category", one.category.value),
        ("severity", f"{one.severity:.2f}"),
        ("confidence", decay(one, now)),
        ("status", one.status.value + (f" by {one.superseded_by}" if one.superseded_by else "")),
        ("contradicted by", ", ".join(one.contradicted_by)),
        ("questioned by", ", ".join(one.questioned_by)),
        ("supersedes", ", ".join(supersedes)),
        ("version", f"{one.version}"),
        ("confirmed", f"{one.confirmed:,}×"),
        ("applied", f"{one.applied:,}×" + (f", last {age(one.last_applied, now)}" if one.last_applied else "")),
    )


def decay(one: Correction, now: datetime) -> str:
    days = CORRECTION.half_life(one).days
    return (
        f"{one.confidence:.2f} when last confirmed, {age(one.renewed_at, now)}; "
        f"half-life {days} days; {now_worth(one, now):.2f} now"
    )


def _deed(event: Event) -> Part:
    if event.kind == learning.REPORTED:
        return "detected in a conversation" if "detected" in event.meta else "reported"
    if event.kind == learning.ADJUSTED:
        by = event.meta.get("by")
        return f"confidence adjusted by {by:+g}" if isinstance(by, int | float) else "confidence adjusted"
    if event.kind in (learning.SUPERSEDED, learning.CONTRADICTED):
        did = "superseded" if event.kind == learning.SUPERSEDED else "contradicted"
        return (f"{did} by {event.meta.get('by', 'another')}", "yellow")
    if event.kind == learning.EDITED and learning.READ_BY in event.meta:
        return "read again by the language model"
    return _DEEDS.get(event.kind, event.kind)


_DEEDS: dict[str, Part] = {
    learning.CONFIRMED: ("confirmed", "green"),
    learning.EDITED: "edited",
    learning.APPLIED: "applied to an output",
}

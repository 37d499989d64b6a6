"""How proposals are printed: lists, and one in full, with its evidence, its conflicts and who agreed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from heedful.edges.cli import learnings_view, reviews_view
from heedful.edges.cli.ids import short
from heedful.edges.cli.layout_view import change, grid
from heedful.edges.cli.terminal import Part, Terminal, assembled, counted, visible
from heedful.edges.cli.times import age, local_time
from heedful.learnings.content import shortened
from heedful.records.proposal import Act, ConflictKind, Lane, ProposalStatus, voices
from heedful.records.record import Record
from heedful.records.rule import INSERTION_POINT

if TYPE_CHECKING:
    from rich.console import RenderableType

    from heedful.records.learnings import AnyLearning
    from heedful.records.proposal import Proposal, RuleConflict
    from heedful.records.review import Review
    from heedful.records.rule import RuleWords

_REASON = 300
_CONFLICTS_SHOWN = 3  # where space is short; the most certain come first
_WARNING: Part = ("! ", "red")
_STATUSES = {ProposalStatus.APPROVED: "green", ProposalStatus.REJECTED: "yellow", ProposalStatus.EXPIRED: "yellow"}
_LANES = {Lane.EXPEDITED: "green", Lane.NORMAL: "blue", Lane.SLOW: "red"}
_LANE_SAYS = {
    Lane.EXPEDITED: "no conflict was found",
    Lane.SLOW: "take your time: a constraint, a conflict or a suspicion",
}
_CONFLICTS = {ConflictKind.CONTRARY: "red", ConflictKind.UNSURE: "yellow"}
_SAYS = {
    ConflictKind.CONTRARY: "contradicts",
    ConflictKind.UNSURE: "may contradict",
    ConflictKind.SAME: "says the same as",
    ConflictKind.NARROWER: "overlaps with",
}
_WOULD = {
    Act.MERGE: ("keep", "and merge into it"),
    Act.RETIRE: ("retire",),
    Act.RENEW: ("is it still true",),
    Act.REWRITE: ("rewrite",),
    Act.REPLACE: ("retire", "and replace it with"),
    Act.ADOPT: (),
    Act.RESUME: ("use again",),
}


@dataclass(frozen=True, slots=True)
class ProposalDetails(Record):
    """A proposal with what it names."""

    proposal: Proposal
    learnings: tuple[AnyLearning | None, ...]
    """None for one that was deleted."""
    reviews: tuple[Review, ...]


def title(one: AnyLearning | None) -> str:
    return "(deleted)" if one is None else learnings_view.title(one)


def plain(details: ProposalDetails) -> str:
    """What it would do, in one line."""
    one = details.proposal
    about = [shortened(one.rule.text, _REASON)] if one.rule is not None else list(map(title, details.learnings))
    return f"{one.act.value}: {' / '.join(about)}"


# Lists


def show_list(terminal: Terminal, found: Sequence[ProposalDetails], now: datetime) -> None:
    terminal.rows(((short(one.proposal.id), "cyan"), [*_lines(one, now), [""]]) for one in found)


def _lines(details: ProposalDetails, now: datetime) -> Iterator[list[Part]]:
    one = details.proposal
    if one.rule is not None:
        yield [("rule: ", "yellow"), (shortened(one.rule.text, _REASON), "bold")]
    for would, id, learning in _named(details):
        yield [(f"{would}: ", "yellow"), (title(learning), "bold"), (f"  {short(id)}", "dim")]
    if one.act is Act.REWRITE and one.title:
        yield [("as: ", "yellow"), (shortened(one.title, _REASON), "bold")]
    yield from ([_WARNING, (says, "red")] for says in one.suspicions)
    for conflict in one.conflicts[:_CONFLICTS_SHOWN]:
        style = _CONFLICTS.get(conflict.kind, "")
        says = f"! {_SAYS[conflict.kind]} {short(conflict.other)}: "
        yield [(says, style), shortened(conflict.text, _REASON)]
    if (more := len(one.conflicts) - _CONFLICTS_SHOWN) > 0:
        yield [(f"! and {counted(more, 'more conflict')}", "dim")]
    if one.reason:
        yield [(shortened(one.reason, _REASON), "dim")]
    if one.summary and one.rule is None:
        yield [(shortened(one.summary, _REASON), "cyan")]
    yield _in_short(one, now)


def _named(details: ProposalDetails) -> Iterator[tuple[str, str, AnyLearning | None]]:
    one = details.proposal
    would = _WOULD[one.act] or ("instead of",) * len(one.learnings)
    return zip(would, one.learnings, details.learnings, strict=False)


def _in_short(one: Proposal, now: datetime) -> list[Part]:
    facts: list[str] = []
    if one.rule is not None:
        facts = [_type(one.rule), _agents(one.rule)]
        if one.evidence:
            facts += [f"sure {one.confidence:.2f}", counted(len(one.evidence), "review")]
    shown: list[Part] = [(f"{' · '.join([*facts, age(one.at, now)])} · ", "dim")]
    if one.status is not ProposalStatus.PENDING:
        return [*shown, (one.status.value, _STATUSES[one.status])]
    return [*shown, (one.lane.value, _LANES[one.lane]), (" · ", "dim"), agreed(one)]


def agreed(one: Proposal) -> Part:
    count = len(voices(one))
    return (f"{count} of {one.needed} agreed", "green" if count else "dim")


# One in full


def show(terminal: Terminal, details: ProposalDetails, now: datetime, *, room: int | None = None) -> None:
    """With `room`, only the first conflicts, and as much of the evidence as fits into that many lines."""
    most = None if room is None else _CONFLICTS_SHOWN
    parts = _rule(details, now, most) if details.proposal.rule is not None else _change(details, now)
    blocks = [reviews_view.evidence(one, now) for one in details.reviews]
    kept = len(blocks) if room is None else _fitting(terminal, [*parts, *blocks], room) - len(parts)
    shown = blocks[: max(kept, 1)]
    terminal.console.print(Group(*parts, *shown))
    if len(shown) < len(blocks):
        more = counted(len(blocks) - len(shown), "more review")
        terminal.say((f"  and {more}: heedful proposals show {short(details.proposal.id)}", "dim"))


def _fitting(terminal: Terminal, parts: Sequence[RenderableType], room: int) -> int:
    """How many of the parts fit into this many lines."""
    for count, part in enumerate(parts):
        room -= len(terminal.console.render_lines(part))
        if room < 0:
            return count
    return len(parts)


def _rule(details: ProposalDetails, now: datetime, most_conflicts: int | None) -> list[RenderableType]:
    one = details.proposal
    assert one.rule is not None
    example = list(change(one.rule.before, one.rule.after))
    words = [Text(visible(one.rule.text), "bold"), *([Text(), *example] if example else [])]
    name = Text(visible(one.id))
    parts: list[RenderableType] = [
        Panel(
            Group(*words), box=box.HEAVY, border_style=_LANES[one.lane], padding=(1, 2), title=name, title_align="left"
        ),
        grid("dim", ((name, parts) for name, *parts in _rule_facts(details, now))),
    ]
    parts += [assembled([_WARNING, (says, "bold red")]) for says in one.suspicions]
    parts += [_conflict(details, conflict) for conflict in one.conflicts[:most_conflicts]]
    if most_conflicts is not None and (more := len(one.conflicts) - most_conflicts) > 0:
        parts.append(Text(f"and {counted(more, 'more conflict')}", "dim"))
    if one.evidence:
        parts.append(_evidence_heading(details))
    return parts


def _rule_facts(details: ProposalDetails, now: datetime) -> Iterator[tuple[str, *tuple[Part, ...]]]:
    one, rule = details.proposal, details.proposal.rule
    assert rule is not None
    says = f"  {_LANE_SAYS[one.lane]}" if one.lane in _LANE_SAYS else ""
    yield "type", _type(rule)
    yield "for", _agents(rule)
    yield "where", "" if rule.insertion_point == INSERTION_POINT else f"at {rule.insertion_point} of the prompt"
    for would, id, learning in _named(details):
        yield would, title(learning), (f"  {short(id)}", "dim")
    yield "lane", (one.lane.value, _LANES[one.lane]), (says, "dim")
    if one.evidence:
        yield "sure", learnings_view.bar(one.confidence), f" {one.confidence:.2f}"
    yield "matters", f"corrected in {one.benefit:.0%} of the reviewed outputs" if one.benefit else ""
    yield "why", one.reason if not one.evidence else ""
    yield "written", f"by {one.made_by or 'heedful'}, {age(one.at, now)}"
    yield from _standing(one, now)


def _standing(one: Proposal, now: datetime) -> Iterator[tuple[str, *tuple[Part, ...]]]:
    """Who agreed, until when it waits, and how it ended."""
    yield "people", agreed(one)
    for approval in one.approvals:
        why = f" “{shortened(approval.why, _REASON)}”" if approval.why else ""
        yield "", ("✓ ", "green"), approval.by, (f"  {age(approval.at, now)}{why}", "dim")
    if one.status is ProposalStatus.PENDING:
        yield "waits", (f"until {local_time(one.expires_at)}", "dim")
        return
    by = f" by {one.decided_by}" if one.decided_by else ""
    at = "" if one.decided_at is None else f" {local_time(one.decided_at)}"
    why = f": {shortened(one.why, _REASON)}" if one.why else ""
    yield "decision", (one.status.value, _STATUSES[one.status]), (f"{at}{by}", "dim"), why


def _evidence_heading(details: ProposalDetails) -> RenderableType:
    """The quotes at the end of the summary are only needed where the reviews themselves are gone."""
    summary = details.proposal.summary
    said = summary.partition(" “")[0] if details.reviews else summary
    return Group(Text(), assembled([("evidence  ", "bold"), said]))


def _conflict(details: ProposalDetails, one: RuleConflict) -> RenderableType:
    assert details.proposal.rule is not None
    style = _CONFLICTS.get(one.kind, "")
    other = f"{'rule in force' if one.in_force else 'proposal'} {short(one.other)}"
    sides = Table(box=box.ROUNDED, expand=True, border_style=style or None, header_style="")
    sides.add_column(Text("this proposal", "bold"), ratio=1)
    sides.add_column(Text(visible(other), "bold"), ratio=1)
    sides.add_row(Text(visible(details.proposal.rule.text)), Text(visible(one.text)))
    ways = [assembled([("· ", style), way]) for way in one.ways_out]
    return Group(
        Text(), assembled([(f"{_SAYS[one.kind]} another rule  ", f"bold {style}".strip()), one.why]), sides, *ways
    )


def _change(details: ProposalDetails, now: datetime) -> list[RenderableType]:
    one = details.proposal
    parts: list[RenderableType] = [
        assembled([(one.act.value, "bold"), (f"  {one.id}, made {age(one.at, now)}", "dim")]),
        Padding(assembled([shortened(one.reason, _REASON)]), (0, 0, 0, 2)),
        *([Padding(assembled([(shortened(one.summary, _REASON), "cyan")]), (0, 0, 0, 2))] if one.summary else []),
    ]
    for would, _, learning in _named(details):
        parts += [Text(), assembled([(would, "yellow"), "" if learning is not None else "  (deleted)"])]
        parts += [learnings_view.panel(learning, now)] if learning is not None else []
    if one.act is Act.REWRITE:
        parts += [Text(), Text("as", "yellow"), learnings_view.words_panel(one.title, one.content)]
    facts = [*_standing(one, now)]
    return [*parts, Text(), grid("dim", ((name, told) for name, *told in facts))]


def _type(rule: RuleWords) -> str:
    return rule.type.value.replace("_", " ").lower()


def _agents(rule: RuleWords) -> str:
    return ", ".join(rule.agents) or "all agents"

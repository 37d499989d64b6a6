"""learnings report: mining statistics, contributors, and comparison of prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from heedful.edges.cli.terminal import Part, Terminal, command, counted

if TYPE_CHECKING:
    from heedful.learnings.reputation import Reputation
    from heedful.records.mining import MiningReport
    from heedful.records.variant import VariantComparison


@command("heedful learnings report")
def report(terminal: Terminal) -> None:
    """Show mining statistics.

    Outcomes of mined conversations, contributors by reputation, and prompt variants compared.
    """
    with terminal.existing() as loop:
        mining, people, variants = loop.measure.mining(), loop.measure.reputations(), loop.measure.variants()
    if terminal.json:
        terminal.line(
            {
                "mining": asdict(mining),
                "contributors": [asdict(one) for one in people],
                "variants": [asdict(one) for one in variants],
            }
        )
        return
    if not mining.conversations:
        terminal.say(("Nothing was mined yet. Start: heedful mine ~/.claude/projects", "dim"))
        return
    _show_mining(terminal, mining)
    _show_people(terminal, people)
    for one in variants:
        _show_variants(terminal, one)


def _show_mining(terminal: Terminal, mining: MiningReport) -> None:
    terminal.say(
        (f"{mining.extraction_rate:.0%}", "bold"),
        f" of {counted(mining.conversations, 'conversation')} taught something new; ",
        f"{mining.mean_seconds or 0:.2f} s each",
    )
    terminal.table("", ("outcome", "number"), _counted(mining.outcomes))
    if mining.categories:
        sure = f"mean confidence {mining.mean_confidence:.2f}" if mining.mean_confidence is not None else ""
        terminal.table(f"Learnings, {sure}", ("kind", "number"), _counted(mining.categories))
    if mining.duplicates:
        terminal.table("Duplicates", ("detected by", "number"), _counted(mining.duplicates))


def _counted(counts: Mapping[str, int]) -> list[tuple[Part, Part]]:
    pairs = sorted(counts.items(), key=lambda pair: -pair[1])
    return [(name.replace("_", " "), f"{count:,}") for name, count in pairs if count]


def _show_people(terminal: Terminal, people: list[Reputation]) -> None:
    if not any(one.contributor for one in people):
        return
    rows = [
        (
            f"{one.score:.2f}",
            f"{one.learnings:,}",
            f"{one.approved:,} approved, {one.confirmed:,} confirmed, {one.rated_up:,} up, {one.rated_down:,} down",
            one.contributor or "unnamed",
        )
        for one in people
    ]
    terminal.table("Contributors", ("reputation", "learnings", "feedback", "name"), rows)


def _show_variants(terminal: Terminal, one: VariantComparison) -> None:
    rows = [
        (
            result.variant,
            f"{result.conversations:,}",
            f"{result.yield_rate:.0%}",
            "" if result.approval_rate is None else f"{result.approval_rate:.0%} of {result.ratings:,}",
            ("winner", "green") if result.variant == one.winner else "",
        )
        for result in one.variants
    ]
    terminal.table(f"Prompt {one.prompt}", ("variant", "conversations", "yield", "approval", ""), rows)
    terminal.say((f"  {one.reason}", "dim"))

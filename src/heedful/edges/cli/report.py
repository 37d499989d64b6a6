"""learnings report: how mining fares, whose conversations taught what, and which prompts win."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from heedful.edges.cli.session import Part, Session, command, counted

if TYPE_CHECKING:
    from heedful.learnings.reputation import Reputation
    from heedful.records.mining_report import MiningReport
    from heedful.records.variant import VariantComparison


@command("heedful learnings report")
def report(session: Session) -> None:
    """Show how mining fares.

    What came of conversations, whose taught what others confirm, and which prompts win.
    """
    with session.existing() as loop:
        mining, people, variants = loop.measure.mining(), loop.measure.reputations(), loop.measure.variants()
    if session.json:
        session.line(
            {
                "mining": asdict(mining),
                "contributors": [asdict(one) for one in people],
                "variants": [asdict(one) for one in variants],
            }
        )
        return
    if not mining.conversations:
        session.say(("Nothing was mined yet: heedful mine ~/.claude/projects", "dim"))
        return
    _show_mining(session, mining)
    _show_people(session, people)
    for one in variants:
        _show_variants(session, one)


def _show_mining(session: Session, mining: MiningReport) -> None:
    session.say(
        (f"{mining.extraction_rate:.0%}", "bold"),
        f" of {counted(mining.conversations, 'conversation')} taught something new; ",
        f"{mining.mean_seconds or 0:.2f} s each",
    )
    session.table("", ("what came of them", "number"), _counted(mining.outcomes))
    if mining.categories:
        sure = f"sure {mining.mean_confidence:.2f} on average" if mining.mean_confidence is not None else ""
        session.table(f"What was learned, {sure}", ("kind", "number"), _counted(mining.categories))
    if mining.duplicates:
        session.table("What was known already", ("found out by", "number"), _counted(mining.duplicates))


def _counted(counts: Mapping[str, int]) -> list[tuple[Part, Part]]:
    pairs = sorted(counts.items(), key=lambda pair: -pair[1])
    return [(name.replace("_", " "), f"{count:,}") for name, count in pairs if count]


def _show_people(session: Session, people: list[Reputation]) -> None:
    if not any(one.contributor for one in people):
        return
    rows = [
        (
            f"{one.score:.2f}",
            f"{one.learnings:,}",
            f"{one.approved:,} approved, {one.confirmed:,} confirmed, {one.rated_up:,} up, {one.rated_down:,} down",
            one.contributor or "not named",
        )
        for one in people
    ]
    session.table("Whose conversations taught it", ("reputation", "learnings", "what others say", "who"), rows)


def _show_variants(session: Session, one: VariantComparison) -> None:
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
    session.table(f"The prompt {one.prompt}", ("variant", "asked", "yield", "approval", ""), rows)
    session.say((f"  {one.reason}", "dim"))

"""learnings share, adopt, report: learnings for others and from others, and how mining fares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from heedful.edges.cli.session import DONE, Part, Session, command, counted
from heedful.errors import InvalidInput, InvalidLearnings

if TYPE_CHECKING:
    from heedful.learnings.reputation import Reputation
    from heedful.records.mining_report import MiningReport
    from heedful.records.variant import VariantComparison

_FILE_LIMIT = 64 * 1024 * 1024


@command("heedful learnings share team.json\nheedful learnings share team.json --about shop")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--about", metavar="PROJECT", help="Only of this project.")
def share(session: Session, file: Path, about: str | None) -> None:
    """Write what was approved into a file for others.

    No quotes, nobody's name, and the reputation it has here.
    """
    from heedful.wire import dump  # noqa: PLC0415

    with session.existing() as loop:
        made = loop.govern.learnings.share(about=about)
    try:
        file.write_bytes(dump(made) + b"\n")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}.", hint="Choose another place.") from None
    count = len(made.learnings)
    session.answer({"file": str(file), "learnings": count}, DONE, f"{counted(count, 'learning')} in {file}")
    if not count and not session.json:
        session.say(("Only what was approved is shared: heedful learnings approve ID", "dim"))


@command("heedful learnings adopt team.json")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def adopt(session: Session, file: Path) -> None:
    """Adopt learnings that others shared.

    Each is as sure as they were, and as their reputation allows. It is not approved yet.
    """
    try:
        if file.stat().st_size > _FILE_LIMIT:
            raise InvalidLearnings(f"{file} is too large.", hint="Share fewer learnings at once.")
        told = orjson.loads(file.read_bytes())
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.", hint="Check the path.") from None
    except orjson.JSONDecodeError:
        raise InvalidLearnings(f"{file} is not JSON.", hint="Make one with `heedful learnings share`.") from None
    with session.loop() as loop:
        done = loop.govern.learnings.adopt(told)
    known = f", {done.already_known:,} known already" if done.already_known else ""
    session.answer(asdict(done), DONE, f"{counted(done.learnings, 'learning')} adopted{known}")


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

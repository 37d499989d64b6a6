"""export, import: files of what was learned, for others and from others."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.terminal import DONE, Terminal, command, counted

if TYPE_CHECKING:
    from heedful.records.sharing import Imported, LearningExport

_SECTIONS = ("patterns", "statistics", "learnings")


@command(
    "heedful export team.json\n"
    "heedful export team.json --only learnings --about shop\n"
    "heedful export team.json --rule no-passive --sign heedful-key.pem\n"
    "heedful export mine.json --min-people 1 --original-text"
)
@click.argument("file", required=False, type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--only", multiple=True, type=click.Choice(_SECTIONS), help="Only this section; may be given several times."
)
@click.option("--rule", "rules", multiple=True, help="Only what suggestions of this rule taught; may be repeated.")
@click.option("--about", metavar="PROJECT", help="Only learnings of this project or topic.")
@click.option("--period", metavar="SPAN", help="Only of the last days or weeks: 30d, 4w.")
@click.option("--since", metavar="TIME", help="From that day on: 2026-01-05, or 7d, 4w ago.")
@click.option("--until", metavar="TIME", help="Up to that day.")
@click.option(
    "--min-people", type=int, help="Only patterns and counts of so many different people. [as privacy has it]"
)
@click.option("--original-text", is_flag=True, help="Also whole texts that as many people judged.")
@click.option(
    "--sign", "key", type=click.Path(exists=True, dir_okay=False), help="Sign it with this Ed25519 key (PEM)."
)
def export(
    terminal: Terminal,
    file: str | None,
    only: tuple[str, ...],
    rules: tuple[str, ...],
    original_text: bool,
    key: str | None,
    **options: Any,
) -> None:
    """Export what was learned, for another team.

    Patterns and counts of suggestions, as far as several people stand behind them, and approved learnings,
    without quotes and names. With --min-people 1 the file tells what single people did: that is for taking
    what you taught yourself to another place.
    """
    included: dict[str, Any] = {f"include_{name}": name in (only or _SECTIONS) for name in _SECTIONS}
    with terminal.existing() as loop:
        made = loop.govern.export(rules=rules or None, include_original_text=original_text, **included, **options)
        if key is not None:
            made = loop.govern.sign(made, Path(key).read_bytes())
    if file is None or file == "-":
        sys.stdout.buffer.write(made.to_json().encode())
    else:
        made.save(file)
        _show_export(terminal, file, made)


def _show_export(terminal: Terminal, file: str, made: LearningExport) -> None:
    signer = None if made.signature is None else made.signature.public_key
    patterns, learnings = len(made.patterns), len(made.learnings)
    named = {pattern.rule_id for pattern in made.patterns}
    rules = len(named if made.statistics is None else made.statistics.by_rule)
    summary = {"patterns": patterns, "rules": rules, "learnings": learnings, "signed_by": signer, "note": made.note}
    terminal.answer({"file": file, **summary}, DONE, f"{_counts(patterns, rules, learnings)} in {file}")
    if terminal.json:
        return
    if made.note:
        terminal.say(("! ", "yellow"), made.note)
    if signer:
        terminal.say((f"  Others can trust it with: heedful import --trust {signer} {file}", "dim"))
    if not patterns and not learnings:
        people = counted(made.min_people, "different person").replace("persons", "people")
        terminal.say((f"  A pattern is shared when {people} decided on it, three times or more,", "dim"))
        terminal.say(("  and a learning when it was approved: heedful learnings approve ID", "dim"))
        if made.min_people > 1:
            terminal.say(("  To take what you taught yourself to another place: --min-people 1 --original-text", "dim"))


@command("heedful import team.json\nheedful import mine.json --as-own", name="import")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--trust", "trusted", multiple=True, metavar="KEY", help="Take it only if this public key signed it.")
@click.option("--as-own", is_flag=True, help="Count it in full, as decided here: for your own export of another place.")
def import_(terminal: Terminal, file: str, trusted: tuple[str, ...], as_own: bool) -> None:
    """Import what another team exported, or you elsewhere.

    The same file again changes nothing. Learnings are not approved by it.
    """
    content = _content(file)
    with terminal.loop() as loop:
        brought = loop.govern.import_(content, trusted=trusted or None, as_own=as_own)
    terminal.answer(brought, DONE, _summary(brought))


def _summary(brought: Imported) -> str:
    if brought.already_known and brought.already_known == brought.rules + brought.learnings:
        return "all of this was known already; nothing changed"
    known = f", {brought.already_known:,} known already" if brought.already_known else ""
    by = f", signed by {brought.signed_by}" if brought.signed_by else ""
    return f"{_counts(brought.patterns, brought.rules, brought.learnings)} imported{known}{by}"


def _counts(patterns: int, rules: int, learnings: int) -> str:
    """What is in a file; a section that is empty is named only if both are."""
    of_suggestions = f"{counted(patterns, 'pattern')} of {counted(rules, 'rule')}"
    of_learnings = counted(learnings, "learning")
    named = [text for text, count in ((of_suggestions, patterns + rules), (of_learnings, learnings)) if count]
    return " and ".join(named or [of_suggestions, of_learnings])


def _content(file: str) -> Any:
    from heedful.govern.sharing.file import FILE_LIMIT, parsed, read  # noqa: PLC0415 - as the loop itself

    return parsed(sys.stdin.buffer.read(FILE_LIMIT + 1), "stdin") if file == "-" else read(file)

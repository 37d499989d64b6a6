"""export, import: share learnings and patterns as a file."""

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
@click.option("--only", multiple=True, type=click.Choice(_SECTIONS), help="Only this section; repeatable.")
@click.option("--rule", "rules", multiple=True, help="Only patterns of this rule; repeatable.")
@click.option("--about", metavar="PROJECT", help="Only learnings of this project or topic.")
@click.option("--period", metavar="SPAN", help="Only the last days or weeks: 30d, 4w.")
@click.option("--since", metavar="TIME", help="First day: 2026-01-05, or an age: 7d, 4w.")
@click.option("--until", metavar="TIME", help="Last day.")
@click.option("--min-people", type=int, help="Only patterns of at least this many people. [from `heedful privacy`]")
@click.option("--original-text", is_flag=True, help="Also full texts judged by that many people.")
@click.option("--sign", "key", type=click.Path(exists=True, dir_okay=False), help="Sign with this Ed25519 key (PEM).")
def export(
    terminal: Terminal,
    file: str | None,
    only: tuple[str, ...],
    rules: tuple[str, ...],
    original_text: bool,
    key: str | None,
    **options: Any,
) -> None:
    """Export learnings and patterns for another team.

    Contains patterns and counts that several people contributed to, and approved learnings, without quotes and
    names. With --min-people 1 it reveals what single people did: use that only for your own data.
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
        terminal.say((f"  Import it with: heedful import --trust {signer} {file}", "dim"))
    if not patterns and not learnings:
        people = counted(made.min_people, "different person").replace("persons", "people")
        terminal.say((f"  A pattern is exported once {people} decided on it, at least three times,", "dim"))
        terminal.say(("  and a learning once it is approved: heedful learnings approve ID", "dim"))
        if made.min_people > 1:
            terminal.say(("  To move your own data: --min-people 1 --original-text", "dim"))


@command("heedful import team.json\nheedful import mine.json --as-own", name="import")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option(
    "--trust", "trusted", multiple=True, metavar="KEY", help="Import only if signed with this public key; repeatable."
)
@click.option("--as-own", is_flag=True, help="Count it in full, as if decided here: for your own exports.")
def import_(terminal: Terminal, file: str, trusted: tuple[str, ...], as_own: bool) -> None:
    """Import an exported file.

    Importing a file twice changes nothing. Imported learnings are not approved.
    """
    content = _content(file)
    with terminal.loop() as loop:
        brought = loop.govern.import_(content, trusted=trusted or None, as_own=as_own)
    terminal.answer(brought, DONE, _summary(brought))


def _summary(brought: Imported) -> str:
    if brought.already_known and brought.already_known == brought.rules + brought.learnings:
        return "everything was known already; nothing changed"
    known = f", {brought.already_known:,} known already" if brought.already_known else ""
    by = f", signed by {brought.signed_by}" if brought.signed_by else ""
    return f"{_counts(brought.patterns, brought.rules, brought.learnings)} imported{known}{by}"


def _counts(patterns: int, rules: int, learnings: int) -> str:
    """The counts of a file, without empty sections unless both are empty."""
    of_suggestions = f"{counted(patterns, 'pattern')} of {counted(rules, 'rule')}"
    of_learnings = counted(learnings, "learning")
    named = [text for text, count in ((of_suggestions, patterns + rules), (of_learnings, learnings)) if count]
    return " and ".join(named or [of_suggestions, of_learnings])


def _content(file: str) -> Any:
    from heedful.govern.sharing.file import FILE_LIMIT, parsed, read  # noqa: PLC0415 - as the loop itself

    return parsed(sys.stdin.buffer.read(FILE_LIMIT + 1), "stdin") if file == "-" else read(file)

"""export, import, clear, privacy: what is shared, what is kept, and what goes."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.session import DONE, Session, command, counted
from heedful.errors import InvalidInput

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.privacy import Privacy
    from heedful.records.sharing import LearningExport

_TELLS = {
    "anonymize_users": "people are kept as pseudonyms",
    "store_original_text": "texts are kept, not only patterns",
    "max_data_age": "older feedback is erased",
    "max_records": "beyond these, the oldest is erased",
    "redact_personal_data": "personal data is taken out of everything",
    "participate_in_team_learning": "export and import are allowed",
    "min_people": "people behind whatever is shared",
}


@command(
    "heedful export learnings.json\n"
    "heedful export --rule no-passive --sign heedful-key.pem learnings.json\n"
    "heedful export --min-people 1 --original-text mine.json"
)
@click.argument("file", required=False, type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--rule", "rules", multiple=True, help="Only this rule; may be given several times.")
@click.option("--period", metavar="SPAN", help="Only of the last days or weeks: 30d, 4w.")
@click.option("--since", metavar="TIME", help="From that day on: 2026-01-05, or 7d, 4w ago.")
@click.option("--until", metavar="TIME", help="Up to that day.")
@click.option("--min-people", type=int, help="Only what so many different people stand behind. [as privacy has it]")
@click.option("--original-text", is_flag=True, help="Also whole texts that as many people judged.")
@click.option("--no-patterns", is_flag=True, help="Without patterns.")
@click.option("--no-statistics", is_flag=True, help="Without the counts of rules.")
@click.option(
    "--sign", "key", type=click.Path(exists=True, dir_okay=False), help="Sign it with this Ed25519 key (PEM)."
)
def export(session: Session, file: str | None, key: str | None, **options: Any) -> None:
    """Export what suggestions taught, for another team.

    Only what several people stand behind, unless you ask for --min-people 1: that is for
    taking what you taught yourself to another place. Such a file tells what single people did.
    """
    with session.existing() as loop:
        made = loop.govern.export(
            rules=options["rules"] or None,
            period=options["period"],
            since=options["since"],
            until=options["until"],
            min_people=options["min_people"],
            include_original_text=options["original_text"],
            include_patterns=not options["no_patterns"],
            include_statistics=not options["no_statistics"],
        )
        if key is not None:
            made = loop.govern.sign(made, Path(key).read_bytes())
    if file is None or file == "-":
        sys.stdout.buffer.write(made.to_json().encode())
    else:
        made.save(file)
        _tell_export(session, file, made)


def _tell_export(session: Session, file: str, made: LearningExport) -> None:
    signer = None if made.signature is None else made.signature.public_key
    patterns = len(made.patterns)
    named = {pattern.rule_id for pattern in made.patterns}
    rules = len(named if made.statistics is None else made.statistics.by_rule)
    told = {"file": file, "patterns": patterns, "rules": rules, "signed_by": signer, "note": made.note}
    session.answer(told, DONE, f"{counted(patterns, 'pattern')} of {counted(rules, 'rule')} in {file}")
    if not session.json and made.note:
        session.say(("! ", "yellow"), made.note)
    if not session.json and signer:
        session.say((f"  Others can trust it with: heedful import --trust {signer} {file}", "dim"))
    if not session.json and not made.patterns:
        people = counted(made.min_people, "different person").replace("persons", "people")
        session.say((f"  A pattern is shared when {people} decided on it, three times or more.", "dim"))
        if made.min_people > 1:
            session.say(("  To take what you taught yourself to another place: --min-people 1 --original-text", "dim"))


@command("heedful import learnings.json\nheedful import mine.json --as-own", name="import")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--trust", "trusted", multiple=True, metavar="KEY", help="Take it only if this public key signed it.")
@click.option("--as-own", is_flag=True, help="Count it in full, as decided here: for your own export of another place.")
def import_(session: Session, file: str, trusted: tuple[str, ...], as_own: bool) -> None:
    """Import what another team exported, or you elsewhere.

    The same file again changes nothing.
    """
    learnings = _learnings(file)
    with session.loop() as loop:
        brought = loop.govern.import_(learnings, trusted=trusted or None, as_own=as_own)
    if brought.already_known == brought.rules and brought.rules:
        session.answer(brought, DONE, "this file was imported before; nothing changed")
        return
    by = f", signed by {brought.signed_by}" if brought.signed_by else ""
    session.answer(
        brought, DONE, f"{counted(brought.patterns, 'pattern')} of {counted(brought.rules, 'rule')} imported{by}"
    )


def _learnings(file: str) -> Any:
    from heedful.govern.file import FILE_LIMIT, parsed, read  # noqa: PLC0415 - as the loop itself

    return parsed(sys.stdin.buffer.read(FILE_LIMIT + 1), "stdin") if file == "-" else read(file)


@command("heedful clear --rule no-passive\nheedful clear --since 2026-01-01 --until 2026-01-31\nheedful clear --all")
@click.option("--rule", "rules", multiple=True, help="Of this rule; may be given several times.")
@click.option("--period", metavar="SPAN", help="Of the last days or weeks: 30d, 4w.")
@click.option("--since", metavar="TIME", help="From that day on: 2026-01-05, or 7d, 4w ago.")
@click.option("--until", metavar="TIME", help="Up to that day.")
@click.option("--all", "everything", is_flag=True, help="All feedback, and all that was learned from it.")
@click.option("--confirm", "token", metavar="TOKEN", help="Erase what was shown before, by its token.")
def clear(session: Session, token: str | None, everything: bool, **options: Any) -> None:
    """Erase feedback on suggestions, and what it taught.

    Asks first, or gives a token to confirm with.
    """
    chosen = everything or any(options.values())
    if chosen == (token is not None):
        raise InvalidInput(
            "A token says it all." if chosen else "What shall be cleared?",
            hint="Give --rule, --period, --since or --until, or --all; then only --confirm with the token.",
        )
    with session.existing() as loop:
        if token is not None:
            _clear(session, loop, token)
            return
        planned = loop.govern.clearing(
            rules=list(options["rules"]) or None,
            period=options["period"],
            since=options["since"],
            until=options["until"],
            everything=everything,
        )
        if session.json:
            session.line(planned)
            return
        if not planned.records:
            session.say(("There is nothing of that to erase.", "dim"))
            return
        session.say(("! ", "yellow"), f"{counted(planned.records, 'record')} of {loop.name} would be erased for good.")
        if sys.stdin.isatty() and click.confirm("  Erase them?", default=False):
            _clear(session, loop, planned.token)
        elif not sys.stdin.isatty():
            session.say(("  To do it, within ten minutes:", "dim"))
            session.say(f"  heedful clear{session.same_place(loop)} --confirm {planned.token}")


def _clear(session: Session, loop: Loop, token: str) -> None:
    with session.notices.status("erasing"):
        cleared = loop.govern.clear(token)
    session.answer(cleared, DONE, f"{counted(cleared.records, 'record')} erased, and what was learned from it")
    if not cleared.scrubbed and not session.json:
        session.say(
            ("  Other programs are reading the file, so copies may linger in it. A worker (`heedful work`)", "dim")
        )
        session.say(("  goes on trying to remove them.", "dim"))


@command("heedful privacy\nheedful privacy --no-text --max-age 180d\nheedful privacy --retain")
@click.option(
    "--anonymize/--no-anonymize", "anonymize_users", default=None, help="Keep people as pseudonyms, or by name."
)
@click.option("--text/--no-text", "store_original_text", default=None, help="Keep texts, or only patterns.")
@click.option("--max-age", "max_data_age", metavar="SPAN", help="Erase feedback after this: 180d, 26w; or all.")
@click.option("--max-records", type=int, help="Keep at most so many records; 0 for any number.")
@click.option(
    "--redact/--no-redact", "redact_personal_data", default=None, help="Take personal data out of everything."
)
@click.option("--share/--no-share", "participate_in_team_learning", default=None, help="Take part in team learning.")
@click.option("--min-people", type=int, help="How many people must have done the same before it is shared.")
@click.option("--retain", is_flag=True, help="Erase now what is too old or too much.")
def privacy(session: Session, retain: bool, **options: Any) -> None:
    """Show or change what is kept of people, and how long."""
    changes = {name: value for name, value in options.items() if value is not None}
    with session.loop() if changes else session.existing() as loop:
        found = loop.govern.set_privacy(**changes) if changes else loop.govern.privacy()
        if retain:
            retained = loop.govern.retain()
            words = f"{retained.too_old:,} too old and {retained.too_many:,} too many erased; {retained.kept:,} kept"
            session.answer(retained, DONE, words)
        if retain and not changes:
            return
        if session.json:
            session.line(found)
        else:
            _show_privacy(session, loop.name, found)


def _show_privacy(session: Session, org: str, found: Privacy) -> None:
    rows = [(field.name, _value(getattr(found, field.name)), _TELLS[field.name]) for field in fields(found)]
    session.table(org, ("option", "value", "meaning"), rows)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "no limit" if value is None else str(value)

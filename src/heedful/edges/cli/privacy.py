"""clear, privacy: what is kept of people's feedback, and what is erased."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.terminal import DONE, Terminal, command, counted
from heedful.errors import InvalidInput

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.privacy import Privacy

_TELLS = {
    "anonymize_users": "people are kept as pseudonyms",
    "store_original_text": "texts are kept, not only patterns",
    "max_data_age": "older feedback is erased",
    "max_records": "beyond these, the oldest is erased",
    "redact_personal_data": "personal data is taken out of everything",
    "participate_in_team_learning": "export and import are allowed",
    "min_people": "people behind whatever is shared",
}


@command("heedful clear --rule no-passive\nheedful clear --since 2026-01-01 --until 2026-01-31\nheedful clear --all")
@click.option("--rule", "rules", multiple=True, help="Of this rule; may be given several times.")
@click.option("--period", metavar="SPAN", help="Of the last days or weeks: 30d, 4w.")
@click.option("--since", metavar="TIME", help="From that day on: 2026-01-05, or 7d, 4w ago.")
@click.option("--until", metavar="TIME", help="Up to that day.")
@click.option("--all", "everything", is_flag=True, help="All feedback, and all that was learned from it.")
@click.option("--confirm", "token", metavar="TOKEN", help="Erase what was shown before, by its token.")
def clear(terminal: Terminal, token: str | None, everything: bool, **options: Any) -> None:
    """Erase feedback on suggestions, and what it taught.

    Asks first, or gives a token to confirm with.
    """
    chosen = everything or any(options.values())
    if chosen == (token is not None):
        raise InvalidInput(
            "A token says it all." if chosen else "What shall be cleared?",
            hint="Give --rule, --period, --since or --until, or --all; then only --confirm with the token.",
        )
    with terminal.existing() as loop:
        if token is not None:
            _clear(terminal, loop, token)
            return
        planned = loop.govern.clearing(
            rules=list(options["rules"]) or None,
            period=options["period"],
            since=options["since"],
            until=options["until"],
            everything=everything,
        )
        if terminal.json:
            terminal.line(planned)
            return
        if not planned.records:
            terminal.say(("There is nothing of that to erase.", "dim"))
            return
        terminal.say(("! ", "yellow"), f"{counted(planned.records, 'record')} of {loop.name} would be erased for good.")
        if sys.stdin.isatty() and click.confirm("  Erase them?", default=False):
            _clear(terminal, loop, planned.token)
        elif not sys.stdin.isatty():
            terminal.say(("  To do it, within ten minutes:", "dim"))
            terminal.say(f"  heedful clear{terminal.same_place(loop)} --confirm {planned.token}")


def _clear(terminal: Terminal, loop: Loop, token: str) -> None:
    with terminal.notices.status("erasing"):
        cleared = loop.govern.clear(token)
    terminal.answer(cleared, DONE, f"{counted(cleared.records, 'record')} erased, and what was learned from it")
    if not cleared.scrubbed and not terminal.json:
        terminal.say(
            ("  Other programs are reading the file, so copies may linger in it. A worker (`heedful work`)", "dim")
        )
        terminal.say(("  goes on trying to remove them.", "dim"))


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
def privacy(terminal: Terminal, retain: bool, **options: Any) -> None:
    """Show or change what is kept of people, and how long."""
    changes = {name: value for name, value in options.items() if value is not None}
    with terminal.loop() if changes else terminal.existing() as loop:
        found = loop.govern.set_privacy(**changes) if changes else loop.govern.privacy()
        if retain:
            retained = loop.govern.retain()
            words = f"{retained.too_old:,} too old and {retained.too_many:,} too many erased; {retained.kept:,} kept"
            terminal.answer(retained, DONE, words)
        if retain and not changes:
            return
        if terminal.json:
            terminal.line(found)
        else:
            _show_privacy(terminal, loop.name, found)


def _show_privacy(terminal: Terminal, org: str, found: Privacy) -> None:
    rows = [(field.name, _value(getattr(found, field.name)), _TELLS[field.name]) for field in fields(found)]
    terminal.table(org, ("option", "value", "meaning"), rows)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "no limit" if value is None else str(value)

"""clear, privacy: erase feedback, and settings for what is stored and for how long."""

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

_MEANINGS = {
    "anonymize_users": "store pseudonyms instead of names",
    "store_original_text": "store texts, not only patterns",
    "max_data_age": "erase older feedback",
    "max_records": "erase the oldest beyond this number",
    "redact_personal_data": "redact personal data everywhere",
    "participate_in_team_learning": "allow export and import",
    "min_people": "people needed before a pattern is shared",
}


@command("heedful clear --rule no-passive\nheedful clear --since 2026-01-01 --until 2026-01-31\nheedful clear --all")
@click.option("--rule", "rules", multiple=True, help="Feedback on this rule; repeatable.")
@click.option("--period", metavar="SPAN", help="Feedback of the last days or weeks: 30d, 4w.")
@click.option("--since", metavar="TIME", help="First day: 2026-01-05, or an age: 7d, 4w.")
@click.option("--until", metavar="TIME", help="Last day.")
@click.option("--all", "everything", is_flag=True, help="All feedback, and everything learned from it.")
@click.option("--confirm", "token", metavar="TOKEN", help="Erase what the command with this token showed.")
def clear(terminal: Terminal, token: str | None, everything: bool, **options: Any) -> None:
    """Erase feedback on suggestions and what it taught.

    Asks for confirmation, or prints a token to confirm with.
    """
    chosen = everything or any(options.values())
    if chosen == (token is not None):
        raise InvalidInput(
            "Filters cannot be combined with --confirm." if chosen else "Nothing to clear was selected.",
            hint="Pass --rule, --period, --since, --until or --all first; then --confirm TOKEN alone.",
        )
    with terminal.existing() as loop:
        if token is not None:
            _clear(terminal, loop, token)
            return
        filters = {**options, "rules": list(options["rules"]) or None}
        planned = loop.govern.clearing(**filters, everything=everything)
        if terminal.json:
            terminal.line(planned)
            return
        if not planned.records:
            terminal.say(("Nothing matches.", "dim"))
            return
        terminal.say(("! ", "yellow"), f"{counted(planned.records, 'record')} of {loop.name} will be erased for good.")
        if sys.stdin.isatty() and click.confirm("  Erase them?", default=False):
            _clear(terminal, loop, planned.token)
        elif not sys.stdin.isatty():
            terminal.say(("  To confirm, within ten minutes:", "dim"))
            terminal.say(f"  heedful clear{terminal.same_place(loop)} --confirm {planned.token}")


def _clear(terminal: Terminal, loop: Loop, token: str) -> None:
    with terminal.notices.status("erasing"):
        cleared = loop.govern.clear(token)
    terminal.answer(cleared, DONE, f"{counted(cleared.records, 'record')} erased, with everything learned from them")
    if not cleared.scrubbed and not terminal.json:
        terminal.say(
            ("  Other processes are reading the file, so copies may remain in it. A worker (`heedful work`)", "dim")
        )
        terminal.say(("  keeps trying to remove them.", "dim"))


@command("heedful privacy\nheedful privacy --no-text --max-age 180d\nheedful privacy --retain")
@click.option("--anonymize/--no-anonymize", "anonymize_users", default=None, help="Store pseudonyms, or names.")
@click.option("--text/--no-text", "store_original_text", default=None, help="Store texts, or only patterns.")
@click.option("--max-age", "max_data_age", metavar="SPAN", help="Erase older feedback: 180d, 26w; or all.")
@click.option("--max-records", type=int, help="Keep at most this many records; 0 for no limit.")
@click.option("--redact/--no-redact", "redact_personal_data", default=None, help="Redact personal data everywhere.")
@click.option("--share/--no-share", "participate_in_team_learning", default=None, help="Allow export and import.")
@click.option("--min-people", type=int, help="People needed before a pattern is shared.")
@click.option("--retain", is_flag=True, help="Apply the limits now.")
def privacy(terminal: Terminal, retain: bool, **options: Any) -> None:
    """Show or change what is stored, and for how long."""
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
    rows = [(field.name, _value(getattr(found, field.name)), _MEANINGS[field.name]) for field in fields(found)]
    terminal.table(org, ("option", "value", "meaning"), rows)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "no limit" if value is None else str(value)

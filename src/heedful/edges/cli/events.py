"""record, events: record events and list them."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from heedful.edges.cli.terminal import DONE, Terminal, command, counted
from heedful.edges.cli.times import local_time
from heedful.errors import Conflict, HeedfulError, InvalidInput
from heedful.operations.operation import operation_of
from heedful.records import lines
from heedful.records.event import Entity, document
from heedful.records.json import parse

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.records.event import Event

_REFUSALS_SHOWN = 10


@command(
    'heedful record MAPPING_CONFIRMED --actor dana --entity sku_mapping:ABC-123 --after \'{"sku": "INT-9"}\'\n'
    "heedful record --file acts.ndjson"
)
@click.argument("kind", required=False)
@click.option("--actor", help="The person.")
@click.option("--entity", metavar="KIND:ID", help="The object of the event.")
@click.option("--layout", help="The layout fingerprint of the document.")
@click.option("--before", metavar="JSON", help="State before.")
@click.option("--after", metavar="JSON", help="State after.")
@click.option("--meta", metavar="JSON", help="Other data.")
@click.option("--at", metavar="TIME", help="Time of the event, with time zone: 2026-01-05T09:00:00Z. [now]")
@click.option("--id", help="Your own id; recording it twice changes nothing.")
@click.option(
    "--file", type=click.Path(dir_okay=False, allow_dash=True), help="Events, one JSON object per line; - is stdin."
)
def record(terminal: Terminal, kind: str | None, file: str | None, **fields: str | None) -> None:
    """Record an event, or a file of events.

    A file is validated completely before anything is recorded.
    """
    if kind is None and file is None:
        raise InvalidInput("A kind or --file is required.", hint="Pass a kind, such as MAPPING_CONFIRMED, or --file.")
    if kind is not None and file is not None:
        raise InvalidInput("A kind cannot be combined with --file.", hint="Drop the kind or the file.")
    with terminal.loop() as loop:
        if file is not None:
            _record_file(terminal, loop, file)
            return
        event = loop.capture.event(**_act({"kind": kind} | {k: v for k, v in fields.items() if v is not None}))
        terminal.answer(document(event), DONE, f"recorded {event.kind} as {event.id} (number {event.seq:,})")


def _act(options: dict[str, Any]) -> dict[str, Any]:
    act = dict(options)
    for name in ("before", "after", "meta"):
        if name in act:
            act[name] = parse(act[name], f"--{name}")
    if "entity" in act:
        act["entity"] = Entity.of(act["entity"])
    return act


def _record_file(terminal: Terminal, loop: Loop, file: str) -> None:
    redacted = partial(operation_of(loop.capture.event).redacted, loop.store)
    draft = loop.capture.draft
    record_lines(terminal, file, "event", lambda line, _: draft(**redacted(lines.act(line))), loop.capture.events)


def item(line: bytes, *, hint: str, ignored: Collection[str] = ()) -> dict[str, Any]:
    document = parse(line, "the line")
    if not isinstance(document, dict):
        raise InvalidInput("The line is not a JSON object.", hint=hint)
    return {name: value for name, value in document.items() if value is not None and name not in ignored}


def record_lines(
    terminal: Terminal,
    file: str,
    noun: str,
    check: Callable[[bytes, int], object],
    record: Callable[[Iterator[bytes]], int],
) -> None:
    with _rereadable(file) as source, terminal.progress() as progress:
        total = sum(1 for _ in source)
        source.seek(0)
        refused: list[tuple[int, HeedfulError]] = []
        for number, line in progress.track(_numbered(source), total=total, description="checking"):
            try:
                check(line, number)
            except HeedfulError as error:
                refused.append((number, error))
        if refused:
            raise _refusal(refused)
        source.seek(0)
        try:
            count = record(line for _, line in progress.track(_numbered(source), total=total, description="recording"))
        except Conflict as error:
            raise Conflict(
                f"{error.message} Some lines before it may have been recorded.",
                hint="Fix that line and run it again: lines with an id are not recorded twice.",
            ) from None
    terminal.answer({"recorded": count}, DONE, f"recorded {counted(count, noun)}")


def _rereadable(file: str) -> IO[bytes]:
    """Opens a file that can be read twice; stdin is copied to a temporary file."""
    if file != "-":
        try:
            return Path(file).open("rb")
        except OSError as error:
            raise InvalidInput(f"{file} cannot be read: {error.strerror}.", hint="Check the path.") from None
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the caller
    shutil.copyfileobj(sys.stdin.buffer, copy)
    copy.seek(0)
    return copy


def _numbered(source: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    return ((number, line) for number, line in enumerate(source, 1) if line.strip())


def _refusal(refused: list[tuple[int, HeedfulError]]) -> InvalidInput:
    shown = "\n".join(f"  line {number:,}: {error}" for number, error in refused[:_REFUSALS_SHOWN])
    more = f"\n  and {len(refused) - _REFUSALS_SHOWN:,} more" if len(refused) > _REFUSALS_SHOWN else ""
    one = len(refused) == 1
    return InvalidInput(
        f"{counted(len(refused), 'line')} {'is' if one else 'are'} invalid; nothing was recorded:\n{shown}{more}\n",
        hint=f"Fix {'this line' if one else 'these lines'} and run it again.",
    )


@command("heedful events --kind MAPPING_CONFIRMED --since 7d\nheedful events --json --all > acts.ndjson")
@click.option("--kind", help="Only this kind.")
@click.option("--actor", help="Only by this person.")
@click.option("--entity", metavar="KIND:ID", help="Only about this.")
@click.option("--layout", help="Only with this layout fingerprint.")
@click.option("--since", metavar="TIME", help="Start time: 2026-01-05T09:00:00Z, or an age: 90m, 12h, 7d, 4w.")
@click.option("--until", metavar="TIME", help="End time, exclusive.")
@click.option("-n", "--limit", default=20, show_default=True, help="How many, newest first.")
@click.option("--all", "everything", is_flag=True, help="All events, oldest first.")
def events(
    terminal: Terminal, limit: int, everything: bool, since: str | None, until: str | None, **options: Any
) -> None:
    """List events, newest first.

    With --json, prints one object per line.
    """
    wanted = _act({name: value for name, value in options.items() if value is not None})
    with terminal.existing() as loop:
        found = loop.events(
            **wanted, since=since, until=until, newest_first=not everything, limit=None if everything else limit
        )
        if terminal.json:
            for event in found:
                terminal.line(document(event))
            return
        rows = [_columns(event) for event in found]
        if not rows:
            terminal.say(("No events match.", "dim"))
            return
        terminal.table(f"{loop.name}", ("number", "when", "kind", "actor", "about", "change"), rows)


def _columns(event: Event) -> tuple[str, ...]:
    about = f"{event.entity.kind}:{event.entity.id}" if event.entity else ""
    return f"{event.seq:,}", local_time(event.at), event.kind, event.actor or "", about, _change(event)


def _change(event: Event, width: int = 48) -> str:
    before, after = dict(event.before), dict(event.after)
    keys = [key for key in before | after if before.get(key) != after.get(key)]
    parts = [
        f"{key}: {before[key]} → {after[key]}" if key in before and key in after else f"{key}: {(before | after)[key]}"
        for key in keys
    ]
    text = ", ".join(parts)
    return text if len(text) <= width else f"{text[: width - 1].rpartition(' ')[0] or text[: width - 2]} …"

"""init, backup, restore, rebuild: the database as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heedful import loop
from heedful.edges.cli.terminal import DONE, Terminal, command, counted

if TYPE_CHECKING:
    from heedful.loop import Loop


@command("heedful init\nheedful --database postgresql://heedful@db.example.org/heedful init")
def init(terminal: Terminal) -> None:
    """Create the database or migrate it to this version."""
    with terminal.loop() as loop:
        database = loop.store.database
        version = database.schema_version()
        terminal.answer(
            {"database": database.describe(), "schema_version": version, "org": loop.name},
            DONE,
            f"{database.describe()} is ready (schema version {version}).\n"
            '  Record an event: heedful record MAPPING_CONFIRMED --actor you --after \'{"sku": "INT-9"}\'',
        )


@command("heedful backup ~/backups/heedful-monday.backup")
@click.argument("path", type=click.Path(path_type=Path))
def backup(terminal: Terminal, path: Path) -> None:
    """Write a backup of the whole database to a new file.

    Includes the secret of the installation. The database stays in use meanwhile.

    The backup is verified before it gets its name. Only you can read it (mode 0600): it contains everything.
    """
    with terminal.loop(migrate=False) as loop, _copying(terminal, "copying") as advance:
        made = loop.backup(path, progress=advance)
    words = f"{counted(made.events, 'event')} of {counted(made.organisations, 'organisation')}, {made.bytes >> 10:,} KB"
    terminal.answer(made, DONE, f"{made.path}: {words}; verified")


@command("heedful restore ~/backups/heedful-monday.backup\nheedful --database new.db restore --salvage damaged.db")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--salvage", is_flag=True, help="PATH is a damaged database: recover what is readable.")
def restore(terminal: Terminal, path: Path, salvage: bool) -> None:
    """Restore the database from a backup.

    Never overwrites an existing database.

    The backup is checked first: that it is complete, not from a newer version, and that its secret matches.
    """
    if salvage:
        _salvage(terminal, path)
        return
    with _copying(terminal, "restoring") as advance:
        found = loop.restore(path, terminal.database, progress=advance)
    words = f"{counted(found.events, 'event')} of {counted(found.organisations, 'organisation')} restored"
    terminal.answer(found, DONE, words)


def _salvage(terminal: Terminal, path: Path) -> None:
    with terminal.progress() as bar:
        task = bar.add_task("recovering", total=None)
        saved = loop.salvage(path, terminal.database, progress=lambda events: bar.advance(task, events))
    terminal.answer(saved, DONE, f"{counted(saved.events, 'event')} recovered to {saved.path}")
    if saved.lost and not terminal.json:
        terminal.say(("! ", "yellow"), f"{counted(saved.lost, 'event')} missing: erased earlier, or lost")


@contextmanager
def _copying(terminal: Terminal, what: str) -> Iterator[Callable[[int, int], None]]:
    with terminal.progress() as bar:
        task = bar.add_task(f"{what} (pages)", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@command("heedful rebuild\nheedful rebuild --all-orgs --projection activity")
@click.option("--projection", "projections", multiple=True, help="Only this projection; repeatable.")
@click.option("--all-orgs", is_flag=True, help="Rebuild every organisation.")
def rebuild(terminal: Terminal, projections: tuple[str, ...], all_orgs: bool) -> None:
    """Recompute all projections from the log.

    The old state stays in use until the new one is complete.
    """
    with terminal.existing() as loop:
        orgs = [loop.org(name) for name in loop.store.organisations()] if all_orgs else [loop]
        rebuilt = [{"org": org.name, **_rebuild(terminal, org, projections)} for org in orgs]
    if terminal.json:
        terminal.line(rebuilt)
        return
    for one in rebuilt:
        terminal.say(DONE, f"{one['org']}: {one['projections']} from {one['events']:,} events")


def _rebuild(terminal: Terminal, loop: Loop, projections: tuple[str, ...]) -> dict[str, object]:
    names = projections or tuple(loop.store.projections.known)
    head = loop.store.log.head()
    with terminal.progress() as bar:
        task = bar.add_task(f"rebuilding {loop.name}", total=head * len(names))
        done = loop.learn.rebuild(names, progress=lambda events: bar.advance(task, events))
    return {"projections": ", ".join(done), "events": head}

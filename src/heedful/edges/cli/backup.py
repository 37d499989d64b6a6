"""backup, restore: a copy of the database to fall back on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from heedful import loop
from heedful.edges.cli.session import DONE, Session, command, counted


@command("heedful backup ~/backups/heedful-monday.backup")
@click.argument("path", type=click.Path(path_type=Path))
def backup(session: Session, path: Path) -> None:
    """Write the whole database to one new file.

    With the installation's secret, and while others go on writing.

    The file is read again before it gets its name: what bears it is whole. It is yours alone (mode 0600); whoever
    can read it can read everything.
    """
    with session.loop(migrate=False) as loop, _copying(session, "copying") as told:
        made = loop.backup(path, progress=told)
    words = f"{counted(made.events, 'event')} of {counted(made.organisations, 'organisation')}, {made.bytes >> 10:,} KB"
    session.answer(asdict(made), DONE, f"{made.path}: {words}; read again, and sound")


@command("heedful restore ~/backups/heedful-monday.backup\nheedful --database new.db restore --salvage damaged.db")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--salvage", is_flag=True, help="PATH is a damaged database: take over what can still be read of it.")
def restore(session: Session, path: Path, salvage: bool) -> None:
    """Put a backup in the place of the database.

    With its secret. What is there already is never overwritten.

    The backup is checked first: that it is whole, not of a newer heedful, and that the secret fits.
    """
    if salvage:
        _salvage(session, path)
        return
    with _copying(session, "restoring") as told:
        found = loop.restore(path, session.database, progress=told)
    session.answer(
        asdict(found),
        DONE,
        f"{counted(found.events, 'event')} of {counted(found.organisations, 'organisation')} restored",
    )


def _salvage(session: Session, path: Path) -> None:
    with session.progress() as bar:
        task = bar.add_task("reading what can be read", total=None)
        saved = loop.salvage(path, session.database, progress=lambda events: bar.advance(task, events))
    session.answer(asdict(saved), DONE, f"{counted(saved.events, 'event')} saved in {saved.path}")
    if saved.lost and not session.json:
        session.say(("! ", "yellow"), f"{counted(saved.lost, 'place')} of the log hold none: erased before, or lost")


@contextmanager
def _copying(session: Session, what: str) -> Iterator[Callable[[int, int], None]]:
    with session.progress() as bar:
        task = bar.add_task(f"{what} (pages)", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)

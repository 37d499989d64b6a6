"""rebuild, doctor: keeping an installation well."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from heedful import __version__
from heedful.edges.cli.session import DONE, Part, Session, command
from heedful.errors import HeedfulError, Misconfigured
from heedful.records.health import CheckResult, failure, ok
from heedful.store.health import events, inspect

if TYPE_CHECKING:
    from heedful.loop import Loop

_SIGNS: dict[str, Part] = {"ok": DONE, "warning": ("! ", "yellow"), "failure": ("✗ ", "red")}


@command("heedful rebuild\nheedful rebuild --all-orgs --projection activity")
@click.option("--projection", "projections", multiple=True, help="Only this one; may be given several times.")
@click.option("--all-orgs", is_flag=True, help="For every organisation in the database.")
def rebuild(session: Session, projections: tuple[str, ...], all_orgs: bool) -> None:
    """Derive everything anew from the log.

    The old state stays in use until the new one is complete.
    """
    with session.existing() as loop:
        orgs = [loop.org(name) for name in loop.store.organisations()] if all_orgs else [loop]
        rebuilt = [{"org": org.name, **_rebuild(session, org, projections)} for org in orgs]
    if session.json:
        session.line(rebuilt)
        return
    for one in rebuilt:
        session.say(DONE, f"{one['org']}: {one['projections']} from {one['events']:,} events")


def _rebuild(session: Session, loop: Loop, projections: tuple[str, ...]) -> dict[str, object]:
    names = projections or tuple(loop.store.projections.known)
    head = loop.store.log.head()
    with session.progress() as bar:
        task = bar.add_task(f"rebuilding {loop.name}", total=head * len(names))
        done = loop.learn.rebuild(names, progress=lambda events: bar.advance(task, events))
    return {"projections": ", ".join(done), "events": head}


@command("heedful doctor\nheedful doctor --quick")
@click.option("--quick", is_flag=True, help="Do not read the whole database, and ask no model.")
def doctor(session: Session, quick: bool) -> None:
    """Check this installation, and say what to do.

    It looks at the database, permissions, schema, queue, disk and models. Every event is read and compared
    with its checksum, and what was derived with what the log gives.

    \b
    Exit codes: 0 well, perhaps with warnings · 1 something is broken
    """
    findings = [*_installation(), *_store(session, quick=quick)]
    if session.json:
        session.line([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            session.say(_SIGNS[finding.status], f"{finding.check:<14} {finding.says}")
            if finding.advice:
                session.say((f"  {'':<14} {finding.advice}", "dim"))
    if any(finding.status == "failure" for finding in findings):
        raise click.exceptions.Exit(1)


def _installation() -> list[CheckResult]:
    return [
        ok("heedful", f"{__version__} on Python {platform.python_version()}"),
        ok("postgresql", f"driver {_installed('psycopg', 'postgres')}"),
        ok("server", _installed("starlette", "server")),
    ]


def _installed(module: str, extra: str) -> str:
    return "installed" if find_spec(module) else f"not installed (pip install 'heedful[{extra}]')"


def _store(session: Session, *, quick: bool) -> Iterator[CheckResult]:
    """As far as it goes: what was found before the database gave up is told as well."""

    try:
        with session.loop(migrate=False) as loop, session.progress() as bar:
            task = bar.add_task("reading all events", total=None if quick else events(loop.store))
            yield from inspect(loop.store, quick=quick, progress=lambda read: bar.advance(task, read))
            yield from () if quick else loop.inspect_models()
    except Misconfigured as error:
        yield failure("settings", error.message, error.hint)
    except HeedfulError as error:
        yield failure("database", error.message, error.hint)

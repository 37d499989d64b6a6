"""doctor: check the installation."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.util import find_spec

import click

from heedful import __version__
from heedful.edges.cli.terminal import DONE, Part, Terminal, command
from heedful.errors import HeedfulError, Misconfigured
from heedful.records.health import CheckResult, failure, ok
from heedful.store.health import events, inspect

_SIGNS: dict[str, Part] = {"ok": DONE, "warning": ("! ", "yellow"), "failure": ("✗ ", "red")}


@command("heedful doctor\nheedful doctor --quick")
@click.option("--quick", is_flag=True, help="Do not read every event, and call no model.")
def doctor(terminal: Terminal, quick: bool) -> None:
    """Check the installation and suggest fixes.

    Checks database, permissions, schema, queue, disk and models; verifies the checksum of every event,
    and compares every projection with the log.

    \b
    Exit codes: 0 no failures, perhaps warnings · 1 failures
    """
    findings = [*_installation(), *_store(terminal, quick=quick)]
    if terminal.json:
        terminal.line(findings)
    else:
        for finding in findings:
            terminal.say(_SIGNS[finding.status], f"{finding.check:<14} {finding.says}")
            if finding.advice:
                terminal.say((f"  {'':<14} {finding.advice}", "dim"))
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


def _store(terminal: Terminal, *, quick: bool) -> Iterator[CheckResult]:
    """Yields findings until the database fails, and then that failure."""

    try:
        with terminal.loop(migrate=False) as loop, terminal.progress() as bar:
            task = bar.add_task("reading all events", total=None if quick else events(loop.store))
            yield from inspect(loop.store, quick=quick, progress=lambda read: bar.advance(task, read))
            yield from () if quick else loop.inspect_models()
    except Misconfigured as error:
        yield failure("settings", error.message, error.hint)
    except HeedfulError as error:
        yield failure("database", error.message, error.hint)

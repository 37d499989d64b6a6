"""The command line: `heedful`. Each command is a thin skin over the loop."""

from __future__ import annotations

from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from heedful import __version__
from heedful.edges.cli.session import Session
from heedful.errors import HeedfulError, InvalidInput, Misconfigured, NotFound, StoreError

_COMMANDS = {
    "init": "log",
    "record": "log",
    "events": "log",
    "mine": "mining",
    "corrections": "corrections",
    "learnings": "learnings",
    "conversations": "conversations",
    "proposals": "proposals",
    "detect": "turn",
    "improve": "turn",
    "hook": "hook",
    "fix": "suggestions",
    "context": "suggestions",
    "stats": "suggestions",
    "export": "keeping",
    "import": "keeping",
    "clear": "keeping",
    "privacy": "keeping",
    "jobs": "queue",
    "work": "queue",
    "rebuild": "upkeep",
    "doctor": "upkeep",
    "serve": "serve",
    "mcp": "serve",
    "keys": "access",
    "orgs": "access",
    "webhooks": "access",
    "demo": "demo",
}

_EXIT_CODES: tuple[tuple[type[HeedfulError], int], ...] = (
    (InvalidInput, 2),
    (Misconfigured, 2),
    (NotFound, 4),
    (StoreError, 3),
)


class _Commands(click.Group):
    """Loads the module of a command when it is called, so that `heedful --version` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        function = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command = getattr(import_module(f"heedful.edges.cli.{_COMMANDS[cmd_name]}"), function)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HeedfulError as error:
            ctx.ensure_object(Session).show_error(error)
            ctx.exit(next((code for kind, code in _EXIT_CODES if isinstance(error, kind)), 1))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="heedful %(version)s")
@click.option("--database", metavar="PATH|URL", help="A SQLite file or a postgresql:// address. [HEEDFUL_DATABASE]")
@click.option("--org", metavar="NAME", help="The organisation to speak for. [HEEDFUL_ORG, or default]")
@click.pass_context
def main(ctx: click.Context, database: str | None, org: str | None) -> None:
    """Correct it once: heedful remembers what people corrected, and learns from it.

    \b
    Exit codes: 0 done · 1 something failed · 2 wrong input · 3 the database did not answer · 4 not found
    """
    ctx.obj = Session(database=database, org=org)

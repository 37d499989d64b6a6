"""The command line: `heedful`. Each command is a thin layer over the library."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import click

from heedful import __version__, errors
from heedful.edges.cli.commands import LazyCommandGroup
from heedful.edges.cli.terminal import UNANSWERED, Terminal

_SECTIONS = {
    "Start": ("init", "demo", "doctor"),
    "Record": ("record", "events", "fix", "mine", "consume", "hook"),
    "Review": ("review", "proposals", "reviews", "rules", "corrections", "learnings", "why", "conversations", "stats"),
    "Documents": ("documents", "mappings", "layouts"),
    "Apply": ("context", "outcome", "improve", "detect"),
    "Measure": ("repeats", "lift"),
    "Keep and share": ("privacy", "clear", "forget", "export", "import", "backup", "restore", "rebuild", "mirror"),
    "Serve": ("serve", "mcp", "work", "jobs", "keys", "webhooks", "orgs"),
}
_MODULES = {
    **dict.fromkeys(("init", "backup", "restore", "rebuild"), "database"),
    **dict.fromkeys(("fix", "stats"), "suggestions"),
    **dict.fromkeys(("export", "import"), "sharing"),
    **{"record": "events", "clear": "privacy", "mcp": "serve", "work": "jobs"},
}
"""The modules of commands that are not called as their module is."""

_EXIT_CODES: tuple[tuple[type[errors.HeedfulError], int], ...] = (
    (errors.InvalidInput, 2),
    (errors.Misconfigured, 2),
    (errors.NotFound, 4),
    (errors.StoreError, 3),
    (errors.ProviderError, UNANSWERED),
)


class _Heedful(LazyCommandGroup):
    listed = _SECTIONS
    modules = _MODULES

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except errors.HeedfulError as error:
            _end(ctx, error)
        except (click.exceptions.Exit, click.exceptions.Abort, click.ClickException, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - the outer edge: the message may quote user data
            _end(ctx, _unexpected(ctx.ensure_object(Terminal), error))


def _end(ctx: click.Context, error: errors.HeedfulError) -> None:
    ctx.ensure_object(Terminal).show_error(error)
    ctx.exit(next((code for kind, code in _EXIT_CODES if isinstance(error, kind)), 1))


def _unexpected(terminal: Terminal, error: Exception) -> errors.HeedfulError:
    """A damaged database or a bug: names the line of code, and never the message of the exception."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
    if terminal.is_damaged():
        from heedful.store.damage import WHAT_TO_DO  # noqa: PLC0415

        return errors.StoreDamaged(f"The database is damaged ({what}).", hint=WHAT_TO_DO)
    return errors.Internal(
        f"Internal error: {what}.", hint="Run `heedful doctor`. If it finds nothing, please report this line."
    )


@click.group(cls=_Heedful, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="heedful %(version)s")
@click.option("--database", metavar="PATH|URL", help="A SQLite file or a postgresql:// URL. [HEEDFUL_DATABASE]")
@click.option("--org", metavar="NAME", help="The organisation. [HEEDFUL_ORG, or default]")
@click.pass_context
def main(ctx: click.Context, database: str | None, org: str | None) -> None:
    """Correct it once: heedful remembers what people corrected.

    Every command has --help with an example, and --json for scripts.

    \b
    Exit codes: 0 success, 1 failure, 2 invalid input,
    3 database unavailable or damaged, 4 not found,
    5 language model or embedder unavailable
    """
    ctx.obj = Terminal(database=database, org=org)

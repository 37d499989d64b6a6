"""mine without a path: shows the conversations on this machine, and asks before they are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from heedful.edges.cli.terminal import Terminal, counted
from heedful.errors import InvalidInput

if TYPE_CHECKING:
    from heedful.capture.conversations.transcripts.places import Place

REFUSED = 2
"""Exit code: nobody was there to ask."""
_UNIT = 1024


def usual_paths(terminal: Terminal, *, yes: bool) -> tuple[Path, ...]:
    """The paths that the person wants to be read; ends the command if they want none, or cannot be asked."""
    places = _usual_places()
    if not places:
        raise InvalidInput(
            "No conversations were found in ~/.claude/projects, ~/.codex/sessions and the folders of other tools.",
            hint="Pass a file or a folder: heedful mine ~/Downloads/conversations.json",
        )
    if not terminal.json:
        _show(terminal, places)
    if not yes:
        _ask(terminal, places)
    return tuple(path for place in places for path in place.paths)


def is_interactive(terminal: Terminal) -> bool:
    """Whether a person sits there who can answer."""
    return not terminal.json and terminal.console.is_terminal and sys.stdin.isatty()


def _ask(terminal: Terminal, places: list[Place]) -> None:
    if terminal.json:
        terminal.line({"places": [_document(place) for place in places], "hint": "heedful mine --yes"})
        raise click.exceptions.Exit(REFUSED)
    if not is_interactive(terminal):
        terminal.say(("! ", "yellow"), "Nothing was read. Read all of them: heedful mine --yes", to=terminal.notices)
        terminal.say(("  Read one:          heedful mine PATH", "dim"), to=terminal.notices)
        raise click.exceptions.Exit(REFUSED)
    if not click.confirm("Read them?", default=True):
        terminal.say(("Nothing was read. Read one of them: heedful mine PATH", "dim"))
        raise click.exceptions.Exit(0)


def _usual_places() -> list[Place]:
    from heedful.capture.conversations.transcripts.places import System, usual_places  # noqa: PLC0415

    return usual_places(System(sys.platform, Path.home(), Path.cwd(), os.environ))


def _show(terminal: Terminal, places: list[Place]) -> None:
    rows = [(place.tool, counted(place.files, "file"), _size(place.size), _shown(place.folder)) for place in places]
    terminal.table("", ("tool", "files", "size", "place"), rows)


def _document(place: Place) -> dict[str, object]:
    return {"tool": place.tool, "path": str(place.folder), "files": place.files, "bytes": place.size}


def _shown(path: Path) -> str:
    """Short: ~ for the home folder, and nothing for the current one."""
    here, home = Path.cwd(), Path.home()
    for folder, name in ((here, "") if here != home else (home, "~/"), (home, "~/")):
        if path.is_relative_to(folder):
            return f"{name}{path.relative_to(folder).as_posix()}"
    return str(path)


def _size(size: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size < _UNIT:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= _UNIT
    return f"{size:,.1f} GB"

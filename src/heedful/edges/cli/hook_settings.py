"""The hook settings of coding agents: built, merged into a file that may have other hooks, and removed from it.

As documented: Claude Code takes hooks from settings.json, Codex from hooks.json, both in groups with a matcher; Gemini
CLI from settings.json, with timeouts in milliseconds; Cursor from hooks.json, without groups and with a version.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from shlex import quote, split
from shutil import which
from typing import Any, NamedTuple

import orjson

from heedful.edges.cli import text_file
from heedful.errors import InvalidInput
from heedful.records.json import indented

_SECONDS = 10  # the hook itself gives up sooner
_OWN = "heedful"
_HINT = "Fix it first, or paste the output of `heedful hook --install TOOL --print`."

Settings = Mapping[str, Any]


class Person(NamedTuple):
    """Who types, and for whom their corrections are."""

    actor: str | None = None
    audience: str | None = None


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """Where a tool has its hooks, and how they are written there."""

    tool: str
    program: str
    folder: str
    name: str
    """Of the file in the folder: of the project, or of the user's home."""
    events: Mapping[str, str | None]
    """The events, with the tools that they are for; None for every one."""
    next_step: str
    timeout: int = _SECONDS
    timeouts: Mapping[str, int] = field(default_factory=dict)
    """Of events that have another one."""
    beside: Settings = field(default_factory=dict)
    """What a new file needs besides hooks."""
    grouped: bool = True
    """Whether each event has groups of hooks with a matcher, or hooks alone."""

    def file(self, *, project: bool) -> Path:
        return (Path() if project else Path.home()) / self.folder / self.name

    def is_here(self, *, project: bool) -> bool:
        """Whether this machine, or this project, has the tool."""
        places = [Path.home(), Path()] if project else [Path.home()]
        return which(self.program) is not None or any((place / self.folder).is_dir() for place in places)

    def merged(self, settings: Settings, command: str) -> dict[str, Any]:
        """With our hook for every event, once; those of others stay."""
        hooks = dict(_part(settings.get("hooks", {}), dict, "hooks"))
        for event, matcher in self.events.items():
            hooks[event] = self._with(event, hooks.get(event, []), self._entry(event, matcher, command))
        return {**self.beside, **settings, "hooks": hooks}

    def without(self, settings: Settings) -> dict[str, Any]:
        """Without our hooks; what only held them is removed too."""
        hooks = _part(settings.get("hooks", {}), dict, "hooks")
        left = {event: self._others(event, entries) for event, entries in hooks.items()}
        kept = {event: entries for event, entries in left.items() if entries or not hooks[event]}
        rest = {name: value for name, value in settings.items() if name != "hooks"}
        return {**rest, "hooks": kept} if kept or settings.get("hooks") == {} else rest

    def _entry(self, event: str, matcher: str | None, command: str) -> dict[str, Any]:
        call = {"command": command, "timeout": self.timeouts.get(event, self.timeout)}
        where = {} if matcher is None else {"matcher": matcher}
        return {**where, "hooks": [{"type": "command", **call}]} if self.grouped else {**call, **where}

    def _with(self, event: str, entries: object, own: dict[str, Any]) -> list[Any]:
        """Ours takes the place of an older one of ours, if that stands alone."""
        before = _part(entries, list, f"hooks.{event}")
        others = self._others(event, before)
        at = next((number for number, entry in enumerate(before) if self._is_ours(entry)), len(others))
        return [*others[:at], own, *others[at:]]

    def _others(self, event: str, entries: object) -> list[Any]:
        found = []
        for entry in _part(entries, list, f"hooks.{event}"):
            group = _part(entry, dict, f"hooks.{event}")
            if not self.grouped:
                found += [] if _ours(group) else [group]
                continue
            calls = _part(group.get("hooks", []), list, f"hooks.{event}.hooks")
            left = [call for call in calls if not _ours(call)]
            if left or not calls:
                found.append({**group, "hooks": left} if calls else group)
        return found

    def _is_ours(self, entry: Mapping[str, Any]) -> bool:
        calls = entry.get("hooks", []) if self.grouped else [entry]
        return bool(calls) and all(map(_ours, calls))


TOOLS = {
    one.tool: one
    for one in (
        ToolSettings(
            "claude-code",
            program="claude",
            folder=".claude",
            name="settings.json",
            events={
                "SessionStart": None,
                "UserPromptSubmit": None,
                "PreToolUse": "Bash|PowerShell|Write|Edit|NotebookEdit",
                "Stop": None,
                "SessionEnd": None,
            },
            next_step="New sessions of Claude Code use it; /hooks shows it.",
        ),
        ToolSettings(
            "codex",
            program="codex",
            folder=".codex",
            name="hooks.json",
            events={
                "SessionStart": None,
                "UserPromptSubmit": None,
                "PreToolUse": "Bash|apply_patch|Edit|Write",
                "Stop": None,
                "SessionEnd": None,  # since 0.145
            },
            timeouts={"SessionEnd": 3},  # of more, Codex warns with every start
            next_step="Codex asks you to trust it: start it, and review it with /hooks.",
        ),
        ToolSettings(
            "gemini",
            program="gemini",
            folder=".gemini",
            name="settings.json",
            events={
                "SessionStart": None,
                "BeforeAgent": None,
                "AfterTool": "run_shell_command|write_file|replace",
                "AfterAgent": None,
                "SessionEnd": None,
            },
            timeout=_SECONDS * 1_000,
            next_step="New sessions of Gemini CLI use it; /hooks shows it.",
        ),
        ToolSettings(
            "cursor",
            program="cursor-agent",
            folder=".cursor",
            name="hooks.json",
            events=dict.fromkeys(
                ("sessionStart", "beforeSubmitPrompt", "postToolUse", "afterAgentResponse", "stop", "sessionEnd")
            ),
            beside={"version": 1},
            grouped=False,
            next_step="Cursor reads the file when it is saved; Settings > Hooks shows it.",
        ),
    )
}


def command_line(database: str | None, org: str | None, person: Person) -> str:
    """The command to call, with an absolute path: the working directory of the agent varies."""
    place = database if database is None or "://" in database else str(Path(database).expanduser().absolute())
    options = (("--database", place), ("--org", org), ("--actor", person.actor), ("--audience", person.audience))
    written = [word for name, value in options if value is not None for word in (name, value)]
    return " ".join(map(_quoted, (*_program(), "hook", *written)))


def _program() -> list[str]:
    """Its name, if that calls what runs now; else the whole path: the agent would not find it, or find another."""
    running = Path(sys.argv[0]).absolute()
    if running.parts[-2:] == (_OWN, "__main__.py"):
        return [sys.executable, "-m", _OWN]
    found = which(_OWN)
    if running.stem != _OWN or (found is not None and Path(found).resolve() == running.resolve()):
        return [_OWN]
    return [str(running)]


def _quoted(word: str) -> str:
    """As a shell takes it; of those on Windows, none knows single quotes."""
    return quote(word) if os.name != "nt" else f'"{word}"' if " " in word else word


def write(file: Path, change: Callable[[Settings], Settings]) -> bool:
    """Changes a file atomically; returns whether it changed."""
    before = _read(file)
    after = change(before or {})
    if after == (before or {}):
        return False
    text_file.replace(file, indented(dict(after)))
    return True


def _read(file: Path) -> dict[str, Any] | None:
    content = text_file.read(file)
    if not content.strip():
        return None
    try:
        settings = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"{file} is not valid JSON: {error}. It was not changed.", hint=_HINT) from None
    return dict(_part(settings, dict, "the file"))


def _ours(call: object) -> bool:
    """A command of ours: by its name, by its path, or by its module."""
    command = call.get("command") if isinstance(call, dict) else None
    try:
        words = split(command, posix=False) if isinstance(command, str) else []
    except ValueError:  # a quotation that does not end
        return False
    called = [word.strip("\"'") for word in words]
    if called[1:2] == ["-m"]:
        return called[2:4] == [_OWN, "hook"]
    return called[1:2] == ["hook"] and PureWindowsPath(called[0]).name.removesuffix(".exe") == _OWN


def _part(value: object, kind: type, name: str) -> Any:
    if not isinstance(value, kind):
        raise InvalidInput(f"{name} has an unexpected type. Nothing was changed.", hint=_HINT)
    return value

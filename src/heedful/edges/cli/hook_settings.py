"""The hook settings of Claude Code: built, and merged into a file that may have other hooks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import orjson

from heedful.edges.cli import text_file
from heedful.errors import InvalidInput
from heedful.records.json import indented

EVENT = "UserPromptSubmit"
_TIMEOUT = 10  # seconds; the hook itself gives up sooner
_OWN = "heedful"


class Person(NamedTuple):
    """Who types, and for whom their corrections are."""

    actor: str | None = None
    audience: str | None = None


def command_line(database: str | None, org: str | None, person: Person) -> str:
    """The command to call, with an absolute path: the working directory of the agent varies."""
    place = database if database is None or "://" in database else str(Path(database).expanduser().absolute())
    options = (("--database", place), ("--org", org), ("--actor", person.actor), ("--audience", person.audience))
    written = [f"{name} {quote(value)}" for name, value in options if value is not None]
    return " ".join((_OWN, "hook", *written))


def merged(settings: Mapping[str, Any], command: str) -> dict[str, Any]:
    hooks = _part(settings.get("hooks", {}), dict, "hooks")
    groups = _part(hooks.get(EVENT, []), list, f"hooks.{EVENT}")
    own = {"type": "command", "command": command, "timeout": _TIMEOUT}
    kept, known = [], False
    for group in groups:
        calls = _part(_part(group, dict, f"hooks.{EVENT}").get("hooks", []), list, f"hooks.{EVENT}.hooks")
        new = []
        for call in calls:
            if not _ours(call):
                new.append(call)
            elif not known:
                new.append(own)
                known = True
        if new or not calls:
            kept.append({**group, "hooks": new} if calls else group)
    return {**settings, "hooks": {**hooks, EVENT: kept if known else [*kept, {"hooks": [own]}]}}


def write(file: Path, command: str) -> bool:
    """Merges the hook into a file atomically; returns whether the file changed."""
    before = _read(file)
    after = merged(before or {}, command)
    if after == before:
        return False
    text_file.replace(file, indented(after))
    return True


def _read(file: Path) -> dict[str, Any] | None:
    content = text_file.read(file)
    if not content.strip():
        return None
    try:
        settings = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(
            f"{file} is not valid JSON: {error}. It was not changed.",
            hint="Fix it first, or paste the output of `heedful hook --install`.",
        ) from None
    return dict(_part(settings, dict, "the file"))


def _ours(call: object) -> bool:
    command = call.get("command") if isinstance(call, dict) else None
    return isinstance(command, str) and (command == f"{_OWN} hook" or command.startswith(f"{_OWN} hook "))


def _part(value: object, kind: type, name: str) -> Any:
    if not isinstance(value, kind):
        raise InvalidInput(
            f"{name} has an unexpected type. Nothing was changed.",
            hint="Fix it first, or paste the output of `heedful hook --install`.",
        )
    return value

"""Where the AI tools on this machine keep their conversations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import NamedTuple

TITLES = {
    "aider": "aider", "chatgpt": "ChatGPT", "claude-ai": "Claude.ai", "claude-code": "Claude Code", "cline": "Cline",
    "codex": "Codex", "continue": "Continue", "copilot-chat": "Copilot Chat", "copilot-cli": "Copilot CLI",
    "cursor": "Cursor", "droid": "Droid", "gemini": "Gemini", "goose": "goose", "kilo-code": "Kilo Code",
    "kimi": "Kimi", "messages": "messages", "opencode": "OpenCode", "pi": "pi", "qwen-code": "Qwen Code",
    "roo-code": "Roo Code", "sessions": "sessions", "specstory": "SpecStory",
}  # fmt: skip
"""What people call the tools, by the names of their readers."""

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Antigravity")
_SERVERS = (".vscode-server", ".cursor-server", ".windsurf-server")
_EXTENSIONS = {
    "cline": "saoudrizwan.claude-dev",
    "roo-code": "rooveterinaryinc.roo-cline",
    "kilo-code": "kilocode.kilo-code",
}
_TASK = ("api_conversation_history.json", "ui_messages.json")
_INSTEAD = {"context.jsonl": "wire.jsonl", "ui_messages.json": "api_conversation_history.json"}
"""Files that are read only where the other one is missing."""
_AIDER = ".aider.chat.history.md"
_DEPTH = 4  # folders below the current one
_FOLDERS = 5_000
_LEFT_OUT = frozenset({"node_modules", "__pycache__", "venv", "dist", "build", "target", "vendor"})


class Place(NamedTuple):
    tool: str
    """What people call it."""
    folder: Path
    paths: tuple[Path, ...]
    """The files and folders to read."""
    files: int
    size: int
    """Bytes."""


class System(NamedTuple):
    """The machine, as far as it decides where files lie."""

    platform: str
    """As `sys.platform`."""
    home: Path
    here: Path
    environ: Mapping[str, str]

    def folder(self, variable: str, otherwise: str) -> Path:
        found = self.environ.get(variable)
        return Path(found) if found else self.home / otherwise

    def settings(self) -> Path:
        """Where applications keep their settings."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.folder("APPDATA", "AppData/Roaming")
        return self.folder("XDG_CONFIG_HOME", ".config")


def title(reader: str) -> str:
    """What people call the tool of a reader. A tool can have several: `kimi`, `kimi-context`."""
    while reader not in TITLES and "-" in reader:
        reader = reader.rpartition("-")[0]
    return TITLES.get(reader, reader)


def usual_places(system: System) -> list[Place]:
    """The places that exist and hold something, in the order of the tools' names."""
    found = (_place(*one) for one in (*_own_folders(system), *_in_editors(system), *_in_projects(system)))
    kept = {place.paths: place for place in found if place.files}
    return sorted(kept.values(), key=lambda place: (place.tool.lower(), place.folder))


_Candidate = tuple[str, Path, tuple[Path, ...], tuple[str, ...]]
"""Tool, folder, what to read of it, and the names of its transcripts."""


def _own_folders(system: System) -> Iterator[_Candidate]:
    home = system.home
    data = system.folder("XDG_DATA_HOME", ".local/share")
    lines, objects, both = ("*.jsonl",), ("*.json",), ("*.json", "*.jsonl")
    codex = system.folder("CODEX_HOME", ".codex")
    for tool, folder, names in (
        ("claude-code", system.folder("CLAUDE_CONFIG_DIR", ".claude") / "projects", lines),
        ("codex", codex / "sessions", lines),
        ("codex", codex / "archived_sessions", lines),
        ("gemini", home / ".gemini" / "tmp", both),
        ("qwen-code", home / ".qwen" / "projects", lines),
        ("qwen-code", home / ".qwen" / "tmp", both),
        ("cursor", home / ".cursor" / "projects", lines),
        ("copilot-cli", home / ".copilot" / "session-state", lines),
        ("droid", home / ".factory" / "sessions", lines),
        ("kimi", system.folder("KIMI_SHARE_DIR", ".kimi") / "sessions", ("wire.jsonl", "context.jsonl")),
        ("pi", home / ".pi" / "agent" / "sessions", lines),
        ("continue", home / ".continue" / "sessions", objects),
        ("cline", home / ".cline" / "data" / "tasks", _TASK),
        ("cline", home / ".cline" / "data" / "sessions", ("*.messages.json",)),
        ("opencode", data / "opencode" / "storage", ("ses_*.json", "msg_*.json", "prt_*.json")),
        ("goose", data / "goose" / "sessions", (*lines, "*.db")),
        ("goose", system.settings() / "Block" / "goose" / "data" / "sessions", (*lines, "*.db")),
    ):
        yield tool, folder, (folder,), names
    databases = tuple(sorted((data / "opencode").glob("opencode*.db")))
    yield "opencode", data / "opencode", databases, ("*.db",)


def _in_editors(system: System) -> Iterator[_Candidate]:
    """VS Code and its kin, here and on machines that are worked on from elsewhere."""
    users = [system.settings() / editor / "User" for editor in _EDITORS]
    users += [system.home / server / "data" / "User" for server in _SERVERS]
    for user in users:
        for tool, extension in _EXTENSIONS.items():
            tasks = user / "globalStorage" / extension / "tasks"
            yield tool, tasks, (tasks,), _TASK
        chats = (*user.glob("workspaceStorage/*/chatSessions"), user / "globalStorage" / "emptyWindowChatSessions")
        yield (
            "copilot-chat",
            user / "workspaceStorage",
            tuple(sorted(folder for folder in chats if folder.is_dir())),
            ("*.json", "*.jsonl"),
        )


def _in_projects(system: System) -> Iterator[_Candidate]:
    """Tools that write into the folder of the project: there, and some levels below."""
    alone = system.home / _AIDER
    yield "aider", alone, (alone,), (_AIDER,)
    for folder, folders, files in _walk(system.here):
        if _AIDER in files:
            yield "aider", folder / _AIDER, (folder / _AIDER,), (_AIDER,)
        if ".specstory" in folders:
            history = folder / ".specstory" / "history"
            yield "specstory", history, (history,), ("*.md",)


def _walk(here: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    for name, folders, files in islice(os.walk(here), _FOLDERS):
        folder = Path(name)
        yield folder, list(folders), files
        deep = len(folder.relative_to(here).parts) >= _DEPTH
        folders[:] = [] if deep else sorted(f for f in folders if f not in _LEFT_OUT and not f.startswith("."))


def _place(tool: str, folder: Path, paths: tuple[Path, ...], names: tuple[str, ...]) -> Place:
    sizes = [size for path in paths for size in _sizes(path, names)]
    return Place(TITLES[tool], folder, paths, len(sizes), sum(sizes))


def _sizes(path: Path, names: tuple[str, ...]) -> Iterator[int]:
    files: Iterable[Path] = (
        Path(place, name) for place, _, found in os.walk(path) for name in found if _INSTEAD.get(name) not in found
    )
    for file in (path,) if path.is_file() else files:
        if any(fnmatch(file.name, name) for name in names):
            try:
                yield file.stat().st_size
            except OSError:  # it went away, or leads nowhere
                continue

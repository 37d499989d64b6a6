"""Where tools keep their conversations, on each system."""

from __future__ import annotations

from pathlib import Path

import pytest

from heedful.capture.conversations.transcripts import readers
from heedful.capture.conversations.transcripts.places import TITLES, Place, System, title, usual_places


def _write(home: Path, *names: str) -> None:
    for name in names:
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}\n")


def _found(places: list[Place], home: Path) -> list[tuple[str, str, int]]:
    return [(place.tool, place.folder.relative_to(home).as_posix(), place.files) for place in places]


@pytest.mark.parametrize(
    ("platform", "settings"),
    [("linux", ".config"), ("darwin", "Library/Application Support"), ("win32", "AppData/Roaming")],
)
def test_the_folders_of_every_system_are_known(tmp_path: Path, platform: str, settings: str) -> None:
    tasks = f"{settings}/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks"
    chats = f"{settings}/Code - Insiders/User/workspaceStorage"
    _write(
        tmp_path,
        ".claude/projects/a/1.jsonl",
        ".claude/projects/a/notes.txt",
        ".copilot/session-state/s/events.jsonl",
        ".local/share/opencode/opencode.db",
        f"{tasks}/1/api_conversation_history.json",
        f"{tasks}/1/ui_messages.json",
        f"{chats}/a/chatSessions/1.json",
        f"{chats}/b/chatSessions/2.jsonl",
        f"{chats}/b/state.json",
    )
    here = tmp_path / "work"
    here.mkdir()
    places = usual_places(System(platform, tmp_path, here, {}))
    assert _found(places, tmp_path) == [
        ("Claude Code", ".claude/projects", 1),
        ("Copilot Chat", chats, 2),
        ("Copilot CLI", ".copilot/session-state", 1),
        ("OpenCode", ".local/share/opencode", 1),
        ("Roo Code", tasks, 1),
    ]
    chat = next(place for place in places if place.tool == "Copilot Chat")
    assert [path.relative_to(tmp_path / chats).as_posix() for path in chat.paths] == [
        "a/chatSessions",
        "b/chatSessions",
    ]


def test_what_a_variable_says_counts_more(tmp_path: Path) -> None:
    _write(tmp_path, "elsewhere/sessions/1.jsonl", ".codex/sessions/2.jsonl")
    system = System("linux", tmp_path, tmp_path, {"CODEX_HOME": str(tmp_path / "elsewhere")})
    assert _found(usual_places(system), tmp_path) == [("Codex", "elsewhere/sessions", 1)]


def test_the_current_folder_is_searched_some_levels_deep(tmp_path: Path) -> None:
    name = ".aider.chat.history.md"
    _write(
        tmp_path,
        name,
        f"a/b/c/{name}",
        f"a/b/c/d/e/{name}",
        f"node_modules/x/{name}",
        f".hidden/{name}",
        "a/.specstory/history/1.md",
    )
    places = usual_places(System("linux", tmp_path / "nobody", tmp_path, {}))
    assert _found(places, tmp_path) == [
        ("aider", name, 1),
        ("aider", f"a/b/c/{name}", 1),
        ("SpecStory", "a/.specstory/history", 1),
    ]


def test_every_reader_has_a_title() -> None:
    assert {title(reader.name) for reader in readers()} <= set(TITLES.values())
    assert title("something-else") == "something"


def test_a_session_in_two_files_counts_once_and_in_either_one_it_is_found(tmp_path: Path) -> None:
    sessions, tasks = ".kimi/sessions", ".cline/data/tasks"
    _write(tmp_path, f"{sessions}/a/1/context.jsonl", f"{tasks}/1/ui_messages.json")
    system = System("linux", tmp_path, tmp_path, {})
    assert _found(usual_places(system), tmp_path) == [("Cline", tasks, 1), ("Kimi", sessions, 1)]

    _write(tmp_path, f"{sessions}/a/1/wire.jsonl", f"{tasks}/1/api_conversation_history.json")
    assert _found(usual_places(system), tmp_path) == [("Cline", tasks, 1), ("Kimi", sessions, 1)]

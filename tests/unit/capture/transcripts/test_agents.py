"""The transcripts of coding agents: what people typed is theirs, and nothing else is."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from heedful.capture.conversations.transcripts import DamagedRecord, TranscriptMessage, files
from heedful.records.transcript import Speaker, ToolCall
from tests.unit.capture.transcripts.reading import ALL, FIXTURES, by, fixture, spoken, whole

PEOPLE = {
    "aider/bakery/.*.md": [
        "Bake the rolls at 220 degrees:\n\n- with steam",
        "why is the timer in minutes?",
        "!",
        "Use seconds for every timer, never minutes.",
        "Add a bell.",
    ],
    "cline/globalStorage/saoud*/tasks/*/api*.json": [
        "Make 'lamp.ts' turn slower.",
        "We run the tests with pnpm, never npm.",
        "!",
        "Keep the speed in one constant.",
        "!Not in lamp.ts, in config.ts.",
        "Round the speed to whole turns.",
        "Never round down.",
    ],
    "cline/globalStorage/roo*/tasks/*/api*.json": [
        "Sort the shells by size.",
        "!Sort them in the database.",
        "Descending.",
    ],
    "cline/tasks/*/ui_messages.json": ["Paint the buoy.", "Orange, from the palette.", "!"],
    "cline/data/sessions/*/*.json": ["Count the gulls.", "They are in birds/gulls."],
    "qwen-code/projects/*/chats/*.jsonl": ["Switch the lights on at dusk.", "Take the time from the almanac.", "!"],
    "copilot-cli/session-state/*/events.jsonl": [
        "Prune the pear tree.",
        "!",
        "Never prune before March.",
        "Plan the apple tree first.",
    ],
    "copilot-chat/workspaceStorage/*/chatSessions/*.json": [
        "Why does the kiln crack?",
        "!",
        "Heat it slowly, 50 degrees an hour.",
    ],
    "copilot-chat/workspaceStorage/*/chatSessions/*.jsonl": ["Glaze it blue.", "No lead in the glaze.", "!"],
    "droid/sessions/*/3*.jsonl": ["Grind finer.", "!The stones are generated, edit the template."],
    "pi/agent/sessions/*/*.jsonl": ["Moor the boat.", "!", "Ropes are in the shed."],
    "kimi/sessions/*/5*/wire.jsonl": ["Feed the ducks.", "!No bread, oats.", "Only in the morning."],
    "kimi/sessions/*/6*/context.jsonl": ["Count the fish."],
    "opencode/storage/session/*/ses_1.json": [
        "Cut the vines.",
        "!only the dead ones",
        "!",
        "Tie the rest with raffia, not wire.",
    ],
    "goose/*.jsonl": ["Herd the geese.", "Always close the gate after."],
    "continue/sessions/*.json": ["Open the hive.", "Smoke first, always."],
}
TOOLS = {
    "cline/globalStorage/saoud*/tasks/*/api*.json": ("cline", "lighthouse", ToolCall("execute_command", "npm test")),
    "cline/globalStorage/roo*/tasks/*/api*.json": ("roo-code", "beach", ToolCall("apply_diff", "shells.py")),
    "qwen-code/projects/*/chats/*.jsonl": (
        "qwen-code", "harbour", ToolCall("read_file", "/home/mara/work/harbour/lights.py"),
    ),
    "copilot-cli/session-state/*/events.jsonl": ("copilot-cli", "orchard", ToolCall("bash", "cat pear.md")),
    "copilot-chat/workspaceStorage/*/chatSessions/*.json": (
        "copilot-chat", "pottery shed", ToolCall("edit", "/w/kiln.py"),
    ),
    "droid/sessions/*/3*.jsonl": ("droid", "mill", ToolCall("Edit", "stone.py")),
    "pi/agent/sessions/*/*.jsonl": ("pi", "dock", ToolCall("bash", "tie bowline")),
    "kimi/sessions/*/5*/wire.jsonl": ("kimi", "pond", ToolCall("Shell", "ls bread")),
    "opencode/storage/session/*/ses_1.json": ("opencode", "vineyard", ToolCall("bash", "cut vines")),
    "goose/*.jsonl": ("goose", "farm", ToolCall("developer__shell", "herd geese")),
    "continue/sessions/*.json": ("continue", "bee hives", ToolCall("read_file", "hive.py")),
}  # fmt: skip


@pytest.mark.parametrize("pattern", PEOPLE)
def test_only_what_people_typed_is_theirs(pattern: str) -> None:
    """A mark stands before what they said while they stopped or refused something."""
    said, _ = fixture(pattern)
    assert _people(said) == PEOPLE[pattern]
    for hidden in ("hidden thought", "secret plan", "a subagent speaks", "still being written", "taken back"):
        assert hidden not in str(said)


def _people(said: list[TranscriptMessage]) -> list[str]:
    return [role.removesuffix("user") + text for role, text in spoken(said) if role.endswith("user")]


@pytest.mark.parametrize("pattern", [pattern for pattern in PEOPLE if pattern.endswith(".jsonl")])
def test_a_damaged_record_is_told_and_the_others_are_read(pattern: str, tmp_path: Path) -> None:
    ((original, reader),) = [pair for pair in ALL if pair[0].match(pattern)]
    head, *records = original.read_text().splitlines(keepends=True)
    file = tmp_path / original.name
    file.write_text(head + '{"half a\n[1]\n' + "".join(records))
    read = list(reader.read(file))
    damaged = [item.why for item in read if isinstance(item, DamagedRecord)]
    assert damaged[:2] == ["not JSON", "not an object"]
    assert _people([item for item in read if isinstance(item, TranscriptMessage)]) == PEOPLE[pattern]


@pytest.mark.parametrize(
    "pattern", [pattern for pattern in PEOPLE if pattern.endswith(".json") and "roo*" not in pattern]
)
def test_of_a_damaged_file_the_rest_is_read(pattern: str) -> None:
    """Their fixtures have one message without what makes it one."""
    _, damaged = fixture(pattern)
    assert [item.why.split()[0] in ("no", "not") for item in damaged] == [True]


@pytest.mark.parametrize("pattern", TOOLS)
def test_the_tool_the_project_and_the_calls_are_known(pattern: str) -> None:
    said, _ = fixture(pattern)
    tool, project, call = TOOLS[pattern]
    assert {(s.source.tool, s.source.project) for s in said} == {(tool, project)}
    assert call in [call for s in said for call in s.message.tools]
    assert len({s.message.id for s in said}) == len(said)


def test_what_tools_answered_is_kept_with_whether_they_failed() -> None:
    said, _ = fixture("cline/globalStorage/saoud*/tasks/*/api*.json")
    results = [s.message for s in said if s.message.role is Speaker.TOOL]
    assert [result.failed for result in results] == [False, True, False, False]
    assert "nobody said this" in results[0].text  # a file that the agent read


@pytest.mark.parametrize(
    "pattern",
    [
        "cline/globalStorage/roo*/tasks/*/ui_messages.json",
        "kimi/sessions/*/5*/context.jsonl",
        "droid/sessions/*/child.jsonl",
        "opencode/storage/session/*/ses_2.json",
    ],
)
def test_what_repeats_another_file_or_has_no_person_in_it_is_left_out(pattern: str) -> None:
    assert fixture(pattern) == ([], [])


def test_aider_tells_its_own_words_and_the_models_apart_by_the_ends_of_lines() -> None:
    said, _ = fixture("aider/*/.*.md")
    assert "#### The plan\n\n> as the recipe says" in by(said, Speaker.ASSISTANT)[0]
    assert by(said, Speaker.SYSTEM) == ["/add oven.py", "/run make test"]
    assert [s.message.failed for s in said if s.message.role is Speaker.TOOL] == [False, False, False, True, False]
    assert len({s.source.conversation for s in said}) == 2  # both began in the same second


def test_aider_is_read_also_where_an_editor_cut_the_ends_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "history.md"
    file.write_text(
        "# aider chat started at 2026-03-01 08:00:00\n\n> Aider\n\n#### Add a bell.\n\nAdded.\n\n> Applied\n"
    )
    said, _ = whole(file)
    assert spoken(said) == [("user", "Add a bell."), ("assistant", "Added."), ("tool", "Applied")]


def test_files_that_qwen_wrote_as_gemini_did_are_of_qwen(tmp_path: Path) -> None:
    (session,) = FIXTURES.glob("gemini/tmp/*/chats/*.json")
    copy = tmp_path / ".qwen" / "tmp" / "x" / "chats" / session.name
    copy.parent.mkdir(parents=True)
    shutil.copy(session, copy)
    said, _ = whole(copy)
    assert {s.source.tool for s in said} == {"qwen-code"}


@pytest.fixture
def opencode(tmp_path: Path) -> Path:
    """The sessions of the fixture, in a database as newer versions write it."""
    file = tmp_path / "opencode.db"
    storage = FIXTURES / "opencode" / "storage"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE session (id, parent_id, directory, title, time_created)")
        database.execute("CREATE TABLE message (id, session_id, time_created, data)")
        database.execute("CREATE TABLE part (id, message_id, session_id, data)")
        for session in map(_loaded, storage.glob("session/*/*.json")):
            about = (session["id"], session.get("parentID"), session["directory"], session["title"], 1)
            database.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?)", about)
        for path in sorted(storage.glob("message/*/*.json")):
            message = (path.stem, path.parent.name, 1, path.read_text())
            database.execute("INSERT INTO message VALUES (?, ?, ?, ?)", message)
        for path in storage.glob("part/*/*.json"):
            part = (path.stem, path.parent.name, "ses_1", path.read_text())
            database.execute("INSERT INTO part VALUES (?, ?, ?, ?)", part)
        database.commit()
    return file


def _loaded(path: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(path.read_text())
    return found


def test_opencode_says_the_same_in_its_database(opencode: Path) -> None:
    said, damaged = whole(opencode)
    assert (said, damaged) == fixture("opencode/storage/session/*/ses_1.json")
    assert sorted(path.name for path in opencode.parent.iterdir()) == ["opencode.db"]


def test_what_a_running_opencode_has_not_yet_moved_into_its_database_is_read(opencode: Path) -> None:
    with closing(sqlite3.connect(opencode)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("INSERT INTO message VALUES ('msg_7', 'ses_1', 2, '{\"role\": \"user\"}')")
        part = ("prt_9", "msg_7", "ses_1", '{"type": "text", "text": "Prune in February."}')
        running.execute("INSERT INTO part VALUES (?, ?, ?, ?)", part)
        running.commit()
        said, _ = whole(opencode)
    assert by(said, Speaker.USER)[-1] == "Prune in February."


def test_a_damaged_database_gives_what_can_be_read(opencode: Path) -> None:
    content = bytearray(opencode.read_bytes())
    content[4096:] = b"\x07" * (len(content) - 4096)
    ((_, reader),) = files(opencode)
    opencode.write_bytes(bytes(content))
    assert list(reader.read(opencode)) == [("database", "damaged database")]


def test_goose_in_its_database(tmp_path: Path) -> None:
    (older,) = FIXTURES.glob("goose/*.jsonl")
    file = tmp_path / "sessions.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE sessions (id, name, description, session_type, working_dir, created_at)")
        database.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id, session_id, role, content_json,"
            " created_timestamp, metadata_json)"
        )
        database.execute("INSERT INTO sessions VALUES ('s', 'Geese', '', 'user', '/home/mara/work/farm', 1)")
        database.execute("INSERT INTO sessions VALUES ('t', 'Scout', '', 'sub_agent', '/home/mara/work/farm', 1)")
        for message in map(json.loads, older.read_text().splitlines()[1:]):
            values = (message.get("id"), "s", message["role"], json.dumps(message["content"]), message["created"])
            database.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, NULL)", values)
        hidden = ("h", "s", "user", '[{"type": "text", "text": "a summary"}]', 1, '{"userVisible": false}')
        database.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?)", hidden)
        database.commit()
    said, damaged = whole(file)
    assert spoken(said) == [*spoken(whole(older)[0]), ("system", "a summary")]
    assert damaged == []
    assert said[0].source.project == "farm"

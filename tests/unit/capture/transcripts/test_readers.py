"""Every form of transcript that people have, as its tool writes it."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree

import pytest

from heedful.records.transcript import Speaker, ToolCall
from tests.unit.capture.transcripts.reading import ALL, FIXTURES, by, fixture, spoken, whole

CLAUDE = "claude-code/projects/*/*.jsonl"
CODEX = "codex/sessions/2026/02/11/*a53.jsonl"


def test_every_fixture_is_recognised_by_the_reader_of_its_folder() -> None:
    beside = {*FIXTURES.glob("opencode/storage/[mp]*/**/*.json"), *FIXTURES.glob("*/workspaceStorage/*/*.json")}
    beside.update(FIXTURES.glob("kimi/*.json"))
    assert {path for path, _ in ALL} == {path for path in FIXTURES.rglob("*") if path.is_file()} - beside
    for path, reader in ALL:
        assert reader.name.startswith(path.relative_to(FIXTURES).parts[0])


def test_claude_code_tells_people_from_programs() -> None:
    said, damaged = fixture(CLAUDE)
    assert not damaged
    assert [(m.text, m.failed) for m in (s.message for s in said) if m.role is Speaker.USER] == [
        ("The lamp colours flicker after midnight. Find out why.", False),
        ("use the fake clock in tests", False),
        ("never touch lamps.py directly, generate it", True),
        ("", True),
        ("Good. Always run the whole suite before you say it works.", False),
    ]
    machine = by(said, Speaker.SYSTEM)
    assert len(machine) == 6
    assert any("<task-notification>" in text for text in machine)
    assert any("being continued" in text for text in machine)


def test_claude_code_has_tools_answers_and_no_thoughts() -> None:
    said, _ = fixture(CLAUDE)
    called = [call for s in said for call in s.message.tools]
    assert called == [
        ToolCall("Bash", "pytest -x tests/lamps"),
        ToolCall("Edit", "/home/mara/work/lantern/lamps.py"),
    ]
    answer = next(s.message for s in said if s.message.role is Speaker.TOOL)
    assert answer.failed
    assert answer.text == "Exit code 1\nE  AssertionError: hue was None"
    assert "secret plan" not in str(said)
    assert "clocks are injected" not in str(said)


def test_claude_code_names_the_session_its_folder_and_its_title() -> None:
    said, _ = fixture(CLAUDE)
    (source,) = {s.source for s in said}
    assert source.conversation == "5b0c1f7e-3c1a-4c55-9d52-2f0f6a6f1a01"
    assert (source.tool, source.project, source.title) == ("claude-code", "lantern", "Flickering lamp colours")
    assert said[0].message.id == "00000000-0000-4000-8000-000000000001"
    assert said[0].message.at == datetime(2026, 3, 4, 9, 1, 0, 250_000, UTC)


def test_claude_code_leaves_out_what_subagents_say() -> None:
    said, _ = fixture(CLAUDE)
    assert "a subagent speaks" not in str(said)
    assert fixture("claude-code/projects/*/*/subagents/*.jsonl") == ([], [])


def test_claude_code_counts_what_a_fork_repeats_as_said_where_it_was_said(tmp_path: Path) -> None:
    record = {"type": "user", "uuid": "new", "sessionId": "fork", "message": {"role": "user", "content": "hi"}}
    copied = {**record, "forkedFrom": {"sessionId": "first", "messageUuid": "old"}}
    file = tmp_path / "fork.jsonl"
    file.write_text(json.dumps(copied) + "\n" + json.dumps(record) + "\n")
    said, _ = whole(file)
    assert [(s.source.conversation, s.message.id) for s in said] == [("first", "old"), ("fork", "new")]


def test_an_unknown_kind_of_record_is_reported_without_its_text(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    known = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "hi"}}
    lines = [f"{json.dumps(known)}\n", f"{json.dumps({'type': 'hush', 'x': 'secret'})}\n", "{half\n"]
    file.write_text("".join(lines))
    second = len(lines[0])
    _, damaged = whole(file)
    assert damaged == [
        (f"byte {second}", "unknown kind of record"),
        (f"byte {second + len(lines[1])}", "not JSON"),
    ]


def test_codex_counts_each_message_once() -> None:
    said, damaged = fixture(CODEX)
    assert not damaged
    assert [pair for pair in spoken(said) if pair[0].endswith("user") or pair[0] == "assistant"] == [
        ("user", "Why does the tide table skip leap days?"),
        ("assistant", ""),
        ("assistant", ""),
        ("assistant", "The table divided the year by 365. I count the days now."),
        ("user", "We never edit tide.go by hand; change the generator."),
        ("!user", ""),
    ]
    assert len(by(said, Speaker.SYSTEM)) == 4
    assert said[0].source.project == "tidal"


def test_codex_has_tools_and_knows_which_failed() -> None:
    said, _ = fixture(CODEX)
    assert [call.name for s in said for call in s.message.tools] == ["exec_command", "apply_patch"]
    assert [s.message.failed for s in said if s.message.role is Speaker.TOOL] == [True, False]
    assert by(said, Speaker.TOOL)[1] == "Success. Updated tide.go"


def test_codex_leaves_out_threads_of_subagents() -> None:
    assert fixture("codex/sessions/2026/02/11/*a99.jsonl") == ([], [])


def test_codex_as_the_first_versions_wrote_it() -> None:
    said, damaged = fixture("codex/sessions/2025/06/01/*.jsonl")
    assert not damaged
    assert spoken(said) == [
        ("user", "Rename the module to harbour."),
        ("assistant", ""),
        ("!tool", "fatal: bad source"),
    ]
    assert said[1].message.tools == (ToolCall("shell", "bash -lc git mv port harbour"),)


def test_gemini_as_one_object() -> None:
    said, damaged = fixture("gemini/tmp/*/chats/*.json")
    assert not damaged
    assert spoken(said) == [
        ("user", "Explain @notes.md"),
        ("assistant", "It is a shopping list."),
        ("tool", "buy milk"),
        ("!tool", "No such file"),
        ("!user", ""),
        ("user", "Write it in German from now on."),
        ("system", "Quota is low."),
    ]


def test_gemini_line_by_line_takes_the_last_version_and_forgets_what_was_rewound() -> None:
    said, damaged = fixture("gemini/tmp/shop/chats/*.jsonl")
    assert not damaged
    assert spoken(said) == [
        ("user", "Add a till."),
        ("assistant", "I add one."),
        ("tool", "Created till.py"),
        ("user", "Use decimals for money."),
    ]
    assert said[1].message.tools == (ToolCall("write_file", "/srv/shop/till.py"),)
    assert (said[0].source.project, said[0].source.title) == ("shop", "A till")


@pytest.mark.parametrize(
    ("root", "file", "project"),
    [
        ("/srv/code/lantern", "/srv/code/lantern/billing/cart.py", "lantern"),  # the digest is of one of its folders
        ("/elsewhere", "/home/mara/code/lantern/billing/cart.py", "lantern"),
        ("/elsewhere", "/srv/code/lantern/cart.py", None),
        ("/elsewhere", "billing/cart.py", None),
    ],
)
def test_gemini_is_in_the_project_whose_files_its_tools_are_called_with(
    tmp_path: Path, root: str, file: str, project: str | None
) -> None:
    session = tmp_path / "session-1.json"
    calls = [{"name": "read_file", "args": {"absolute_path": file}}]
    messages = [
        {"id": "a", "type": "user", "content": "Use decimals for money."},
        {"id": "b", "type": "gemini", "content": "Ok.", "toolCalls": calls},
    ]
    digest = hashlib.sha256(root.encode()).hexdigest()
    session.write_text(json.dumps({"sessionId": "s1", "projectHash": digest, "messages": messages}))
    said, _ = whole(session)
    assert {one.source.project for one in said} == {project}


def test_gemini_logs_tell_only_of_sessions_without_a_file() -> None:
    said, _ = fixture("gemini/tmp/*/logs.json")
    assert spoken(said) == [("user", "Please never commit the lock file."), ("system", "/quit")]


def test_cursor_as_it_exports_itself() -> None:
    said, _ = fixture("cursor/*.md")
    assert spoken(said) == [
        ("user", "Make the till green, and keep it **bold**."),
        ("assistant", "Done: `till.css` has the new colour."),
        ("user", "We use rem, not px."),
    ]
    assert said[0].source.title == "Till colours"


def test_cursor_as_exporters_write_it() -> None:
    said, damaged = fixture("cursor/composers.json")
    assert not damaged
    assert spoken(said) == [
        ("user", "Why is the till empty?"),
        ("assistant", ""),
        ("tool", "[]"),
        ("assistant", "The file holds an empty list."),
        ("user", "Rename it to drawer."),
        ("assistant", "Renamed."),
    ]
    assert said[1].message.tools == (ToolCall("run_terminal_cmd", "cat till.json"),)
    assert len({s.source.conversation for s in said}) == 2
    tabs, _ = fixture("cursor/tabs.json")
    assert spoken(tabs) == [("user", "Sort the coins."), ("assistant", "Sorted.")]


def test_cursor_agent_transcripts_hold_the_query_of_the_person() -> None:
    said, damaged = fixture("cursor/projects/*/*/*/*.jsonl")
    assert not damaged
    assert spoken(said) == [("user", "Count the drawers."), ("assistant", "There are three.")]
    assert said[1].message.tools == (ToolCall("Grep", "drawer in src"),)


def test_chatgpt_follows_the_branch_that_the_conversation_ended_on() -> None:
    said, damaged = fixture("chatgpt/*.json")
    assert spoken(said) == [
        ("user", "How long does dough rest?"),
        ("assistant", ""),
        ("tool", "Four hours at 24 degrees."),
        ("assistant", "Four hours at 24 °C."),
        ("user", "Answer in grams, always."),
    ]
    assert said[1].message.tools == (ToolCall("web.search", "resting times"),)
    assert damaged == [("element 3", "no messages")]


def test_claude_ai_has_text_tools_and_answers() -> None:
    said, damaged = fixture("claude-ai/*.json")
    assert not damaged
    assert spoken(said) == [
        ("user", "Which wind does a kite need?"),
        ("assistant", "Eight knots."),
        ("tool", "8 to 15 knots"),
        ("user", "Please answer in km/h."),
    ]


def test_specstory_tells_turns_from_what_a_tool_printed(tmp_path: Path) -> None:
    copytree(FIXTURES / "specstory", tmp_path, dirs_exist_ok=True)  # no longer in this repository
    (file,) = tmp_path.glob("kitchen/.specstory/history/*oven.md")
    said, damaged = whole(file)
    assert not damaged
    assert spoken(said)[1:] == [
        ("system", "Always preheat. ARGUMENTS: 200"),
        ("user", "The oven test is flaky."),
        ("assistant", "I run it a few times."),
        ("assistant", ""),
        ("!tool", "Exit code 1\n_**User (2026-04-01 08:01:12Z)**_\nthis is what a tool printed"),
        ("assistant", ""),
        ("tool", "The file /srv/kitchen/oven.py has been updated successfully."),
        ("!user", ""),
        ("user", "No sleeps in tests, use the fake clock."),
    ]
    assert said[4].message.tools == (ToolCall("Bash", "pytest -k oven"),)
    assert (said[0].source.tool, said[0].source.project) == ("claude-code", "kitchen")


def test_specstory_as_it_was_first() -> None:
    said, _ = fixture("specstory/kitchen/.specstory/history/*old.md")
    assert spoken(said) == [("user", "Which pan for two eggs?"), ("assistant", "The small one.")]
    assert said[0].source.title == "Pan sizes"
    assert said[0].message.at == datetime(2025, 5, 1, 10, 33, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "list.json",
            [
                ("system", "You are a gardener."),
                ("user", "When do I plant beans?"),
                ("assistant", ""),
                ("tool", "15 May"),
                ("assistant", "After 15 May."),
            ],
        ),
        ("one.json", [("user", "And peas?"), ("assistant", "In March.")]),
        (
            "many.jsonl",
            [
                ("user", "How deep?"),
                ("assistant", "Three centimetres."),
                ("user", "In inches never, please."),
                ("assistant", ""),
                ("!tool", "cannot"),
            ],
        ),
        ("lines.jsonl", [("user", "Water daily?"), ("assistant", "Every second day.")]),
    ],
)
def test_lists_of_messages(name: str, expected: list[tuple[str, str]]) -> None:
    said, damaged = fixture(f"messages/{name}")
    assert not damaged
    assert spoken(said) == expected


def test_a_conversation_without_an_id_gets_one_that_tells_no_path() -> None:
    said, _ = fixture("messages/list.json")
    again, _ = fixture("messages/list.json")
    assert said == again
    assert len(said[0].source.conversation) == 32
    assert "list" not in said[0].source.conversation


def test_sessions_tell_what_was_typed_and_what_a_command_stands_for() -> None:
    said, damaged = fixture("sessions/*.jsonl")
    assert not damaged
    assert by(said, Speaker.USER) == ["Do not prune the cherry in winter.", ""]
    assert len(by(said, Speaker.SYSTEM)) == 4
    called = [call for s in said for call in s.message.tools]
    assert called == [
        ToolCall("Bash", "ls trees\nwc -l trees"),
        ToolCall("Read", "./trees/cherry.md"),
        ToolCall("exec_command", "ls pears"),
    ]
    assert by(said, Speaker.TOOL) == ["cherry", "<tool_use_error>File does not exist.</tool_use_error>", "none"]
    assert (said[0].source.tool, said[0].source.project) == ("claude-code", "orchard")

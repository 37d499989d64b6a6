"""The JSON of each tool, as documented: what a hook is told, and what it may answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from heedful.edges.hook.events import AgentTool, Moment, parsed, rendered

CLAUDE = {"session_id": "s", "transcript_path": "/home/d/.claude/projects/p/s.jsonl", "cwd": "/home/d/work/shop"}
CODEX = {**CLAUDE, "transcript_path": "/home/d/.codex/sessions/s.jsonl", "model": "m", "permission_mode": "default"}
GEMINI = {**CLAUDE, "transcript_path": "/home/d/.gemini/tmp/s.json", "timestamp": "2026-08-01T10:00:00Z"}
CURSOR = {
    "conversation_id": "s",
    "generation_id": "g",
    "workspace_roots": ["/home/d/work/shop"],
    "transcript_path": None,
    "cursor_version": "3.7.21",
}
TURN = {**CODEX, "turn_id": "t"}


def _context(event: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "x"}}


@pytest.mark.parametrize(
    ("given", "tool", "moment", "answer"),
    [
        ({**CLAUDE, "hook_event_name": "SessionStart", "source": "startup"}, AgentTool.CLAUDE_CODE, Moment.START,
         _context("SessionStart")),
        ({**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "p"}, AgentTool.CLAUDE_CODE, Moment.MESSAGE,
         _context("UserPromptSubmit")),
        ({**CLAUDE, "hook_event_name": "PreToolUse", "tool_name": "Bash"}, AgentTool.CLAUDE_CODE, Moment.TOOL,
         _context("PreToolUse")),
        ({**CODEX, "hook_event_name": "SessionStart", "source": "startup"}, AgentTool.CODEX, Moment.START,
         _context("SessionStart")),
        ({**TURN, "hook_event_name": "UserPromptSubmit", "prompt": "p"}, AgentTool.CODEX, Moment.MESSAGE,
         _context("UserPromptSubmit")),
        ({**TURN, "hook_event_name": "PreToolUse", "tool_name": "Bash"}, AgentTool.CODEX, Moment.TOOL,
         _context("PreToolUse")),
        ({**GEMINI, "hook_event_name": "SessionStart", "source": "startup"}, AgentTool.GEMINI, Moment.START,
         _context("SessionStart")),
        ({**GEMINI, "hook_event_name": "BeforeAgent", "prompt": "p"}, AgentTool.GEMINI, Moment.MESSAGE,
         _context("BeforeAgent")),
        ({**GEMINI, "hook_event_name": "AfterTool", "tool_name": "run_shell_command"}, AgentTool.GEMINI, Moment.TOOL,
         _context("AfterTool")),
        ({**CURSOR, "hook_event_name": "sessionStart"}, AgentTool.CURSOR, Moment.START, {"additional_context": "x"}),
        ({**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": "p"}, AgentTool.CURSOR, Moment.MESSAGE,
         {"continue": True}),
        ({**CURSOR, "hook_event_name": "postToolUse", "tool_name": "Shell"}, AgentTool.CURSOR, Moment.TOOL,
         {"additional_context": "x"}),
    ],
)  # fmt: skip
def test_each_tool_is_understood_and_answered_in_its_own_words(
    given: dict[str, Any], tool: AgentTool, moment: Moment, answer: dict[str, Any]
) -> None:
    event = parsed(json.dumps(given).encode())

    assert (event.tool, event.moment, event.session, event.about) == (tool, moment, "s", "shop")
    assert json.loads(rendered(event, "x")) == answer
    if moment is not Moment.MESSAGE or tool is not AgentTool.CURSOR:  # Cursor waits for a word there
        assert rendered(event, "") == b""


@pytest.mark.parametrize(
    ("name", "moment"),
    [("Stop", Moment.OUTPUT), ("AfterAgent", Moment.OUTPUT), ("stop", Moment.OUTPUT), ("SessionEnd", Moment.END),
     ("sessionEnd", Moment.END), ("SubagentStop", Moment.NOTHING)],
)  # fmt: skip
def test_the_end_of_a_turn_and_of_a_session(name: str, moment: Moment) -> None:
    event = parsed(json.dumps({**CLAUDE, "hook_event_name": name}).encode())

    assert (event.moment, event.transcript) == (moment, CLAUDE["transcript_path"])
    assert rendered(event, "") == b""


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"command": "npm test", "description": "Run the tests"}, "npm test"),
        ({"command": ["bash", "-lc", "npm test"]}, "bash -lc npm test"),
        ({"file_path": "/a.py", "content": "x = 1"}, "x = 1"),
        ({"file_path": "/a.py", "old_string": "x", "new_string": "y"}, "y"),
        ({"file_path": "/a.py", "edits": [{"new_string": "y"}, {"new_string": "z"}, 7]}, "y\nz"),
        ('{"command": "npm test"}', "npm test"),
        ("{broken", ""),
        ({"pattern": "npm"}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_what_a_tool_is_about_to_run_or_write(given: object, written: str) -> None:
    event = parsed(json.dumps({**CLAUDE, "hook_event_name": "PreToolUse", "tool_input": given}).encode())

    assert event.written == written


@pytest.mark.parametrize(
    ("tool_input", "prose"),
    [
        ({"file_path": "/w/shop/README.md", "content": "any"}, True),
        ({"path": "docs/usage.rst", "edits": [{"new_string": "any"}]}, True),
        ({"file_path": "LICENSE", "content": "any"}, True),
        ({"input": "*** Begin Patch\n*** Update File: notes.txt\n+any\n*** End Patch"}, True),
        ({"input": "*** Begin Patch\n*** Update File: a.md\n+any\n*** Add File: a.ts\n+any\n*** End Patch"}, False),
        ({"file_path": "src/parse.ts", "content": "any"}, False),
        ({"file_path": "requirements.txt", "content": "any"}, False),
        ({"command": "cat README.md"}, False),
    ],
)
def test_what_is_written_into_a_file_that_people_read_is_prose(tool_input: dict[str, Any], prose: bool) -> None:
    given = {**CLAUDE, "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": tool_input}
    assert parsed(json.dumps(given).encode()).prose is prose

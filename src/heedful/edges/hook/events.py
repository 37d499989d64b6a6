"""What coding agents tell their hooks, and what they take as an answer: each tool has its own names for both.

As documented for Claude Code, Codex, Gemini CLI and Cursor in November 2026. Codex took over the events of Claude Code.
Gemini CLI says BeforeAgent and AfterAgent for a prompt and its answer, and takes context only after a tool. Cursor
takes context when a session starts and after a tool, but not with a prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from heedful.edges.hook import calls
from heedful.errors import InvalidInput
from heedful.records.names import identifier
from heedful.text.project import project_name

LONG = 100_000
"""Characters of a prompt or an output that are read."""


class Moment(StrEnum):
    """When a hook is called."""

    START = "start"
    MESSAGE = "message"
    TOOL = "tool"
    OUTPUT = "output"
    END = "end"
    NOTHING = "nothing"


class AgentTool(StrEnum):
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    CURSOR = "cursor"
    OTHER = "other"


_MOMENTS = {
    **dict.fromkeys(("SessionStart", "sessionStart"), Moment.START),
    **dict.fromkeys(("UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt"), Moment.MESSAGE),
    **dict.fromkeys(("PreToolUse", "AfterTool", "postToolUse"), Moment.TOOL),
    **dict.fromkeys(("Stop", "AfterAgent", "stop"), Moment.OUTPUT),
    **dict.fromkeys(("SessionEnd", "sessionEnd"), Moment.END),
    "SubagentStop": Moment.NOTHING,  # what a helper of an agent said is not said to a person
}
_WRITTEN = ("command", "content", "new_string", "new_source", "patch", "input")
"""The fields of a tool's input that hold a command to run, or a text to write."""
_FORGOTTEN = ("clear", "compact")
"""How a session starts whose context was emptied: what was said before is said again."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    moment: Moment
    tool: AgentTool
    name: str
    """As the tool calls it; empty for `--event`."""
    session: str | None
    about: str | None
    """The project: the name of its folder."""
    transcript: str | None
    prompt: str
    output: str
    """The last output, if it is not in the transcript."""
    query: str
    id: str | None
    written: str
    """The command or the text of a tool."""
    forgotten: bool
    """The session starts again with an empty context."""


def parsed(content: bytes, moment: str | None = None) -> HookEvent:
    given = _json(content)
    name = given.get("hook_event_name")
    found = Moment(moment) if moment is not None else _MOMENTS.get(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidInput(f"hook_event_name is {str(name)[:80]!r}.", hint="Pass --event.")
    return HookEvent(
        moment=found,
        tool=AgentTool.OTHER if moment is not None else _tool(str(name), given),
        name="" if moment is not None else str(name),
        session=_name(_text(given, "session_id") or _text(given, "conversation_id")),
        about=project_name(_folder(given)),
        transcript=_text(given, "transcript_path") or None,
        prompt=_text(given, "prompt")[:LONG],
        output=_text(given, "last_assistant_message"),
        query=_text(given, "query"),
        id=_name(_text(given, "id")),
        written=_written(given.get("tool_input")),
        forgotten=given.get("source") in _FORGOTTEN,
    )


def rendered(event: HookEvent, context: str) -> bytes:
    """The answer as the tool takes it; empty where there is nothing to say, or no place to say it."""
    if event.tool is AgentTool.OTHER:
        return f"{context}\n".encode() if context else b""
    if event.tool is AgentTool.CURSOR:
        if event.moment is Moment.MESSAGE:
            return b'{"continue":true}\n'  # there is no place for a context
        return _line({"additional_context": context}) if context else b""
    if not context:
        return b""
    return _line({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}})


def takes_context(event: HookEvent) -> bool:
    """Whether the tool takes a context at this moment."""
    if event.tool is AgentTool.CURSOR:
        return event.moment in (Moment.START, Moment.TOOL)
    return event.moment in (Moment.START, Moment.MESSAGE, Moment.TOOL)


def _tool(name: str, given: Mapping[str, Any]) -> AgentTool:
    if name[:1].islower():
        return AgentTool.CURSOR
    transcript = _text(given, "transcript_path").replace("\\", "/")
    if name in ("BeforeAgent", "AfterAgent", "AfterTool") or "/.gemini/" in transcript:
        return AgentTool.GEMINI
    return AgentTool.CODEX if "turn_id" in given or "/.codex/" in transcript else AgentTool.CLAUDE_CODE


def _folder(given: Mapping[str, Any]) -> object:
    """Cursor names the folders of the workspace instead of the current one."""
    roots = given.get("workspace_roots")
    return given.get("cwd") or (roots[0] if isinstance(roots, list) and roots else None)


def _written(given: object) -> str:
    """The command, or all the texts to write. Edits come one by one in some tools, in a list in others."""
    if isinstance(given, str):  # JSON in JSON
        try:
            given = orjson.loads(given)
        except orjson.JSONDecodeError:
            return ""
    if not isinstance(given, dict):
        return ""
    edits = given.get("edits")
    parts = [given, *(edits if isinstance(edits, list) else ())]
    texts = [part[name] for part in parts if isinstance(part, dict) for name in _WRITTEN if part.get(name)]
    return "\n".join(_command(text) for text in texts)[:LONG]


def _command(text: object) -> str:
    """Codex hands a command in as a list of words."""
    return " ".join(map(str, text)) if isinstance(text, list) else text if isinstance(text, str) else ""


def _json(content: bytes) -> Mapping[str, Any]:
    if len(content) > calls.INPUT:
        raise InvalidInput("stdin is too large.")
    try:
        given = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"stdin is not JSON: {error}.") from None
    if not isinstance(given, dict):
        raise InvalidInput("stdin is not a JSON object.")
    return given


def _line(document: object) -> bytes:
    return orjson.dumps(document) + b"\n"


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def _name(text: str) -> str | None:
    try:
        return identifier(text, "name")
    except InvalidInput:
        return None

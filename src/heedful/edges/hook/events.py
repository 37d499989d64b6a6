"""What coding agents tell their hooks, and what they take as an answer: each tool has its own names for both.

As documented for Claude Code, Codex, Gemini CLI and Cursor in November 2026. Codex took over the events of Claude Code.
Gemini CLI says BeforeAgent and AfterAgent for a prompt and its answer, and takes the context of a tool only after it.
Cursor takes context when a session starts and after a tool, but not with a prompt; it tells each answer
(afterAgentResponse) before it stops. None takes more than 10,000 characters.
"""

from __future__ import annotations

import re
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


_CURSOR_ANSWERS = "afterAgentResponse"
_MOMENTS = {
    **dict.fromkeys(("SessionStart", "sessionStart"), Moment.START),
    **dict.fromkeys(("UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt"), Moment.MESSAGE),
    **dict.fromkeys(("PreToolUse", "AfterTool", "postToolUse"), Moment.TOOL),
    **dict.fromkeys(("Stop", "AfterAgent", _CURSOR_ANSWERS, "stop"), Moment.OUTPUT),
    **dict.fromkeys(("SessionEnd", "sessionEnd"), Moment.END),
    "SubagentStop": Moment.NOTHING,  # what a helper of an agent said is not said to a person
}
_OUTPUTS = {"AfterAgent": "prompt_response", _CURSOR_ANSWERS: "text"}
"""The field with what the agent answered; elsewhere `last_assistant_message`."""
_WRITTEN = ("command", "content", "contents", "new_string", "new_source", "patch", "input")
"""The fields of a tool's input that hold a command to run, or a text to write."""
_FILES = ("file_path", "path", "filePath", "target_file", "notebook_path")
"""The fields with the name of the file to write."""
_PATCH = "*** Begin Patch"
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.+)$", re.MULTILINE)
_PROSE = re.compile(
    r"\.(?:md|mdx|markdown|rst|adoc|asciidoc|org|tex|rtf)$|(?:^|[/\\])(?:readme|changelog|license|notice|authors)$|"
    r"(?:^|[/\\])(?!requirements|constraints|cmakelists)[^/\\]*\.txt$",
    re.IGNORECASE,
)
"""Files that people read. Lists of packages end like some of them."""
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
    files: tuple[str, ...]
    """That it is for."""
    prose: bool
    """These are files that people read."""
    forgotten: bool
    """The session starts again with an empty context."""


def parsed(content: bytes, moment: str | None = None) -> HookEvent:
    given = _json(content)
    name = given.get("hook_event_name")
    name = name if isinstance(name, str) and moment is None else ""
    found, tool = _moment(given, name, moment), _fields(given.get("tool_input"))
    files = _files(tool)
    return HookEvent(
        moment=found,
        tool=_tool(name, given),
        name=name,
        session=_name(_text(given, "session_id") or _text(given, "conversation_id")),
        about=project_name(_folder(given)),
        # An answer before the agent stops: its transcript is handed in then.
        transcript=(_text(given, "transcript_path") or None) if name != _CURSOR_ANSWERS else None,
        prompt=_text(given, "prompt")[:LONG],
        output=_text(given, _OUTPUTS.get(name, "last_assistant_message")),
        query=_text(given, "query"),
        id=_name(_text(given, "id")),
        written=_written(tool),
        files=files,
        prose=bool(files) and all(map(_PROSE.search, files)),
        forgotten=given.get("source") in _FORGOTTEN,
    )


def is_notice(prompt: str) -> bool:
    """Whether it looks like one that agents send under a person's name."""
    return not prompt.strip() or prompt.lstrip().startswith("<")


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


def _moment(given: Mapping[str, Any], name: str, asked: str | None) -> Moment:
    if asked is not None:
        return Moment(asked)
    found = _MOMENTS.get(name)
    if found is None:
        raise InvalidInput(f"hook_event_name is {name[:80]!r}.", hint="Pass --event.")
    # What an agent asks a helper of its own, no person typed.
    return Moment.NOTHING if found is Moment.MESSAGE and given.get("agent_id") else found


def _tool(name: str, given: Mapping[str, Any]) -> AgentTool:
    if not name:
        return AgentTool.OTHER
    if name[0].islower():
        return AgentTool.CURSOR
    transcript = _text(given, "transcript_path").replace("\\", "/")
    if name in ("BeforeAgent", "AfterAgent", "AfterTool") or "/.gemini/" in transcript:
        return AgentTool.GEMINI
    return AgentTool.CODEX if "turn_id" in given or "/.codex/" in transcript else AgentTool.CLAUDE_CODE


def _folder(given: Mapping[str, Any]) -> object:
    """Cursor names the folders of the workspace; its current one is that of a tool."""
    roots = given.get("workspace_roots")
    return roots[0] if isinstance(roots, list) and roots else given.get("cwd")


def _fields(given: object) -> Mapping[str, Any]:
    """The input of a tool, which some hand in as JSON in JSON."""
    if isinstance(given, str):
        try:
            given = orjson.loads(given)
        except orjson.JSONDecodeError:
            return {}
    return given if isinstance(given, dict) else {}


def _written(given: Mapping[str, Any]) -> str:
    """The command, or what is new in the texts to write. Edits come one by one in some tools, in a list in others."""
    edits = given.get("edits")
    parts = [part for part in (given, *(edits if isinstance(edits, list) else ())) if isinstance(part, Mapping)]
    return "\n".join(_new(part, _command(part[name])) for part in parts for name in _WRITTEN if part.get(name))[:LONG]


def _files(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Those that are written."""
    files = [name for field in _FILES if (name := _text(given, field))]
    patches = (_command(given[name])[:LONG] for name in _WRITTEN if given.get(name))
    files += [file.strip() for patch in patches if _PATCH in patch for file in _PATCHED.findall(patch)]
    return tuple(files)


def _new(edit: Mapping[str, Any], text: str) -> str:
    """Without the lines that are kept, and of a patch those that it adds."""
    lines = text.splitlines()
    if _PATCH in text:
        return "\n".join(line[1:] for line in lines if line.startswith("+"))
    kept = frozenset(_text(edit, "old_string").splitlines())
    return "\n".join(line for line in lines if line not in kept)


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

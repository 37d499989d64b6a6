"""Cline, and its forks Roo Code and Kilo Code: a folder per task in the storage of the editor, or in `~/.cline/data`.

`api_conversation_history.json` holds what the model saw: tool results and notices in the name of the user, and what
the person typed inside tags. The sessions that Cline keeps since 2026 (`<id>.messages.json`) have results in blocks of
their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_keys
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.reader import (
    HEAD,
    BadRecord,
    DamagedRecord,
    TranscriptMessage,
    parse_each,
)
from heedful.records.transcript import Message, Source, Speaker, ToolCall
from heedful.text.project import project_name

HISTORY = "api_conversation_history.json"
_OPENINGS = (b"<environment_details>", b'"<task>\\n', b'"<user_message>\\n')
_TOOLS = {"roo-cline": "roo-code", "roo-code": "roo-code", "kilo-code": "kilo-code"}
_FOLDER = re.compile(rb"# Current (?:Working|Workspace) Directory \(([^)\n]{1,500}?)\)")

# At the beginning, or after a sentence that announces it: attached files can hold such tags, too.
_TYPED = re.compile(
    r"(?:\A|:|</mode_notice>|\AThe user has provided feedback[^\n<]{0,200})\s{0,9}"
    r"<(task|user_message|feedback|answer|user_input|user_command)(?: [^<>]{0,100})?>"
)
_FEEDBACK = re.compile(  # in a tool result, which can quote anything
    r"(?:feedback[^\n<]{0,60}:|user has provided feedback[^\n<]{0,200})\s{0,3}<(feedback)>"
)
_RESULT_OPENING = re.compile(r"\s{0,9}<(answer|user_message|feedback)>")
_SEEN_BELOW = re.compile(r" \(see below for [a-z ]{1,40}\)")  # after the name of an attached file
_HEADER = re.compile(r"\[([a-z_]{2,40})[\] ]")
_HEADER_END = "] Result:"
_HEADER_CHARACTERS = 4_000
_NOTICES = ("<environment_details>", "[ERROR]", "# ", "Files attached by the user:")
_FAILED = ("The tool execution failed", '{"status":"error"', '{"status": "error"')
_DENIED = ("The user denied", "User denied", '{"status":"denied"', '{"status": "denied"')
_INTERRUPTED = re.compile(r"\s{0,9}\[Response interrupted by (?:the )?user[^\]\n]{0,20}\]\s{0,9}\Z")
_THOUGHTS = re.compile(r"<thinking>.*?(?:</thinking>|\Z)", re.DOTALL)
_TOOL_LIST = """
    execute_command read_file write_to_file replace_in_file apply_diff insert_content search_and_replace search_files
    list_files list_code_definition_names codebase_search browser_action use_mcp_tool access_mcp_resource
    ask_followup_question attempt_completion plan_mode_respond new_task switch_mode update_todo_list fetch_instructions
    web_fetch load_mcp_documentation condense new_rule
"""
_TOOL = re.compile(rf"<({'|'.join(_TOOL_LIST.split())})>")
_PARAMETER = re.compile(r"<([a-z_]{2,30})>")
_SPEAKING = {"ask_followup_question": "question", "attempt_completion": "result", "plan_mode_respond": "response"}


class Cline:
    """What the model saw."""

    name = "cline"
    follows = False

    def recognises(self, path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        if opening != "[" or not {"role", "content"} <= keys:
            return False
        return path.name == HISTORY or any(mark in head for mark in _OPENINGS)

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        source = task_source(path)

        def conversations(element: JsonElement) -> Iterator[Conversation]:
            yield source, parse_each([element.fields], partial(_parse, plain=False), element.number)

        return read_elements(path, conversations)


class ClineSessions:
    """A session of Cline since 2026, as one object."""

    name = "cline-sessions"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "{" and {"version", "agent", "sessionId", "messages"} <= keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        def conversations(element: JsonElement) -> Iterator[Conversation]:
            messages = element.fields.get("messages")
            if isinstance(messages, list):
                own = messages if element.fields.get("agent") == "lead" else []  # no person talks to a subagent
                id = metadata.clean_id(element.fields.get("sessionId")) or metadata.file_id(path)
                yield Source(id, Cline.name, _project(path)), parse_each(own, partial(_parse, plain=True))

        return read_elements(path, conversations)


def task_source(path: Path) -> Source:
    """The task, by the names of the folders around the file."""
    with path.open("rb") as file:
        found = _FOLDER.search(file.read(4 * HEAD))
    parts = {part.lower().rpartition(".")[2] for part in path.resolve().parts}
    tool = next((name for part, name in _TOOLS.items() if part in parts), "cline")
    task = path.resolve().parent
    id = metadata.clean_id(task.name) if task.parent.name == "tasks" else None
    folder = found[1].decode("utf-8", "replace").replace("\\\\", "/") if found else None
    return Source(id or metadata.file_id(path), tool, project_name(folder))


def _project(path: Path) -> str | None:
    """From the manifest beside the messages."""
    about = metadata.read_object(path.with_name(path.name.replace(".messages.json", ".json")))
    return project_name(about.get("workspace_root") or about.get("cwd"))


def _parse(fields: object, index: int, *, plain: bool) -> list[Message | None]:
    """`plain`: text of the user without tags was typed, too."""
    if not isinstance(fields, Mapping):
        raise BadRecord("not an object")
    content, role = fields.get("content"), fields.get("role")
    if not isinstance(content, str | list):
        raise BadRecord("no content")
    at = metadata.parse_time(fields.get("ts"))
    id = metadata.clean_id(fields.get("id")) or message_id(fields, role, index)
    if role == "assistant":
        return _assistant(content, id, at)
    if role != "user":
        raise BadRecord("no role")
    if fields.get("isSummary") is True or fields.get("isTruncationMarker") is True:
        return []
    said = _Said.of(content, plain=plain)
    messages: list[Message | None] = []
    for number, result in enumerate(said.results, 1):
        messages.append(typed_text.tool_message(f"{id}.{number}", result.text, at, failed=result.failed))
        words = "\n".join(result.words)
        if words:
            denied = result.text.lstrip().startswith(_DENIED)
            messages.append(person_message(words, f"{id}.{number}.said", at, failed=denied))
    return [*messages, person_message("\n".join(said.typed), id, at)]


def message_id(fields: Mapping[str, Any], kind: object, index: int) -> str:
    """By its time: what a person rewinds is overwritten, and its index used again."""
    at = metadata.clean_id(fields.get("ts"))
    return (metadata.clean_id(f"{at}-{kind}") if at else None) or f"m{index}"


class _Result(NamedTuple):
    text: str
    failed: bool
    words: tuple[str, ...]
    """What the person said to it."""


class _Said(NamedTuple):
    typed: tuple[str, ...]
    results: tuple[_Result, ...]

    @staticmethod
    def of(content: str | list[Any], *, plain: bool) -> _Said:
        typed: list[str] = []
        results: list[tuple[list[str], bool]] = []
        answering = False  # a text without tags belongs to the result before it
        for block in [content] if isinstance(content, str) else content:
            if isinstance(block, Mapping) and block.get("type") == "tool_result":
                text = blocks.flatten_text(block.get("content"))
                results.append(([text], block.get("is_error") is True))
                answering = False
                continue
            text = blocks.flatten_text(block)
            body = None if plain else _result_body(text)
            if plain:
                typed += _typed(text) or (text,)
            elif body is not None:
                results.append(([body], False))
                answering = True
            elif text.lstrip().startswith(_NOTICES):
                answering = False
            elif answering and not _typed(text):
                results[-1][0].append(text)
            else:
                typed += _typed(text)
        return _Said(tuple(typed), tuple(_result("\n".join(texts), failed=failed) for texts, failed in results))


def _result_body(text: str) -> str | None:
    """What follows `[read_file for 'a.py'] Result:`; None if the text is no result."""
    if not _HEADER.match(text):
        return None
    end = text.find(_HEADER_END, 0, _HEADER_CHARACTERS)
    return text[end + len(_HEADER_END) :].lstrip() if end >= 0 else None


def _result(text: str, *, failed: bool) -> _Result:
    about = blocks.decode_object(text) if '"feedback"' in text[:_HEADER_CHARACTERS] else None
    if isinstance(about, Mapping):
        said = about.get("feedback")
        words: tuple[str, ...] = (said,) if isinstance(said, str) and said.strip() else ()
    else:
        words = _inside(text, _RESULT_OPENING.match(text)) or _inside(text, _FEEDBACK.search(text))
    failed = failed or text.lstrip().startswith(_FAILED) or blocks.reports_failure(text)
    return _Result(text, failed, words)


def _typed(text: str) -> tuple[str, ...]:
    """What stands inside the tags around what a person typed."""
    return _inside(text, _TYPED.search(text, 0, _HEADER_CHARACTERS))


def _inside(text: str, opening: re.Match[str] | None) -> tuple[str, ...]:
    if opening is None:
        return ()
    end = text.find(f"</{opening[1]}>", opening.end())
    return (text[opening.end() : end if end >= 0 else len(text)],)


def person_message(words: str, id: str, at: datetime | None, *, failed: bool = False) -> Message | None:
    """What a person typed, without what the extension put into it. `failed`: they refused something."""
    words = _SEEN_BELOW.sub("", words) if "(see below" in words else words
    if not words.strip():
        return None
    message = typed_text.user_message(id, words, at)
    if not failed or message is None or message.role is not Speaker.USER:
        return message
    return Message(id, Speaker.USER, message.text, at, failed=True)


def _assistant(content: str | list[Any], id: str, at: datetime | None) -> list[Message | None]:
    native = [block for block in content if _speaks(block)] if isinstance(content, list) else []
    rest = [block for block in content if not _speaks(block)] if isinstance(content, list) else content
    found = blocks.parse_content(rest) or blocks.MessageContent("")
    interrupted = _INTERRUPTED.search(found.text)
    text, tools = _split_tools(found.text[: interrupted.start()] if interrupted else found.text)
    words = [text, *(str(block["input"].get(_SPEAKING[block["name"]]) or "") for block in native)]
    reply = typed_text.assistant_message(id, "\n\n".join(filter(None, words)), at, found.tools + tools)
    return [reply, Message(f"{id}.stopped", Speaker.USER, "", at, failed=True) if interrupted else None]


def _speaks(block: object) -> bool:
    """Whether the call of a tool is what the agent says to the person."""
    return (
        isinstance(block, Mapping)
        and block.get("type") == "tool_use"
        and isinstance(name := block.get("name"), str)
        and name in _SPEAKING
        and isinstance(block.get("input"), Mapping)
    )


def _split_tools(text: str) -> tuple[str, tuple[ToolCall, ...]]:
    """The text without the calls that stand in it as XML; those that speak are text."""
    if "<thinking>" in text:
        text = _THOUGHTS.sub("", text)
    kept: list[str] = []
    tools: list[ToolCall] = []
    done = 0
    while opening := _TOOL.search(text, done):
        name, end = opening[1], text.find(f"</{opening[1]}>", opening.end())
        body = text[opening.end() : end if end >= 0 else len(text)]
        kept.append(text[done : opening.start()])
        parameters = _parameters(body)
        if name in _SPEAKING:
            kept.append(parameters.get(_SPEAKING[name], ""))
        else:
            tools.append(typed_text.tool_call(name, blocks.summarise_input(parameters)))
        done = end + len(name) + 3 if end >= 0 else len(text)
    return "".join((*kept, text[done:])), tuple(tools)


def _parameters(body: str) -> dict[str, str]:
    found: dict[str, str] = {}
    opening = _PARAMETER.search(body)
    while opening:
        end = body.find(f"</{opening[1]}>", opening.end())
        if end < 0:
            break
        found.setdefault(opening[1], body[opening.end() : end].strip())
        opening = _PARAMETER.search(body, end)
    return found

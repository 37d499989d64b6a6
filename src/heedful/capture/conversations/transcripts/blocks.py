"""The content of a message: text, or blocks of text, tool calls and tool results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from heedful.capture.conversations.transcripts.decoding import InvalidJson, decode_json
from heedful.capture.conversations.transcripts.typed_text import tool_call
from heedful.records.transcript import ToolCall

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "tool_call", "toolCall"})
_HIDDEN = frozenset({"thinking", "redacted_thinking", "reasoning", "thoughts", "encrypted_content"})
_INPUT_KEY_LIST = """
    command cmd script file_path filePath filepath path absolute_path target_file notebook_path relative_workspace_path
    pattern query search_term url code prompt description skill question plan input
"""
_INPUT_KEYS = tuple(sorted(_INPUT_KEY_LIST.split(), key="pattern".__ne__))  # a pattern before its path
_WHERE = ("path", "glob")  # what a pattern is looked for in
_ASKED_CHARACTERS = 2_000  # looked at; far fewer are kept
_DEPTH = 4
_EXIT = re.compile(r"^(?:Exit code:? |Process exited with code |\[?Exit code: )(-?\d{1,9})", re.MULTILINE)
_FAILED = ("<tool_use_error>", "Error:", "error:", "**Error:**", "The user doesn't want to ", "execution error")
_STATUS_CHARACTERS = 400


class ToolResult(NamedTuple):
    text: str
    failed: bool


class MessageContent(NamedTuple):
    text: str
    tools: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


def parse_content(value: object, between: str = "\n\n") -> MessageContent | None:
    """Parses the content of a message; None if it has none."""
    if isinstance(value, str):
        return MessageContent(value)
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, list):
        return None
    texts: list[str] = []
    tools: list[ToolCall] = []
    results: list[ToolResult] = []
    for block in value:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping):
            kind = block.get("type")
            if isinstance(kind, str) and kind in _CALLS:
                tools.append(tool_call(block.get("name") or block.get("toolName"), summarise_input(_input(block))))
            elif isinstance(kind, str) and kind.endswith("tool_result"):
                results.append(ToolResult(flatten_text(block.get("content")), block.get("is_error") is True))
            else:
                texts.append(_text(block))
    return MessageContent(between.join(filter(None, texts)), tuple(tools), tuple(results))


def flatten_text(value: object, depth: int = _DEPTH) -> str:
    """All text of a result, however it is nested."""
    if isinstance(value, str):
        return value
    if depth == 0:
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, (flatten_text(part, depth - 1) for part in value)))
    if not isinstance(value, Mapping):
        return ""
    return _text(value) or next(
        (
            text
            for key in ("output", "content", "result", "error", "stdout")
            if (text := flatten_text(value.get(key), depth - 1))
        ),
        "",
    )


def summarise_input(value: object) -> str:
    """The command, path or pattern that a tool was called with."""
    if isinstance(value, str):
        unpacked = decode_object(value)
        return value[:_ASKED_CHARACTERS] if unpacked is None else summarise_input(unpacked)
    if isinstance(value, list):
        return " ".join(part for part in value[:100] if isinstance(part, str))[:_ASKED_CHARACTERS]
    if not isinstance(value, Mapping):
        return ""
    for key in _INPUT_KEYS:
        found = value.get(key)
        if isinstance(found, list):
            found = summarise_input(found)
        if isinstance(found, str) and found.strip():
            inside = next((v for name in _WHERE if isinstance(v := value.get(name), str)), "")
            return (
                f"{found[:_ASKED_CHARACTERS]} in {inside}" if key == "pattern" and inside else found[:_ASKED_CHARACTERS]
            )
    try:
        return orjson.dumps(value, default=str).decode()[:_ASKED_CHARACTERS] if value else ""
    except (TypeError, orjson.JSONEncodeError):
        return ""


def decode_object(text: str) -> Any:
    """Decodes a JSON object inside a text; None if there is none."""
    if text.lstrip()[:1] != "{":
        return None
    try:
        value = decode_json(text.encode(errors="replace"))
    except InvalidJson:
        return None
    return value if isinstance(value, dict) else None


def reports_failure(text: str) -> bool:
    """Whether a result without a flag reports an error."""
    text = text.lstrip()[:_STATUS_CHARACTERS]
    code = _EXIT.search(text)
    return text.startswith(_FAILED) or (code is not None and int(code[1]) != 0)


def _input(block: Mapping[str, Any]) -> object:
    return next((block[key] for key in ("input", "args", "arguments") if key in block), None)


def _text(block: Mapping[str, Any]) -> str:
    text, kind = block.get("text"), block.get("type")
    hidden = block.get("thought") is True or (isinstance(kind, str) and kind in _HIDDEN)
    return text if isinstance(text, str) and not hidden else ""

"""Lists of messages with a role and a content, as the APIs of language models take them.

One JSON file with a list, or with `messages`; or a line per conversation; or a line per message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.lines import JsonLine, read_lines
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Source, ToolCall
from heedful.text.project import project_name

_NAME = "messages"
_ROLES = ("user", "assistant", "tool", "function", "system", "developer", "human", "model")
_IDS = ("conversation_id", "session_id", "sessionId", "thread_id", "uuid", "id")
_TIMES = ("timestamp", "created_at", "createdAt", "time", "create_time")


class MessageList:
    """One file that holds a conversation, or an array of conversations."""

    name = _NAME
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return (opening == "[" and "role" in keys and bool(keys & {"content", "tool_calls"})) or "messages" in keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        def conversations(element: JsonElement) -> Iterator[Conversation]:
            listed = element.fields.get("messages")
            alone = Source(metadata.file_id(path), _NAME)
            source = alone if listed is None else _source_of(element.fields, metadata.file_id(path, element.number))
            first = element.number if listed is None else 0
            yield source, parse_each(_messages_in(element.fields), _parse_indexed, first)

        return read_elements(path, conversations)


class MessageLines:
    """A conversation, or a message, per line."""

    name = "messages-lines"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        if records and b"\n" in head.strip():
            return any(_is_list(r.get("messages")) or is_message(r) for r in records)
        opening, keys = head_keys(head)
        return opening == "{" and ({"role", "content"} <= keys)

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        def parse(line: JsonLine) -> tuple[Source, Iterable[Message | BadRecord]]:
            if "messages" not in line.fields:
                return Source(metadata.file_id(path), _NAME), parse_message(line.fields, f"at-{line.start}")
            source = _source_of(line.fields, metadata.file_id(path, line.start))
            return source, parse_each(_messages_in(line.fields), _parse_indexed)

        return read_lines(path, start, parse)


def is_message(fields: object) -> bool:
    return (
        isinstance(fields, Mapping) and fields.get("role") in _ROLES and bool(fields.keys() & {"content", "tool_calls"})
    )


def _parse_indexed(fields: object, index: int) -> list[Message]:
    return parse_message(fields, f"m{index}")


def parse_message(fields: object, place: str) -> list[Message]:
    """One message, the results of its tools first. `place` is its id if it has none."""
    if not isinstance(fields, Mapping):
        raise BadRecord("not an object")
    role = fields.get("role")
    found = blocks.parse_content(fields.get("content") or "")
    if found is None or role not in _ROLES:
        raise BadRecord("no role" if found else "no content")
    id = metadata.clean_id(fields.get("id")) or metadata.clean_id(fields.get("uuid")) or place
    at = next((at for key in _TIMES if (at := metadata.parse_time(fields.get(key)))), None)
    results: list[Message | None] = []
    for number, result in enumerate(found.results, 1):
        results.append(typed_text.tool_message(f"{id}.{number}", result.text, at, failed=result.failed))
        results.append(typed_text.refusal_message(f"{id}.{number}.said", result.text, at))
    match role:
        case "user" | "human":
            last = typed_text.user_message(id, found.text, at)
        case "tool" | "function":
            failed = fields.get("is_error") is True or blocks.reports_failure(found.text)
            last = typed_text.tool_message(id, found.text, at, failed=failed)
        case "assistant" | "model":
            last = typed_text.assistant_message(id, found.text, at, found.tools + _tool_calls(fields))
        case _:
            last = typed_text.system_message(id, found.text, at)
    return [message for message in (*results, last) if message]


def _messages_in(fields: Mapping[str, Any]) -> list[object]:
    messages = fields.get("messages", [fields])
    return messages if isinstance(messages, list) else [messages]


def _source_of(fields: Mapping[str, Any], otherwise: str) -> Source:
    own = next((id for key in _IDS if (id := metadata.clean_id(fields.get(key)))), None)
    return Source(own or otherwise, _NAME, project_name(fields.get("cwd")), metadata.clean_title(fields.get("title")))


def _tool_calls(fields: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    calls = fields.get("tool_calls")
    older = fields.get("function_call")
    wanted = [c.get("function", c) for c in calls if isinstance(c, Mapping)] if isinstance(calls, list) else []
    return tuple(
        typed_text.tool_call(c.get("name"), blocks.summarise_input(c.get("arguments") or c.get("args")))
        for c in (*wanted, older)
        if isinstance(c, Mapping)
    )


def _is_list(value: object) -> bool:
    return isinstance(value, list) and any(is_message(m) for m in value[:20])

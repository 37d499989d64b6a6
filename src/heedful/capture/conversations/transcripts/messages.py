"""Lists of messages with a role and a content, as the APIs of language models take them.

One JSON file with a list, or with `messages`; or a line per conversation; or a line per message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts.blocks import asked, content, reports_failure
from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.elements import damaged, elements
from heedful.capture.conversations.transcripts.identity import identity, moment, of_file, project, title
from heedful.capture.conversations.transcripts.lines import Lines
from heedful.capture.conversations.transcripts.said import Damaged, Said
from heedful.capture.conversations.transcripts.speech import by_assistant, by_program, by_tool, by_user, call, objection
from heedful.records.transcript import Message, Source, ToolCall

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

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:  # noqa: ARG002 - it is read whole
        whole = Source(of_file(path), _NAME)
        for element in elements(path):
            if isinstance(element, Damaged):
                yield element
                continue
            listed = element.fields.get("messages")
            source = whole if listed is None else _source(element.fields, of_file(path, element.number))
            first = element.number if listed is None else 0
            for index, fields in enumerate(_many(element.fields), first):
                said = said_of(fields, f"m{index}")
                if isinstance(said, str):
                    yield damaged(element.number, said)
                else:
                    yield from (Said(source, message, element.position) for message in said)


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

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:
        whole = Source(of_file(path), _NAME)
        lines = Lines(path, start)
        for record in lines:
            if isinstance(record, Damaged):
                yield record
                continue
            alone = "messages" not in record.fields
            source = whole if alone else _source(record.fields, of_file(path, record.start))
            pending: Message | None = None
            for index, fields in enumerate(_many(record.fields)):
                said = said_of(fields, f"at-{record.start}" if alone else f"m{index}")
                if isinstance(said, str):
                    yield lines.damaged(said)
                    continue
                for message in said:
                    if pending:
                        yield Said(source, pending, record.start)
                    pending = message
            if pending:
                yield Said(source, pending, record.end)


def is_message(fields: object) -> bool:
    return (
        isinstance(fields, Mapping) and fields.get("role") in _ROLES and bool(fields.keys() & {"content", "tool_calls"})
    )


def said_of(fields: object, place: str) -> list[Message] | str:
    """What one of these messages says, the answers of its tools first; or why it cannot be read."""
    if not isinstance(fields, Mapping):
        return "not an object"
    role = fields.get("role")
    found = content(fields.get("content") or "")
    if found is None or role not in _ROLES:
        return "no role" if found else "no content"
    id = identity(fields.get("id")) or identity(fields.get("uuid")) or place
    at = next((at for key in _TIMES if (at := moment(fields.get(key)))), None)
    answers: list[Message | None] = []
    for number, answer in enumerate(found.answers, 1):
        answers.append(by_tool(f"{id}.{number}", answer.text, at, failed=answer.failed))
        answers.append(objection(f"{id}.{number}.said", answer.text, at))
    match role:
        case "user" | "human":
            last = by_user(id, found.text, at)
        case "tool" | "function":
            failed = fields.get("is_error") is True or reports_failure(found.text)
            last = by_tool(id, found.text, at, failed=failed)
        case "assistant" | "model":
            last = by_assistant(id, found.text, at, found.tools + _calls(fields))
        case _:
            last = by_program(id, found.text, at)
    return [message for message in (*answers, last) if message]


def _many(fields: Mapping[str, Any]) -> list[object]:
    messages = fields.get("messages", [fields])
    return messages if isinstance(messages, list) else [messages]


def _source(fields: Mapping[str, Any], otherwise: str) -> Source:
    own = next((id for key in _IDS if (id := identity(fields.get(key)))), None)
    return Source(own or otherwise, _NAME, project(fields.get("cwd")), title(fields.get("title")))


def _calls(fields: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    calls = fields.get("tool_calls")
    older = fields.get("function_call")
    wanted = [c.get("function", c) for c in calls if isinstance(c, Mapping)] if isinstance(calls, list) else []
    return tuple(
        call(c.get("name"), asked(c.get("arguments") or c.get("args")))
        for c in (*wanted, older)
        if isinstance(c, Mapping)
    )


def _is_list(value: object) -> bool:
    return isinstance(value, list) and any(is_message(m) for m in value[:20])

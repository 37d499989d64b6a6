"""Kimi CLI: ~/.kimi/sessions/<folder>/<session>/wire.jsonl, the events of a session.

`context.jsonl` beside it holds what the model sees. It is rewritten when it is compacted or rewound, and read only
where an older version wrote no events.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_records
from heedful.capture.conversations.transcripts.lines import JsonLine, read_lines
from heedful.capture.conversations.transcripts.messages import parse_message
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source, Speaker
from heedful.text.project import project_name

_NAME = "kimi"
_EVENTS = "wire.jsonl"
_OWN = ("TurnBegin", "StepBegin", "StatusUpdate")


class Kimi:
    """The events of a session."""

    name = _NAME
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        return any(_kind(record) in _OWN for record in head_records(head))

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        if path.resolve().parent.parent.name == "subagents":  # no person takes part
            return iter(())
        source = _source_of(path)

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            if line.fields.get("type") == "metadata":
                return source, []
            kind, event = _kind(line.fields), line.fields.get("message")
            if kind is None or not isinstance(event, Mapping) or not isinstance(event.get("payload"), Mapping):
                raise BadRecord("no message")
            at = metadata.parse_time(line.fields.get("timestamp"))
            message = _EVENT_KINDS[kind](event["payload"], f"at-{line.start}", at) if kind in _EVENT_KINDS else None
            return source, [message] if message else []

        return read_lines(path, start, parse)


class KimiContext:
    """What the model sees."""

    name = "kimi-context"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        return any(isinstance(role := r.get("role"), str) and role.startswith("_") for r in head_records(head))

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        if path.with_name(_EVENTS).is_file() or path.resolve().parent.parent.name == "subagents":
            return iter(())
        source = _source_of(path)

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            role = line.fields.get("role")
            if isinstance(role, str) and role.startswith("_"):
                return source, []
            return source, parse_message(line.fields, f"at-{line.start}")

        return read_lines(path, 0, parse)


def _kind(fields: Mapping[str, Any]) -> str | None:
    event = fields.get("message")
    kind = event.get("type") if isinstance(event, Mapping) else None
    return kind if isinstance(kind, str) else None


def _source_of(path: Path) -> Source:
    session = path.resolve().parent
    about = metadata.read_object(session.parent.parent.parent / "kimi.json")
    listed = about.get("work_dirs")
    folders = [w.get("path") for w in listed if isinstance(w, Mapping)] if isinstance(listed, list) else []
    folder = next((f for f in folders if isinstance(f, str) and _digest(f) == session.parent.name), None)
    return Source(metadata.uuid_in_name(session) or metadata.file_id(session), _NAME, project_name(folder))


def _digest(folder: str) -> str:
    """The name of the folder that holds the sessions of this one."""
    return hashlib.md5(folder.encode(errors="replace"), usedforsecurity=False).hexdigest()


def _user(event: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    found = blocks.parse_content(event.get("user_input"))
    if found is None:
        raise BadRecord("no content")
    command = found.text.startswith("/") and "\n" not in found.text.strip()
    return typed_text.user_message(id, found.text, at, machine=command)


def _part(event: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    text = event.get("text") if event.get("type") == "text" else None
    return typed_text.assistant_message(id, text, at) if isinstance(text, str) else None


def _call(event: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    wanted = event.get("function")
    if not isinstance(wanted, Mapping):
        raise BadRecord("no content")
    tool = typed_text.tool_call(wanted.get("name"), blocks.summarise_input(wanted.get("arguments")))
    return typed_text.assistant_message(id, "", at, (tool,))


def _tool_result(event: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    value = event.get("return_value", event.get("result"))
    if not isinstance(value, Mapping):
        raise BadRecord("no content")
    text = "\n".join(
        filter(None, (blocks.flatten_text(value.get("message")), blocks.flatten_text(value.get("output"))))
    )
    return typed_text.tool_message(id, text, at, failed=value.get("is_error") is True)


def _refusal(event: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    """What a person wrote when they refused a tool."""
    said = event.get("feedback")
    if event.get("response") != "reject" or not isinstance(said, str) or not said.strip():
        return None
    return Message(id, Speaker.USER, typed_text.clip_text(said), at, failed=True)


_EVENT_KINDS = {
    "TurnBegin": _user,
    "SteerInput": _user,
    "ContentPart": _part,
    "ToolCall": _call,
    "ToolResult": _tool_result,
    "ApprovalResponse": _refusal,
}

"""Qwen Code: ~/.qwen/projects/<folder>/chats/<session>.jsonl.

Records as Claude Code writes them, around messages as Gemini's API has them. Older versions wrote the files of Gemini
CLI, and its readers read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_records
from heedful.capture.conversations.transcripts.lines import LINE_LIMIT, JsonLine, read_lines
from heedful.capture.conversations.transcripts.reader import HEAD, BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source, Speaker
from heedful.text.project import project_name

_SPOKEN = (None, "mid_turn_user_message")  # of the subtypes of a user's message; the others a program sent
_PEOPLE = (None, "real_user")


class QwenCode:
    name = "qwen-code"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        return any(
            isinstance(message := record.get("message"), Mapping) and "parts" in message and "sessionId" in record
            for record in head_records(head)
        )

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        with path.open("rb") as file:
            head = head_records(file.readline(LINE_LIMIT) + file.read(HEAD))
        project = next((found for r in head if (found := project_name(r.get("cwd")))), None)
        title = next((found for r in head if (found := _title(r))), None)

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            fields = line.fields
            conversation, id = _place(fields, f"at-{line.start}")
            source = Source(
                conversation or metadata.uuid_in_name(path) or metadata.file_id(path), self.name, project, title
            )
            if fields.get("isSidechain") is True or fields.get("agentId"):  # no person takes part
                return source, []
            messages = _parse(fields, id, metadata.parse_time(fields.get("timestamp")))
            return source, [message for message in messages if message]

        return read_lines(path, start, parse)


def _title(fields: Mapping[str, Any]) -> str | None:
    about = fields.get("systemPayload")
    named = fields.get("subtype") == "custom_title" and isinstance(about, Mapping)
    return metadata.clean_title(about.get("customTitle")) if named and isinstance(about, Mapping) else None


def _place(fields: Mapping[str, Any], otherwise: str) -> tuple[str | None, str]:
    """Ids of the conversation and the message. A branch repeats messages of another session."""
    origin = fields.get("forkedFrom")
    conversation = origin.get("sessionId") if isinstance(origin, Mapping) else fields.get("sessionId")
    return metadata.clean_id(conversation), metadata.clean_id(fields.get("uuid")) or otherwise


def _parse(fields: Mapping[str, Any], id: str, at: datetime | None) -> list[Message | None]:
    kind = fields.get("type")
    if kind == "system":
        return []
    message = fields.get("message")
    parts = message.get("parts") if isinstance(message, Mapping) else None
    if not isinstance(parts, list):
        raise BadRecord("no message")
    match kind:
        case "user":
            return [_user(fields, parts, id, at)]
        case "assistant":
            calls = [
                call
                for part in parts
                if isinstance(part, Mapping) and isinstance(call := part.get("functionCall"), Mapping)
            ]
            tools = tuple(
                typed_text.tool_call(call.get("name"), blocks.summarise_input(call.get("args"))) for call in calls
            )
            return [typed_text.assistant_message(id, _text(parts), at, tools)]
        case "tool_result":
            return _tool_result(fields, parts, id, at)
        case _:
            raise BadRecord("unknown kind of record")


def _user(fields: Mapping[str, Any], parts: list[object], id: str, at: datetime | None) -> Message | None:
    about = fields.get("systemPayload")
    shown = about.get("displayText") if isinstance(about, Mapping) else None
    machine = fields.get("subtype") not in _SPOKEN or fields.get("provenance") not in _PEOPLE
    text = shown if isinstance(shown, str) and shown.strip() else _text(parts)
    return typed_text.user_message(id, text, at, machine=machine)


def _tool_result(fields: Mapping[str, Any], parts: list[object], id: str, at: datetime | None) -> list[Message | None]:
    about = fields.get("toolCallResult")
    status = about.get("status") if isinstance(about, Mapping) else None
    responses = [
        response.get("response")
        for part in parts
        if isinstance(part, Mapping) and isinstance(response := part.get("functionResponse"), Mapping)
    ]
    answer = typed_text.tool_message(id, blocks.flatten_text(responses), at, failed=status == "error")
    stopped = Message(f"{id}.stopped", Speaker.USER, "", at, failed=True) if status == "cancelled" else None
    return [answer, stopped]


def _text(parts: list[object]) -> str:
    found = blocks.parse_content(parts, between="\n")
    return found.text if found else ""

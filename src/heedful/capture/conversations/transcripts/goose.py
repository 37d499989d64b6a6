"""goose: ~/.local/share/goose/sessions/sessions.db, or a JSON Lines file per session that older versions wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import InvalidJson, decode_json, head_records
from heedful.capture.conversations.transcripts.lines import LINE_LIMIT, JsonLine, read_lines
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source, ToolCall
from heedful.text.project import project_name

if TYPE_CHECKING:
    from heedful.providers.sqlite_file import SqliteFile

_MAGIC = b"SQLite format 3\x00"
_NAME = "goose"
_SESSIONS = (
    "SELECT id, name, description, working_dir FROM sessions WHERE session_type = 'user' ORDER BY created_at, id"
)
_MESSAGES = """
    SELECT message_id, id, role, content_json AS content, created_timestamp AS created, metadata_json AS metadata
    FROM messages WHERE session_id = ? ORDER BY id
"""


class Goose:
    """The database."""

    name = _NAME
    follows = False

    def recognises(self, path: Path, head: bytes, /) -> bool:
        if not head.startswith(_MAGIC):
            return False
        from heedful.providers.sqlite_file import UnreadableDatabase, open_sqlite_file  # noqa: PLC0415 - clients have none

        try:
            with open_sqlite_file(path) as database:
                own = {"message_id", "content_json", "created_timestamp"} <= database.columns("messages")
                return own and "session_type" in database.columns("sessions")
        except UnreadableDatabase:
            return False

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        from heedful.providers.sqlite_file import UnreadableDatabase, open_sqlite_file  # noqa: PLC0415 - clients have none

        try:
            with open_sqlite_file(path) as database:
                for session in database.rows(_SESSIONS):
                    yield from _read_session(database, session)
        except UnreadableDatabase as error:
            yield DamagedRecord("database", str(error))


class GooseLines:
    """A record with the session, and then its messages."""

    name = "goose-lines"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        begun = bool(records) and "working_dir" in records[0] and "role" not in records[0]
        return begun and any(isinstance(r.get("content"), list) and "role" in r for r in records[1:])

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        with path.open("rb") as file:
            records = head_records(file.readline(LINE_LIMIT))
        about = records[0] if records else {}
        folder, title = about.get("working_dir"), about.get("description")
        source = Source(metadata.file_id(path), _NAME, project_name(folder), metadata.clean_title(title))

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            if "role" not in line.fields and "working_dir" in line.fields:
                return source, []
            return source, [message for message in _parse(line.fields, f"at-{line.start}") if message]

        return read_lines(path, start, parse)


def _read_session(database: SqliteFile, session: Mapping[str, Any]) -> Iterator[TranscriptMessage | DamagedRecord]:
    source = Source(
        metadata.clean_id(session["id"]) or "unknown",
        _NAME,
        project_name(session["working_dir"]),
        metadata.clean_title(session["name"]) or metadata.clean_title(session["description"]),
    )
    for row in database.rows(_MESSAGES, session["id"]):
        fields = {**row, "content": _decoded(row["content"]), "metadata": _decoded(row["metadata"])}
        id = metadata.clean_id(row["message_id"]) or f"m{row['id']}"
        try:
            messages = _parse(fields, id)
        except BadRecord as error:
            yield DamagedRecord(f"message {row['id']}", str(error))
            continue
        yield from (TranscriptMessage(source, message, 0) for message in messages if message)


def _decoded(text: object) -> Any:
    try:
        return decode_json(text.encode(errors="replace")) if isinstance(text, str) else None
    except InvalidJson:
        return None


def _parse(fields: Mapping[str, Any], id: str) -> list[Message | None]:
    content, about = fields.get("content"), fields.get("metadata")
    if not isinstance(content, list):
        raise BadRecord("no content")
    parts = [part for part in content if isinstance(part, Mapping)]
    at = metadata.parse_time(fields.get("created"))
    found = blocks.parse_content([part for part in parts if part.get("type") == "text"])
    text = found.text if found else ""
    messages = [
        _tool_result(part, f"{id}.{n}", at) for n, part in enumerate(parts, 1) if part.get("type") == "toolResponse"
    ]
    if fields.get("role") == "assistant":
        tools = tuple(_tool_call(part) for part in parts if part.get("type") in ("toolRequest", "frontendToolRequest"))
        return [typed_text.assistant_message(id, text, at, tools), *messages]
    if fields.get("role") != "user":
        raise BadRecord("no role")
    hidden = isinstance(about, Mapping) and about.get("userVisible") is False
    return [*messages, typed_text.user_message(id, text, at, machine=hidden) if text else None]


def _tool_call(part: Mapping[str, Any]) -> ToolCall:
    wanted = part.get("toolCall")
    called = wanted.get("value") if isinstance(wanted, Mapping) else None
    if not isinstance(called, Mapping):
        return typed_text.tool_call(None, "")
    return typed_text.tool_call(called.get("name"), blocks.summarise_input(called.get("arguments")))


def _tool_result(part: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    result = part.get("toolResult")
    if not isinstance(result, Mapping):
        raise BadRecord("no content")
    value = result.get("value")
    text = blocks.flatten_text(value) or blocks.flatten_text(result.get("error"))
    failed = result.get("status") == "error" or (isinstance(value, Mapping) and value.get("isError") is True)
    return typed_text.tool_message(id, text, at, failed=failed or blocks.reports_failure(text))

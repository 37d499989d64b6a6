"""OpenCode: ~/.local/share/opencode/opencode.db, or the tree of JSON files in `storage` that older versions wrote.

In both, a session has messages, and a message has parts. Sessions of subagents are skipped: no person takes part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import InvalidJson, decode_json, head_keys
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Source, Speaker, ToolCall
from heedful.text.project import project_name

if TYPE_CHECKING:
    from heedful.providers.sqlite_file import SqliteFile

_MAGIC = b"SQLite format 3\x00"
_NAME = "opencode"
_PART_BYTES = 16 * 1024 * 1024
_FEEDBACK = "with the following feedback: "
_REFUSED = "The user rejected permission"


class OpenCode:
    """The database."""

    name = _NAME
    follows = False

    def recognises(self, path: Path, head: bytes, /) -> bool:
        if not head.startswith(_MAGIC):
            return False
        from heedful.providers.sqlite_file import UnreadableDatabase, open_sqlite_file  # noqa: PLC0415 - clients have none

        try:
            with open_sqlite_file(path) as database:
                return {"message_id", "session_id", "data"} <= database.columns("part")
        except UnreadableDatabase:
            return False

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        from heedful.providers.sqlite_file import UnreadableDatabase, open_sqlite_file  # noqa: PLC0415 - clients have none

        try:
            with open_sqlite_file(path) as database:
                for session in database.rows(
                    "SELECT id, directory, title FROM session WHERE parent_id IS NULL ORDER BY time_created, id"
                ):
                    yield from _read_session(session, _rows_of(database, str(session["id"])))
        except UnreadableDatabase as error:
            yield DamagedRecord("database", str(error))


class OpenCodeFiles:
    """The file of a session; its messages and parts lie in folders beside."""

    name = "opencode-files"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "{" and {"id", "projectID", "directory", "time"} <= keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        session = metadata.read_object(path)
        id = session.get("id")
        if not session.get("parentID") and isinstance(id, str) and _is_name(id):
            yield from _read_session(session, _files_of(path.resolve().parent.parent.parent, id))


class _Record(NamedTuple):
    """A message with its parts."""

    id: str
    about: Mapping[str, Any]
    parts: list[Any]


def _read_session(
    session: Mapping[str, Any], records: Iterable[_Record | DamagedRecord]
) -> Iterator[TranscriptMessage | DamagedRecord]:
    source = Source(
        metadata.clean_id(session.get("id")) or "unknown",
        _NAME,
        project_name(session.get("directory")),
        metadata.clean_title(session.get("title")),
    )
    for record in records:
        if isinstance(record, DamagedRecord):
            yield record
            continue
        for message in parse_each([record], _parse):
            if isinstance(message, BadRecord):
                yield DamagedRecord(f"message {record.id}", str(message))
            else:
                yield TranscriptMessage(source, message, 0)


def _rows_of(database: SqliteFile, session: str) -> Iterator[_Record | DamagedRecord]:
    messages = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
    for row in database.rows(messages, session):
        id = str(row["id"])
        about = _decoded(row["data"])
        if not isinstance(about, Mapping):
            yield DamagedRecord(f"message {id}", "not JSON")
            continue
        parts = database.rows("SELECT data FROM part WHERE message_id = ? ORDER BY id", row["id"])
        yield _Record(id, about, [_decoded(part["data"]) for part in parts])


def _files_of(storage: Path, session: str) -> Iterator[_Record | DamagedRecord]:
    for file in sorted((storage / "message" / session).glob("*.json")):  # ids are in order of time
        about = _decoded(_content(file))
        if not isinstance(about, Mapping):
            yield DamagedRecord(f"message {file.stem}", "not JSON")
            continue
        parts = sorted((storage / "part" / file.stem).glob("*.json"))
        yield _Record(file.stem, about, [_decoded(_content(part)) for part in parts])


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(_PART_BYTES)
    except OSError:
        return b""


def _decoded(data: object) -> Any:
    """None if it is not JSON."""
    content = data.encode(errors="replace") if isinstance(data, str) else data
    try:
        return decode_json(content) if isinstance(content, bytes) else None
    except InvalidJson:
        return None


def _is_name(id: str) -> bool:
    """Whether it is the name of a folder, and not the way to another."""
    return id.isascii() and id.replace("_", "").isalnum()


def _parse(record: _Record, _index: int) -> list[Message | None]:
    about, id = record.about, metadata.clean_id(record.id) or "unknown"
    time = about.get("time")
    at = metadata.parse_time(time.get("created")) if isinstance(time, Mapping) else None
    parts = [part for part in record.parts if isinstance(part, Mapping)]
    if len(parts) < len(record.parts):
        raise BadRecord("not JSON")
    role = about.get("role")
    if role == "user":
        typed = [_text(part) for part in parts if part.get("synthetic") is not True and part.get("ignored") is not True]
        return [typed_text.user_message(id, "\n\n".join(filter(None, typed)), at)]
    if role != "assistant":
        raise BadRecord("no role")
    error = about.get("error")
    if error is None and not (isinstance(time, Mapping) and time.get("completed")):
        return []  # it is being written; a message is recorded once
    text = "\n\n".join(filter(None, map(_text, parts)))
    if about.get("summary") is True:
        return [typed_text.system_message(id, text, at)]
    used = [_ToolUse.of(part) for part in parts if part.get("type") == "tool"]
    messages = [typed_text.assistant_message(id, text, at, tuple(tool.call for tool in used))]
    for number, tool in enumerate(used, 1):
        messages.append(typed_text.tool_message(f"{id}.{number}", tool.answer, at, failed=tool.failed))
        if tool.answer.startswith(_REFUSED) and _FEEDBACK in tool.answer:
            words = typed_text.clip_text(tool.answer.partition(_FEEDBACK)[2])
            messages.append(Message(f"{id}.{number}.said", Speaker.USER, words, at, failed=True))
    stopped = isinstance(error, Mapping) and error.get("name") == "MessageAbortedError"
    return [*messages, Message(f"{id}.stopped", Speaker.USER, "", at, failed=True) if stopped else None]


class _ToolUse(NamedTuple):
    call: ToolCall
    answer: str
    failed: bool

    @staticmethod
    def of(part: Mapping[str, Any]) -> _ToolUse:
        found = part.get("state")
        state: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
        failed = state.get("status") == "error"
        answer = blocks.flatten_text(state.get("error" if failed else "output"))
        return _ToolUse(
            typed_text.tool_call(part.get("tool"), blocks.summarise_input(state.get("input"))),
            answer,
            failed or blocks.reports_failure(answer),
        )


def _text(part: Mapping[str, Any]) -> str:
    text = part.get("text")
    return text if part.get("type") == "text" and isinstance(text, str) else ""

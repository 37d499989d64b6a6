"""pi: ~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl, a record with the session and then a tree of entries.

All branches are read: what a person said on one they left, they said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_records
from heedful.capture.conversations.transcripts.lines import LINE_LIMIT, JsonLine, read_lines
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source, Speaker
from heedful.text.project import project_name

_PROGRAMS = ("bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary")


class Pi:
    name = "pi"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        return bool(records) and records[0].get("type") == "session" and {"id", "timestamp", "cwd"} <= records[0].keys()

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        with path.open("rb") as file:
            records = head_records(file.readline(LINE_LIMIT))
        about = records[0] if records else {}
        session = metadata.clean_id(about.get("id")) or metadata.uuid_in_name(path)
        source = Source(session or metadata.file_id(path), self.name, project_name(about.get("cwd")))

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            fields = line.fields
            if not isinstance(fields.get("type"), str):
                raise BadRecord("no type")
            if fields["type"] != "message":
                return source, []
            message = fields.get("message")
            if not isinstance(message, Mapping):
                raise BadRecord("no message")
            id = metadata.clean_id(fields.get("id")) or f"at-{line.start}"
            said = _parse(message, id, metadata.parse_time(fields.get("timestamp")))
            return source, [one for one in said if one]

        return read_lines(path, start, parse)


def _parse(message: Mapping[str, Any], id: str, at: datetime | None) -> list[Message | None]:
    role = message.get("role")
    if role in _PROGRAMS:
        return []
    found = blocks.parse_content(message.get("content"))
    if found is None:
        raise BadRecord("no content")
    match role:
        case "user":
            return [typed_text.user_message(id, found.text, at)]
        case "assistant":
            reply = typed_text.assistant_message(id, found.text, at, found.tools)
            stopped = message.get("stopReason") == "aborted"
            return [reply, Message(f"{id}.stopped", Speaker.USER, "", at, failed=True) if stopped else None]
        case "toolResult":
            return [typed_text.tool_message(id, found.text, at, failed=message.get("isError") is True)]
        case _:
            raise BadRecord("no role")

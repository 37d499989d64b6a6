"""Factory's Droid: ~/.factory/sessions/<folder>/<session>.jsonl, a record with the session and then its messages.

Sessions that another one called are skipped: no person takes part in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from heedful.capture.conversations.transcripts import metadata
from heedful.capture.conversations.transcripts.decoding import head_records
from heedful.capture.conversations.transcripts.lines import LINE_LIMIT, JsonLine, read_lines
from heedful.capture.conversations.transcripts.messages import parse_message
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source
from heedful.text.project import project_name


class Droid:
    name = "droid"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        return any(r.get("type") == "session_start" and "id" in r for r in head_records(head)[:5])

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        with path.open("rb") as file:
            records = head_records(file.readline(LINE_LIMIT))
        about = records[0] if records else {}
        if about.get("callingSessionId"):
            return iter(())
        source = Source(
            metadata.clean_id(about.get("id")) or metadata.uuid_in_name(path) or metadata.file_id(path),
            self.name,
            project_name(about.get("cwd")),
            metadata.clean_title(about.get("title")),
        )

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            fields = line.fields
            kind = fields.get("type", "message" if "role" in fields else None)
            if not isinstance(kind, str):
                raise BadRecord("no type")
            if kind != "message":
                return source, []
            message = fields.get("message", fields)
            if not isinstance(message, Mapping):
                raise BadRecord("no message")
            id = metadata.clean_id(fields.get("id")) or f"at-{line.start}"
            return source, parse_message({**message, "id": id, "timestamp": fields.get("timestamp")}, id)

        return read_lines(path, start, parse)

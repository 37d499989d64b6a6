"""Continue: ~/.continue/sessions/<session>.json, one object with its history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from heedful.capture.conversations.transcripts import metadata
from heedful.capture.conversations.transcripts.decoding import head_keys
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.messages import parse_message
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Source
from heedful.text.project import project_name


class Continue:
    name = "continue"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "{" and {"sessionId", "history"} <= keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        def conversations(element: JsonElement) -> Iterator[Conversation]:
            fields = element.fields
            history = fields.get("history")
            if isinstance(history, list):
                id = metadata.clean_id(fields.get("sessionId")) or metadata.file_id(path)
                folder = fields.get("workspaceDirectory")
                place = unquote(urlsplit(folder).path) if isinstance(folder, str) and "://" in folder else folder
                title = metadata.clean_title(fields.get("title"))
                yield Source(id, self.name, project_name(place), title), parse_each(history, _parse)

        return read_elements(path, conversations)


def _parse(item: object, index: int) -> list[Message]:
    message = item.get("message") if isinstance(item, Mapping) else None
    if not isinstance(message, Mapping):
        raise BadRecord("no message")
    if message.get("role") == "thinking":
        return []
    return parse_message({**message, "tool_calls": message.get("toolCalls")}, f"m{index}")

"""Claude.ai's export: conversations.json, an array of conversations with `chat_messages`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_keys
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Source

_PEOPLE = ("human", "user")


class ClaudeAi:
    name = "claude-ai"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        _, keys = head_keys(head)
        return "chat_messages" in keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        def conversations(element: JsonElement) -> Iterator[Conversation]:
            fields = element.fields
            messages = fields.get("chat_messages")
            if isinstance(messages, list):
                id = metadata.clean_id(fields.get("uuid")) or metadata.file_id(path, element.number)
                source = Source(id, self.name, title=metadata.clean_title(fields.get("name")))
                yield source, parse_each(_branch(messages, fields.get("current_leaf_message_uuid")), _parse)

        return read_elements(path, conversations)


def _branch(messages: list[object], leaf: object) -> list[object]:
    """The messages up to the leaf, or all of them if the export names none."""
    by_id = {id: m for m in messages if isinstance(m, Mapping) and isinstance(id := m.get("uuid"), str)}
    path: dict[str, object] = {}
    while isinstance(leaf, str) and leaf in by_id and leaf not in path:
        path[leaf] = by_id[leaf]
        leaf = by_id[leaf].get("parent_message_uuid")
    return list(reversed(path.values())) or messages


def _parse(fields: object, index: int) -> list[Message | None]:
    if not isinstance(fields, Mapping):
        raise BadRecord("not an object")
    found = blocks.parse_content(fields.get("content", ""))
    plain = fields.get("text")
    if found is None or not (found.text or found.tools or found.results):
        found = blocks.MessageContent(plain) if isinstance(plain, str) else found
    if found is None:
        raise BadRecord("no content")
    id = metadata.clean_id(fields.get("uuid")) or f"m{index}"
    at = metadata.parse_time(fields.get("created_at"))
    sender = fields.get("sender")
    if sender in _PEOPLE:
        return [typed_text.user_message(id, found.text, at)]
    if sender != "assistant":
        raise BadRecord("no role")
    results = [
        typed_text.tool_message(f"{id}.{n}", a.text, at, failed=a.failed) for n, a in enumerate(found.results, 1)
    ]
    return [typed_text.assistant_message(id, found.text, at, found.tools), *results]

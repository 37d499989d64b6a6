"""Claude.ai's export: conversations.json, an array of conversations with `chat_messages`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from heedful.capture.conversations.transcripts.blocks import Content, content
from heedful.capture.conversations.transcripts.decoding import head_keys
from heedful.capture.conversations.transcripts.elements import damaged, elements
from heedful.capture.conversations.transcripts.identity import identity, moment, of_file, title
from heedful.capture.conversations.transcripts.said import Damaged, Said
from heedful.capture.conversations.transcripts.speech import by_assistant, by_tool, by_user
from heedful.records.transcript import Message, Source

_PEOPLE = ("human", "user")


class ClaudeAi:
    name = "claude-ai"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        _, keys = head_keys(head)
        return "chat_messages" in keys

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:  # noqa: ARG002 - it is read whole
        for element in elements(path):
            if isinstance(element, Damaged):
                yield element
                continue
            messages = element.fields.get("chat_messages")
            if not isinstance(messages, list):
                yield damaged(element.number, "no messages")
                continue
            own = identity(element.fields.get("uuid"))
            source = Source(own or of_file(path, element.number), self.name, title=title(element.fields.get("name")))
            for index, fields in enumerate(_branch(messages, element.fields.get("current_leaf_message_uuid"))):
                said = _said(fields, index)
                if isinstance(said, str):
                    yield damaged(element.number, said)
                else:
                    yield from (Said(source, message, element.position) for message in said if message)


def _branch(messages: list[object], leaf: object) -> list[object]:
    """All of them, unless the export tells which answer the conversation went on from."""
    by_id = {id: m for m in messages if isinstance(m, Mapping) and isinstance(id := m.get("uuid"), str)}
    path: dict[str, object] = {}
    while isinstance(leaf, str) and leaf in by_id and leaf not in path:
        path[leaf] = by_id[leaf]
        leaf = by_id[leaf].get("parent_message_uuid")
    return list(reversed(path.values())) or messages


def _said(fields: object, index: int) -> list[Message | None] | str:
    if not isinstance(fields, Mapping):
        return "not an object"
    found = content(fields.get("content", ""))
    plain = fields.get("text")
    if found is None or not (found.text or found.tools or found.answers):
        found = Content(plain) if isinstance(plain, str) else found
    if found is None:
        return "no content"
    id = identity(fields.get("uuid")) or f"m{index}"
    at = moment(fields.get("created_at"))
    sender = fields.get("sender")
    if sender in _PEOPLE:
        return [by_user(id, found.text, at)]
    if sender != "assistant":
        return "no role"
    answers = [by_tool(f"{id}.{n}", a.text, at, failed=a.failed) for n, a in enumerate(found.answers, 1)]
    return [by_assistant(id, found.text, at, found.tools), *answers]

"""Cursor: JSON of its exporters, its own Markdown export, and transcripts of its agent.

Exporters write bubbles of type 1 (a person) and 2 (the assistant), in a composer or in a tab.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.lines import JsonLine, read_lines
from heedful.capture.conversations.transcripts.markdown import Turns
from heedful.capture.conversations.transcripts.messages import parse_message
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Source
from heedful.text.project import project_name

_NAME = "cursor"
_BUBBLES = ("bubbles", "conversation", "messages")
_WRAPPERS = ("tabs", "composers", "allComposers", "conversations", "chats")
_IDS = ("composerId", "tabId", "conversationId", "id")
_TITLES = ("name", "chatTitle", "title")
_PEOPLE, _ASSISTANTS = (1, "1", "user", "human"), (2, "2", "ai", "assistant")
_TEXTS = ("text", "rawText", "content")
_DEPTH = 3

_HEADER = re.compile(r"_?Exported on .{1,80} from Cursor\b")
_SPEAKER = re.compile(r"\*\*(User|Cursor|Assistant)\*\*")


class Cursor:
    """The JSON that exporters write."""

    name = _NAME
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        _, keys = head_keys(head)
        if keys & {"composerId", "bubbles", "allComposers", "fullConversationHeadersOnly", "composer"}:
            return True
        return bool(keys & set(_WRAPPERS)) and b'"bubbles"' in head

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        def conversations(element: JsonElement) -> Iterator[Conversation]:
            for number, conversation in enumerate(_conversations(element.fields)):
                begun = metadata.parse_time(conversation.get("createdAt"))
                parse = partial(_parse_bubble, begun=begun)
                source = _source_of(conversation, metadata.file_id(path, element.number, number))
                yield source, parse_each(_bubbles(conversation), parse)

        return read_elements(path, conversations)


class CursorMarkdown:
    """Cursor's own export."""

    name = "cursor-markdown"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        text = head[:2_000].decode("utf-8", "replace")
        return _HEADER.search(text) is not None

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        turns = Turns(path, _speaker)
        for index, turn in enumerate(turns):
            source = Source(metadata.file_id(path), _NAME, title=metadata.clean_title(turns.title))
            id = f"m{index}"
            person = turn.speaker == "User"
            message = (
                typed_text.user_message(id, turn.text, None)
                if person
                else typed_text.assistant_message(id, turn.text, None)
            )
            if message:
                yield TranscriptMessage(source, message, 0)


class CursorAgent:
    """~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl: roles and blocks, without times or ids."""

    name = "cursor-agent"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        return any("role" in r and "type" not in r and isinstance(r.get("message"), Mapping) for r in records)

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        source = Source(metadata.uuid_in_name(path) or metadata.file_id(path), _NAME)

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            fields = line.fields
            if "role" not in fields and isinstance(fields.get("type"), str):
                return source, []  # the end of a turn
            wrapped = fields.get("message")
            if not isinstance(wrapped, Mapping):
                raise BadRecord("no message")
            return source, parse_message({**wrapped, "role": fields.get("role")}, f"at-{line.start}")

        return read_lines(path, start, parse)


def _speaker(line: str) -> tuple[str, str] | None:
    found = _SPEAKER.fullmatch(line)
    return (found[1], "") if found else None


def _conversations(fields: Mapping[str, Any], depth: int = _DEPTH) -> Iterator[Mapping[str, Any]]:
    if any(isinstance(fields.get(key), list) for key in (*_BUBBLES, "fullConversationHeadersOnly")):
        composer = fields.get("composer")
        yield {**composer, **fields} if isinstance(composer, Mapping) else fields
    elif depth:
        for key in _WRAPPERS:
            inner = fields.get(key)
            for conversation in inner if isinstance(inner, list) else ():
                if isinstance(conversation, Mapping):
                    yield from _conversations(conversation, depth - 1)


def _bubbles(conversation: Mapping[str, Any]) -> list[Any]:
    headers, bubbles = conversation.get("fullConversationHeadersOnly"), conversation.get("conversationMap")
    listed = next((found for key in _BUBBLES if isinstance(found := conversation.get(key), list) and found), [])
    if not isinstance(headers, list) or listed:
        return listed
    kept: Mapping[str, Any] = bubbles if isinstance(bubbles, Mapping) else {}
    ids = [header.get("bubbleId") for header in headers if isinstance(header, Mapping)]
    return [kept[id] for id in ids if isinstance(id, str) and id in kept]


def _source_of(conversation: Mapping[str, Any], otherwise: str) -> Source:
    own = next((id for key in _IDS if (id := metadata.clean_id(conversation.get(key)))), None)
    named = next((found for key in _TITLES if (found := metadata.clean_title(conversation.get(key)))), None)
    folder = conversation.get("workspacePath") or conversation.get("workspace") or conversation.get("rootPath")
    return Source(own or otherwise, _NAME, project_name(folder), named)


def _parse_bubble(bubble: object, index: int, begun: datetime | None) -> list[Message | None]:
    if not isinstance(bubble, Mapping):
        raise BadRecord("not an object")
    id = metadata.clean_id(bubble.get("bubbleId")) or metadata.clean_id(bubble.get("id")) or f"m{index}"
    at = next((at for key in ("createdAt", "timestamp") if (at := metadata.parse_time(bubble.get(key)))), begun)
    speaker = bubble.get("type", bubble.get("role"))
    text = next((found for key in _TEXTS if (found := blocks.flatten_text(bubble.get(key)))), "")
    if speaker in _PEOPLE:
        return [typed_text.user_message(id, text, at)]
    if speaker not in _ASSISTANTS:
        raise BadRecord("no role")
    used = bubble.get("toolFormerData")
    if not isinstance(used, Mapping) or not used.get("name"):
        return [typed_text.assistant_message(id, text, at)]
    tool = typed_text.tool_call(used.get("name"), blocks.summarise_input(used.get("rawArgs") or used.get("params")))
    result = used.get("result")
    answer = blocks.flatten_text(
        blocks.decode_object(result) if isinstance(result, str) else result
    ) or blocks.flatten_text(result)
    failed = used.get("status") == "error"
    return [
        typed_text.assistant_message(id, text, at, (tool,)),
        typed_text.tool_message(f"{id}.1", answer, at, failed=failed),
    ]

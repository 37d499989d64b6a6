"""Cursor: what its exporters write, its own markdown export, and the transcripts of its agent.

Exporters hand out what Cursor keeps: bubbles of type 1 (a person) and 2 (the assistant), in a composer or in a tab.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts.blocks import asked, flat, unpack
from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.elements import damaged, elements
from heedful.capture.conversations.transcripts.identity import identity, in_name, moment, of_file, project, title
from heedful.capture.conversations.transcripts.lines import Lines
from heedful.capture.conversations.transcripts.markdown import Turns
from heedful.capture.conversations.transcripts.messages import said_of
from heedful.capture.conversations.transcripts.said import Damaged, Said
from heedful.capture.conversations.transcripts.speech import by_assistant, by_tool, by_user, call
from heedful.records.transcript import Message, Source

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
    """What exporters write as JSON."""

    name = _NAME
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        _, keys = head_keys(head)
        if keys & {"composerId", "bubbles", "allComposers", "fullConversationHeadersOnly", "composer"}:
            return True
        return bool(keys & set(_WRAPPERS)) and b'"bubbles"' in head

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:  # noqa: ARG002 - it is read whole
        for element in elements(path):
            if isinstance(element, Damaged):
                yield element
                continue
            found = False
            for number, conversation in enumerate(_conversations(element.fields)):
                found = True
                source = _source(conversation, of_file(path, element.number, number))
                for index, bubble in enumerate(_bubbles(conversation)):
                    said = _said(bubble, f"m{index}", moment(conversation.get("createdAt")))
                    if isinstance(said, str):
                        yield damaged(element.number, said)
                    else:
                        yield from (Said(source, message, element.position) for message in said if message)
            if not found:
                yield damaged(element.number, "no messages")


class CursorMarkdown:
    """What Cursor itself exports."""

    name = "cursor-markdown"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        text = head[:2_000].decode("utf-8", "replace")
        return _HEADER.search(text) is not None

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:  # noqa: ARG002 - it is read whole
        turns = Turns(path, _speaker)
        for index, turn in enumerate(turns):
            source = Source(of_file(path), _NAME, title=title(turns.title))
            id = f"m{index}"
            person = turn.speaker == "User"
            message = by_user(id, turn.text, None) if person else by_assistant(id, turn.text, None)
            if message:
                yield Said(source, message, 0)


class CursorAgent:
    """~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl: roles and blocks, without times or ids."""

    name = "cursor-agent"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        return any("role" in r and "type" not in r and isinstance(r.get("message"), Mapping) for r in records)

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:
        source = Source(in_name(path) or of_file(path), _NAME)
        lines = Lines(path, start)
        for record in lines:
            if isinstance(record, Damaged):
                yield record
                continue
            wrapped = record.fields.get("message")
            if "role" not in record.fields and isinstance(record.fields.get("type"), str):
                continue  # that a turn has ended
            if not isinstance(wrapped, Mapping):
                yield lines.damaged("no message")
                continue
            said = said_of({**wrapped, "role": record.fields.get("role")}, f"at-{record.start}")
            if isinstance(said, str):
                yield lines.damaged(said)
                continue
            for message in said:
                yield Said(source, message, record.end if message is said[-1] else record.start)


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


def _source(conversation: Mapping[str, Any], otherwise: str) -> Source:
    own = next((id for key in _IDS if (id := identity(conversation.get(key)))), None)
    named = next((found for key in _TITLES if (found := title(conversation.get(key)))), None)
    folder = conversation.get("workspacePath") or conversation.get("workspace") or conversation.get("rootPath")
    return Source(own or otherwise, _NAME, project(folder), named)


def _said(bubble: object, place: str, begun: datetime | None) -> list[Message | None] | str:
    if not isinstance(bubble, Mapping):
        return "not an object"
    id = identity(bubble.get("bubbleId")) or identity(bubble.get("id")) or place
    at = next((at for key in ("createdAt", "timestamp") if (at := moment(bubble.get(key)))), begun)
    speaker = bubble.get("type", bubble.get("role"))
    text = next((found for key in _TEXTS if (found := flat(bubble.get(key)))), "")
    if speaker in _PEOPLE:
        return [by_user(id, text, at)]
    if speaker not in _ASSISTANTS:
        return "no role"
    used = bubble.get("toolFormerData")
    if not isinstance(used, Mapping) or not used.get("name"):
        return [by_assistant(id, text, at)]
    tool = call(used.get("name"), asked(used.get("rawArgs") or used.get("params")))
    result = used.get("result")
    answer = flat(unpack(result) if isinstance(result, str) else result) or flat(result)
    failed = used.get("status") == "error"
    return [by_assistant(id, text, at, (tool,)), by_tool(f"{id}.1", answer, at, failed=failed)]

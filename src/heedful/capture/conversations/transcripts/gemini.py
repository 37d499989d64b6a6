"""Gemini CLI: ~/.gemini/tmp/<project>/chats/session-*.json or .jsonl, and the prompts in logs.json beside them.

A session is written anew, or its messages are: one appears again with the answers of its tools. So a session is read
whole, and the last version of each message counts. Subagents are left out: no person takes part in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts.blocks import asked, content, flat
from heedful.capture.conversations.transcripts.decoding import NotJson, decoded, head_keys, head_records
from heedful.capture.conversations.transcripts.elements import damaged, elements
from heedful.capture.conversations.transcripts.identity import identity, moment, of_file, project, title
from heedful.capture.conversations.transcripts.lines import Lines
from heedful.capture.conversations.transcripts.said import Damaged, Said
from heedful.capture.conversations.transcripts.speech import by_assistant, by_program, by_tool, by_user, call
from heedful.records.transcript import Message, Source

_NAME = "gemini"
_NOTICES = ("info", "error", "warning")
_SHORT_ID = 8  # of the session, in the name of its file


class Gemini:
    """A session as one object."""

    name = _NAME
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "{" and {"sessionId", "projectHash", "messages"} <= keys

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:  # noqa: ARG002 - it is read whole
        for element in elements(path):
            if isinstance(element, Damaged):
                yield element
            elif isinstance(messages := element.fields.get("messages"), list):
                if element.fields.get("kind") != "subagent":
                    source = _source(path, element.fields)
                    for index, fields in enumerate(messages):
                        yield from _said(source, fields, index)
            else:
                yield damaged(element.number, "no messages")


class GeminiLines:
    """A session as a record per line, as it was said."""

    name = "gemini-lines"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        return bool(records) and {"sessionId", "projectHash"} <= records[0].keys() and "messages" not in records[0]

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:  # noqa: ARG002 - it is read whole
        about: dict[str, Any] = {}
        places: dict[str, tuple[int, int]] = {}
        lines = Lines(path)
        for record in lines:
            if isinstance(record, Damaged):
                yield record
                continue
            fields = record.fields
            changes = fields.get("$set")
            if isinstance(rewound := fields.get("$rewindTo"), str):
                _rewind(places, rewound)
            elif isinstance(changes, Mapping):
                about.update(changes)
            elif isinstance(id := fields.get("id"), str):
                places[id] = (record.start, record.end)
            elif "sessionId" in fields:
                about.update(fields)
            else:
                yield lines.damaged("unknown kind of record")
        if about.get("kind") != "subagent":
            yield from _at(path, _source(path, about), places)


class GeminiLogs:
    """The prompts of all sessions of a project. Those that have a file of their own are passed over."""

    name = "gemini-logs"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "[" and {"sessionId", "messageId", "type", "message"} <= keys

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:  # noqa: ARG002 - it is read whole
        recorded = {file.stem[-_SHORT_ID:] for file in (path.parent / "chats").glob("session-*")}
        for element in elements(path):
            if isinstance(element, Damaged):
                yield element
                continue
            fields = element.fields
            session, text = identity(fields.get("sessionId")), fields.get("message")
            if session is None or not isinstance(text, str):
                yield damaged(element.number, "no message" if session else "no session")
            elif session[:_SHORT_ID] not in recorded:
                id = f"log-{identity(fields.get('messageId')) or element.number}"
                command = text.startswith(("/", "?")) and "\n" not in text
                message = by_user(id, text, moment(fields.get("timestamp")), machine=command)
                if message:
                    yield Said(Source(session, _NAME), message, 0)


def _source(path: Path, about: Mapping[str, Any]) -> Source:
    folders = about.get("directories")
    folder = folders[0] if isinstance(folders, list) and folders else None
    return Source(
        identity(about.get("sessionId")) or of_file(path), _NAME, project(folder), title(about.get("summary"))
    )


def _rewind(places: dict[str, tuple[int, int]], to: str) -> None:
    ids = list(places)
    for id in ids[ids.index(to) if to in places else 0 :]:
        del places[id]


def _at(path: Path, source: Source, places: Mapping[str, tuple[int, int]]) -> Iterator[Said | Damaged]:
    with path.open("rb") as file:
        for index, (start, end) in enumerate(places.values()):
            file.seek(start)
            try:
                fields = decoded(file.read(end - start))
            except NotJson:  # somebody wrote it anew meanwhile
                yield Damaged(f"message {index + 1}", "not JSON")
                continue
            yield from _said(source, fields, index)


def _said(source: Source, fields: object, index: int) -> Iterator[Said | Damaged]:
    messages = _messages(fields, index)
    if isinstance(messages, str):
        yield Damaged(f"message {index + 1}", messages)
    else:
        yield from (Said(source, message, 0) for message in messages if message)


def _messages(fields: object, index: int) -> list[Message | None] | str:
    if not isinstance(fields, Mapping):
        return "not an object"
    id = identity(fields.get("id")) or f"m{index}"
    at = moment(fields.get("timestamp"))
    found = content(fields.get("content", ""), between="")
    if found is None:
        return "no content"
    kind = fields.get("type")
    if kind == "user":
        return [by_user(id, found.text, at)]
    if kind in _NOTICES:
        cancelled = found.text.strip() == "Request cancelled."
        return [by_user(id, "[Request interrupted by user]", at) if cancelled else by_program(id, found.text, at)]
    if kind != "gemini":
        return "unknown kind of record"
    listed = fields.get("toolCalls")
    calls = [c for c in listed if isinstance(c, Mapping)] if isinstance(listed, list) else []
    tools = tuple(call(c.get("name"), asked(c.get("args"))) for c in calls)
    answers = [
        by_tool(f"{id}.{number}", _answer(c), moment(c.get("timestamp")) or at, failed=c.get("status") == "error")
        for number, c in enumerate(calls, 1)
    ]
    return [by_assistant(id, found.text, at, tools), *answers]


def _answer(called: Mapping[str, Any]) -> str:
    """The answer as the model got it, inside `functionResponse`; else as the screen showed it."""
    result = called.get("result")
    parts = result if isinstance(result, list) else [result]
    wrapped = [
        response.get("response")
        for part in parts
        if isinstance(part, Mapping) and isinstance(response := part.get("functionResponse"), Mapping)
    ]
    return flat(wrapped) or flat(result) or flat(called.get("resultDisplay"))

"""Gemini CLI: ~/.gemini/tmp/<project>/chats/session-*.json or .jsonl, and the prompts in logs.json beside them.

A message is written again once its tools have results, so a session is read whole and the last version of each message
counts. Subagents are skipped: no person takes part in them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import InvalidJson, decode_json, head_keys, head_records
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.lines import JsonLines
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Source
from heedful.text.project import project_name, project_of_files

_NAME = "gemini"
_NOTICES = ("info", "error", "warning")
_FILES = ("file_path", "absolute_path", "path", "dir_path")
_ABSOLUTE = re.compile(r"/[^/]|[A-Za-z]:[\\/]")
_LOOKED_AT = 50  # files
_SHORT_ID = 8  # of the session, in the name of its file


class Gemini:
    """A session as one object."""

    name = _NAME
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "{" and {"sessionId", "projectHash", "messages"} <= keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        def conversations(element: JsonElement) -> Iterator[Conversation]:
            messages = element.fields.get("messages")
            if isinstance(messages, list):
                subagent = element.fields.get("kind") == "subagent"
                source = _source_of(path, element.fields, messages)
                yield source, parse_each([] if subagent else messages, _parse)

        return read_elements(path, conversations)


class GeminiLines:
    """A session with one record per line."""

    name = "gemini-lines"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        return bool(records) and {"sessionId", "projectHash"} <= records[0].keys() and "messages" not in records[0]

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        about: dict[str, Any] = {}
        places: dict[str, tuple[int, int]] = {}
        lines = JsonLines(path)
        for record in lines:
            if isinstance(record, DamagedRecord):
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
            source = _source_of(path, about, _records_at(path, places))
            for index, message in enumerate(parse_each(_records_at(path, places), _parse)):
                if isinstance(message, BadRecord):
                    yield DamagedRecord(f"message {index + 1}", str(message))
                else:
                    yield TranscriptMessage(source, message, 0)


class GeminiLogs:
    """The prompts of all sessions of a project. Sessions with a file of their own are skipped."""

    name = "gemini-logs"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "[" and {"sessionId", "messageId", "type", "message"} <= keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        recorded = {file.stem[-_SHORT_ID:] for file in (path.parent / "chats").glob("session-*")}

        def conversations(element: JsonElement) -> Iterator[Conversation]:
            fields = element.fields
            session = metadata.clean_id(fields.get("sessionId"))
            own = [fields] if session is None or session[:_SHORT_ID] not in recorded else []
            yield Source(session or "", _tool(path)), parse_each(own, _parse_prompt, element.number)

        return read_elements(path, conversations)


def _source_of(path: Path, about: Mapping[str, Any], messages: Iterable[object]) -> Source:
    folders = about.get("directories")
    folder = folders[0] if isinstance(folders, list) and folders else None
    id = metadata.clean_id(about.get("sessionId")) or metadata.file_id(path)
    project = project_name(folder) or _worked_in(about.get("projectHash"), messages)
    return Source(id, _tool(path), project, metadata.clean_title(about.get("summary")))


def _worked_in(digest: object, messages: Iterable[object]) -> str | None:
    """Of the folder itself there is only a digest; but tools are called with files below it."""
    files = list(islice(_files(messages), _LOOKED_AT))
    for file in files:
        for folder in map(str, PurePath(file).parents):
            if hashlib.sha256(folder.encode("utf-8", "replace")).hexdigest() == digest:
                return project_name(folder)
    return project_of_files(files)


def _files(messages: Iterable[object]) -> Iterator[str]:
    """With all their folders."""
    for message in messages:
        for call in _calls(message) if isinstance(message, Mapping) else ():
            args = call.get("args")
            named = (args.get(name) for name in _FILES) if isinstance(args, Mapping) else ()
            yield from (file[:4096] for file in named if isinstance(file, str) and _ABSOLUTE.match(file))


def _calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = message.get("toolCalls")
    return [call for call in listed if isinstance(call, Mapping)] if isinstance(listed, list) else []


def _tool(path: Path) -> str:
    """Qwen Code began as a copy of Gemini CLI, with another folder."""
    return "qwen-code" if ".qwen" in path.parts else _NAME


def _rewind(places: dict[str, tuple[int, int]], to: str) -> None:
    ids = list(places)
    for id in ids[ids.index(to) if to in places else 0 :]:
        del places[id]


def _records_at(path: Path, places: Mapping[str, tuple[int, int]]) -> Iterator[object]:
    with path.open("rb") as file:
        for start, end in places.values():
            file.seek(start)
            try:
                yield decode_json(file.read(end - start))
            except InvalidJson:  # the file was rewritten meanwhile
                yield None


def _parse_prompt(fields: Mapping[str, Any], number: int) -> list[Message | None]:
    text = fields.get("message")
    if metadata.clean_id(fields.get("sessionId")) is None or not isinstance(text, str):
        raise BadRecord("no session" if isinstance(text, str) else "no message")
    id = f"log-{metadata.clean_id(fields.get('messageId')) or number}"
    command = text.startswith(("/", "?")) and "\n" not in text
    return [typed_text.user_message(id, text, metadata.parse_time(fields.get("timestamp")), machine=command)]


def _parse(fields: object, index: int) -> list[Message | None]:
    if not isinstance(fields, Mapping):
        raise BadRecord("not an object")
    id = metadata.clean_id(fields.get("id")) or f"m{index}"
    at = metadata.parse_time(fields.get("timestamp"))
    found = blocks.parse_content(fields.get("content", ""), between="")
    if found is None:
        raise BadRecord("no content")
    kind = fields.get("type")
    if kind == "user":
        return [typed_text.user_message(id, found.text, at)]
    if kind in _NOTICES:
        if found.text.strip() == "Request cancelled.":
            return [typed_text.user_message(id, "[Request interrupted by user]", at)]
        return [typed_text.system_message(id, found.text, at)]
    if kind != "gemini":
        raise BadRecord("unknown kind of record")
    calls = _calls(fields)
    tools = tuple(typed_text.tool_call(c.get("name"), blocks.summarise_input(c.get("args"))) for c in calls)
    messages = [typed_text.assistant_message(id, found.text, at, tools)]
    for number, c in enumerate(calls, 1):
        ended = metadata.parse_time(c.get("timestamp")) or at
        failed = c.get("status") == "error"
        messages.append(typed_text.tool_message(f"{id}.{number}", _tool_result(c), ended, failed=failed))
    return messages


def _tool_result(called: Mapping[str, Any]) -> str:
    """The result as the model got it, inside `functionResponse`; else as the screen showed it."""
    result = called.get("result")
    parts = result if isinstance(result, list) else [result]
    wrapped = [
        response.get("response")
        for part in parts
        if isinstance(part, Mapping) and isinstance(response := part.get("functionResponse"), Mapping)
    ]
    return (
        blocks.flatten_text(wrapped) or blocks.flatten_text(result) or blocks.flatten_text(called.get("resultDisplay"))
    )

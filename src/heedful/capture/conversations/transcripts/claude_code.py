"""Claude Code: ~/.claude/projects/<folder>/<session>.jsonl.

Messages of subagents are skipped: no person takes part in them, and their result is already in the session as the
result of a tool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.lines import LINE_LIMIT, JsonLine, read_lines
from heedful.capture.conversations.transcripts.reader import HEAD, BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source
from heedful.text.project import project_name

_BOOKKEEPING_LIST = """
    summary system progress queue-operation file-history-snapshot file-history-delta last-prompt custom-title ai-title
    agent-name agent-color agent-setting tag mode permission-mode pr-link worktree-state content-replacement
    attribution-snapshot task-summary speculation-accept saved_hook_context bridge-session atis-latch
    context-collapse-commit context-collapse-snapshot result stream_event hook_event
"""
_BOOKKEEPING = frozenset(_BOOKKEEPING_LIST.split())
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
_OWN_KEYS = frozenset({"parentUuid", "sessionId", "isSidechain", "leafUuid", "messageId"})


class ClaudeCode:
    name = "claude-code"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        if not records:
            opening, keys = head_keys(head)
            return opening == "{" and {"parentUuid", "isSidechain"} <= keys
        return any(_is_own(record) for record in records)

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        opening = _Opening.of(path)

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            fields = line.fields
            kind = fields.get("type")
            if not isinstance(kind, str):
                raise BadRecord("no type")
            conversation, id = _place(fields, opening.session, line.start)
            source = Source(conversation, self.name, opening.project, opening.title)
            if fields.get("isSidechain") is True or kind in _BOOKKEEPING:
                return source, []
            if kind not in _KINDS:
                raise BadRecord("unknown kind of record")
            messages = _KINDS[kind](fields, id, metadata.parse_time(fields.get("timestamp")))
            return source, [message for message in messages if message]

        return read_lines(path, start, parse)


class _Opening(NamedTuple):
    """What the head of the file says of all of it; the same wherever reading resumes."""

    session: str
    project: str | None
    title: str | None

    @staticmethod
    def of(path: Path) -> _Opening:
        with path.open("rb") as file:
            records = head_records(file.readline(LINE_LIMIT) + file.read(HEAD))
        titles = {kind: r.get(key) for r in reversed(records) for kind, key in _TITLES.items() if r.get("type") == kind}
        session = next((found for r in records if (found := metadata.clean_id(r.get("sessionId")))), None)
        folder = next((found for r in records if (found := project_name(r.get("cwd")))), None)
        named = next((found for kind in _TITLES if (found := metadata.clean_title(titles.get(kind)))), None)
        return _Opening(session or metadata.uuid_in_name(path) or metadata.file_id(path), folder, named)


def _is_own(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), Mapping) and bool(record.keys() & {"uuid", "sessionId", "parentUuid"})
    return isinstance(kind, str) and kind in _BOOKKEEPING | {"attachment"} and bool(record.keys() & _OWN_KEYS)


def _place(fields: Mapping[str, Any], session: str, start: int) -> tuple[str, str]:
    """Ids of the conversation and the message. A forked session repeats messages of another one."""
    origin = fields.get("forkedFrom")
    if isinstance(origin, Mapping):
        conversation, id = metadata.clean_id(origin.get("sessionId")), metadata.clean_id(origin.get("messageUuid"))
        if conversation and id:
            return conversation, id
    return metadata.clean_id(fields.get("sessionId")) or session, metadata.clean_id(fields.get("uuid")) or f"at-{start}"


def _user(fields: Mapping[str, Any], id: str, at: datetime | None) -> list[Message | None]:
    found = _content(fields)
    messages: list[Message | None] = []
    for number, result in enumerate(found.results):
        part = id if number == 0 else f"{id}.{number}"
        messages.append(typed_text.tool_message(part, result.text, at, failed=result.failed))
        messages.append(typed_text.refusal_message(f"{part}.said", result.text, at))
    part = f"{id}.text" if found.results else id
    return [*messages, typed_text.user_message(part, found.text, at, machine=_is_machine_made(fields))]


def _assistant(fields: Mapping[str, Any], id: str, at: datetime | None) -> list[Message | None]:
    found = _content(fields)
    if fields.get("isApiErrorMessage") is True or fields["message"].get("model") == "<synthetic>":
        return [typed_text.system_message(id, found.text, at)]
    results = [
        typed_text.tool_message(f"{id}.{n}", r.text, at, failed=r.failed) for n, r in enumerate(found.results, 1)
    ]
    return [typed_text.assistant_message(id, found.text, at, found.tools), *results]


def _attachment(fields: Mapping[str, Any], id: str, at: datetime | None) -> list[Message | None]:
    """Mostly reminders for the model; but a prompt typed while it works is one, too."""
    attached = fields.get("attachment")
    if not isinstance(attached, Mapping):
        raise BadRecord("no attachment")
    if attached.get("type") != "queued_command":
        return []
    found = blocks.parse_content(attached.get("prompt"))
    if found is None:
        raise BadRecord("no content")
    machine = attached.get("commandMode", "prompt") != "prompt" or _is_machine_made(attached)
    return [typed_text.user_message(id, found.text, at, machine=machine)]


_KINDS = {"user": _user, "assistant": _assistant, "attachment": _attachment}


def _content(fields: Mapping[str, Any]) -> blocks.MessageContent:
    message = fields.get("message")
    if not isinstance(message, Mapping):
        raise BadRecord("no message")
    found = blocks.parse_content(message.get("content"))
    if found is None:
        raise BadRecord("no content")
    return found


def _is_machine_made(fields: Mapping[str, Any]) -> bool:
    origin = fields.get("origin")
    return (
        any(fields.get(flag) is True for flag in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))
        or "planContent" in fields
        or (isinstance(origin, Mapping) and origin.get("kind", "human") != "human")
    )

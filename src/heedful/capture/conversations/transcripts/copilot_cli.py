"""GitHub Copilot CLI: ~/.copilot/session-state/<session>/events.jsonl, or <session>.jsonl in its first versions.

Of a prompt, `content` is what the person typed, and `transformedContent` what was made of it for the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_records
from heedful.capture.conversations.transcripts.lines import LINE_LIMIT, JsonLine, read_lines
from heedful.capture.conversations.transcripts.reader import HEAD, BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source, Speaker
from heedful.text.project import project_name

_EVENTS = ("session.start", "user.message", "assistant.message", "assistant.turn_start", "tool.execution_start")
_PROGRAMS = ("skill-", "agent-", "system", "hook")  # beginnings of the source of a prompt that nobody typed
_STOPPED = ("user_initiated", "user initiated", "user_abort", "remote_command")


class CopilotCli:
    name = "copilot-cli"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        return any(r.get("type") in _EVENTS and isinstance(r.get("data"), Mapping) for r in head_records(head))

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        source = _source_of(path, self.name)

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            fields = line.fields
            kind, data = fields.get("type"), fields.get("data")
            if not isinstance(kind, str):
                raise BadRecord("no type")
            if kind not in _KINDS or fields.get("agentId"):
                return source, []
            if not isinstance(data, Mapping):
                raise BadRecord("no content")
            if data.get("parentToolCallId"):  # of a subagent: no person takes part
                return source, []
            id = metadata.clean_id(fields.get("id")) or f"at-{line.start}"
            message = _KINDS[kind](data, id, metadata.parse_time(fields.get("timestamp")))
            return source, [message] if message else []

        return read_lines(path, start, parse)


def _source_of(path: Path, tool: str) -> Source:
    with path.open("rb") as file:
        records = head_records(file.readline(LINE_LIMIT) + file.read(HEAD))
    begun = [d for r in records if r.get("type") == "session.start" and isinstance(d := r.get("data"), Mapping)]
    about: Mapping[str, Any] = begun[0] if begun else {}
    place = about.get("context")
    folder = (place.get("gitRoot") or place.get("cwd")) if isinstance(place, Mapping) else None
    session = metadata.clean_id(about.get("sessionId")) or metadata.uuid_in_name(path.parent)
    return Source(session or metadata.file_id(path), tool, project_name(folder))


def _user(data: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    text, origin = data.get("content"), data.get("source")
    if not isinstance(text, str):
        raise BadRecord("no content")
    sent = isinstance(origin, str) and origin.startswith(_PROGRAMS)
    return typed_text.user_message(id, text, at, machine=sent or data.get("isAutopilotContinuation") is True)


def _assistant(data: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    requests = data.get("toolRequests")
    tools = tuple(
        typed_text.tool_call(request.get("name"), blocks.summarise_input(request.get("arguments")))
        for request in (requests if isinstance(requests, list) else ())
        if isinstance(request, Mapping)
    )
    return typed_text.assistant_message(id, blocks.flatten_text(data.get("content")), at, tools)


def _tool_result(data: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    failed = data.get("success") is False
    error = data.get("error")
    told = error.get("message") if isinstance(error, Mapping) else None
    text = blocks.flatten_text(data.get("result")) or (told if isinstance(told, str) else "")
    return typed_text.tool_message(id, text, at, failed=failed or blocks.reports_failure(text))


def _answer(data: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    """An answer in a person's own words to a question of the agent."""
    said = data.get("answer")
    own = data.get("wasFreeform") is True and isinstance(said, str)
    return typed_text.user_message(id, said, at) if own and isinstance(said, str) else None


def _plan(data: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    """What a person wants changed in a plan."""
    said = data.get("feedback")
    return typed_text.user_message(id, said, at) if isinstance(said, str) else None


def _abort(data: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    return Message(id, Speaker.USER, "", at, failed=True) if data.get("reason") in _STOPPED else None


_KINDS = {
    "user.message": _user,
    "assistant.message": _assistant,
    "tool.execution_complete": _tool_result,
    "user_input.completed": _answer,
    "exit_plan_mode.completed": _plan,
    "abort": _abort,
}

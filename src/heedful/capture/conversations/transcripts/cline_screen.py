"""Cline, Roo Code and Kilo Code: `ui_messages.json`, what the screen showed of a task.

It is read if it is alone: `api_conversation_history.json` beside it says the same, and what the tools answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.cline import HISTORY, message_id, person_message, task_source
from heedful.capture.conversations.transcripts.decoding import head_keys
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Speaker

_TASK = "task"


class ClineScreen:
    name = "cline-screen"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "[" and {"ts", "type"} <= keys and bool(keys & {"say", "ask"})

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        if path.with_name(HISTORY).is_file():
            return iter(())
        source = task_source(path)

        def conversations(element: JsonElement) -> Iterator[Conversation]:
            yield source, parse_each([element.fields], _parse, element.number)

        return read_elements(path, conversations)


def _parse(fields: Mapping[str, Any], index: int) -> list[Message | None]:
    kind, text = fields.get("say") or fields.get("ask"), fields.get("text")
    if not isinstance(kind, str):
        raise BadRecord("no type")
    if not isinstance(text, str) or fields.get("partial") is True:
        return []
    if kind == "text" and index == 1:
        kind = _TASK
    parse = _KINDS.get(kind)
    at = metadata.parse_time(fields.get("ts"))
    return [parse(text, message_id(fields, kind, index), at)] if parse else []


def _reply(text: str, id: str, at: datetime | None) -> Message | None:
    about = blocks.decode_object(text) or {}
    said = about.get("question") or about.get("response")
    return typed_text.assistant_message(id, said if isinstance(said, str) else text, at)


def _tool(text: str, id: str, at: datetime | None) -> Message | None:
    about = blocks.decode_object(text) or {}
    wanted = {key: value for key, value in about.items() if key not in ("tool", "content")}
    return typed_text.assistant_message(
        id, "", at, (typed_text.tool_call(about.get("tool"), blocks.summarise_input(wanted)),)
    )


def _command(text: str, id: str, at: datetime | None) -> Message | None:
    return typed_text.assistant_message(id, "", at, (typed_text.tool_call("execute_command", text),))


def _output(text: str, id: str, at: datetime | None) -> Message | None:
    return typed_text.tool_message(id, text, at, failed=blocks.reports_failure(text))


def _error(text: str, id: str, at: datetime | None) -> Message | None:
    return typed_text.tool_message(id, text, at, failed=True)


def _request(text: str, id: str, at: datetime | None) -> Message | None:
    """A request to the model, which a person can cancel."""
    about = blocks.decode_object(text) or {}
    return Message(id, Speaker.USER, "", at, failed=True) if about.get("cancelReason") == "user_cancelled" else None


_KINDS: dict[str, Callable[[str, str, datetime | None], Message | None]] = {
    _TASK: person_message,
    "user_feedback": person_message,
    "text": _reply,
    "completion_result": _reply,
    "plan_mode_respond": _reply,
    "followup": _reply,
    "tool": _tool,
    "command": _command,
    "command_output": _output,
    "error": _error,
    "api_req_started": _request,
}

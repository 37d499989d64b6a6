"""Copilot Chat in VS Code: `chatSessions` in the storage of a workspace, and what `Chat: Export Chat` saves.

A file is one object, or a log: first the object, then changes of it. A request is what the person typed, with the parts
of the response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.elements import Conversation, JsonElement, read_elements
from heedful.capture.conversations.transcripts.lines import JsonLines
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage, parse_each
from heedful.records.transcript import Message, Source, Speaker, ToolCall
from heedful.text.project import project_name

_NAME = "copilot-chat"
_KEPT = ("requests", "sessionId", "customTitle")  # of the object; drafts and settings are of no interest
_FIELDS = frozenset(
    {"requestId", "message", "timestamp", "response", "isCanceled", "isSystemInitiated", "confirmation", "modelState"}
)
_SET, _PUSH, _DELETE = 1, 2, 3
_CANCELLED = 2
_DEEPEST = 12
_MOST = 100_000  # entries of a list


class CopilotChat:
    """A session as one object."""

    name = _NAME
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        return opening == "{" and bool(keys & {"responderUsername", "requesterUsername", "initialLocation"})

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        def conversations(element: JsonElement) -> Iterator[Conversation]:
            requests = element.fields.get("requests")
            if isinstance(requests, list):
                yield _source_of(path, element.fields), parse_each(requests, _parse)

        return read_elements(path, conversations)


class CopilotChatLog:
    """A session, and the changes of it."""

    name = "copilot-chat-log"
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        opening, keys = head_keys(head)
        if opening != "{" or not {"kind", "v"} <= keys:
            return False
        records = head_records(head)
        first = records[0].get("v") if records else None
        return b'"requests"' in head and (not records or isinstance(first, Mapping))

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        session: dict[str, Any] = {}
        lines = JsonLines(path)
        for line in lines:
            if isinstance(line, DamagedRecord):
                yield line
            elif not _apply(session, line.fields):
                yield lines.damaged("unknown kind of record")
        requests = session.get("requests")
        source = _source_of(path, session)
        for index, message in enumerate(parse_each(requests if isinstance(requests, list) else [], _parse), 1):
            if isinstance(message, BadRecord):
                yield DamagedRecord(f"message {index}", str(message))
            else:
                yield TranscriptMessage(source, message, 0)


def _source_of(path: Path, about: Mapping[str, Any]) -> Source:
    id = metadata.clean_id(about.get("sessionId")) or metadata.uuid_in_name(path) or metadata.file_id(path)
    folder = metadata.read_object(path.resolve().parent.parent / "workspace.json").get("folder")
    place = unquote(urlsplit(folder).path) if isinstance(folder, str) and folder.startswith("file:") else None
    return Source(id, _NAME, project_name(place), metadata.clean_title(about.get("customTitle")))


def _apply(session: dict[str, Any], entry: Mapping[str, Any]) -> bool:
    """Applies an entry of the log; False if it is none."""
    kind, keys, value = entry.get("kind"), entry.get("k"), entry.get("v")
    if kind == 0 and isinstance(value, Mapping):
        session.clear()
        session.update({key: _slim(value[key]) for key in _KEPT if key in value})
        return True
    if kind not in (_SET, _PUSH, _DELETE) or not isinstance(keys, list) or not keys or len(keys) > _DEEPEST:
        return False
    if keys[0] not in _KEPT or (len(keys) > 2 and keys[2] not in _FIELDS):  # requests, n, field
        return True
    if keys == ["requests"]:
        value = _slim(value)
    holder: Any = session
    for key in keys[:-1]:
        holder = _item(holder, key)
    return _change(holder, keys[-1], kind, value, entry.get("i"))


def _slim(value: object) -> object:
    """Requests without what is not read: it can be megabytes each."""
    if not isinstance(value, list):
        return value
    return [{k: v for k, v in one.items() if k in _FIELDS} if isinstance(one, Mapping) else one for one in value]


def _change(holder: Any, key: object, kind: int, value: object, until: object) -> bool:
    if kind == _PUSH:
        if isinstance(holder, dict) and isinstance(key, str):
            holder.setdefault(key, [])
        listed = _item(holder, key)
        if not isinstance(listed, list):
            return False
        if isinstance(until, int):
            del listed[max(0, until) :]
        listed.extend(value if isinstance(value, list) else ())
        return True
    if isinstance(holder, dict) and isinstance(key, str):
        holder[key] = None if kind == _DELETE else value
        return True
    if isinstance(holder, list) and isinstance(key, int) and 0 <= key < _MOST:
        holder.extend([None] * (key + 1 - len(holder)))
        holder[key] = None if kind == _DELETE else value
        return True
    return False


def _item(holder: Any, key: object) -> Any:
    if isinstance(holder, dict) and isinstance(key, str):
        return holder.get(key)
    if isinstance(holder, list) and isinstance(key, int) and 0 <= key < len(holder):
        return holder[key]
    return None


def _parse(request: object, index: int) -> list[Message | None]:
    if not isinstance(request, Mapping):
        raise BadRecord("not an object")
    asked = request.get("message")
    text = asked if isinstance(asked, str) else asked.get("text") if isinstance(asked, Mapping) else None
    if not isinstance(text, str):
        raise BadRecord("no message")
    id = metadata.clean_id(request.get("requestId")) or f"m{index}"
    at = metadata.parse_time(request.get("timestamp"))
    command = text.startswith("/") and not any(map(str.isspace, text.strip()))
    machine = command or request.get("isSystemInitiated") is True or bool(request.get("confirmation"))
    parts = request.get("response")
    reply = _Reply.of(parts if isinstance(parts, list) else [])
    messages = [
        typed_text.user_message(id, text, at, machine=machine),
        typed_text.assistant_message(f"{id}.reply", reply.text, at, reply.tools),
    ]
    for number, (answer, failed) in enumerate(reply.answers, 1):
        messages.append(typed_text.tool_message(f"{id}.{number}", answer, at, failed=failed))
    state = request.get("modelState")
    stopped = request.get("isCanceled") is True or (isinstance(state, Mapping) and state.get("value") == _CANCELLED)
    return [*messages, Message(f"{id}.stopped", Speaker.USER, "", at, failed=True) if stopped else None]


class _Reply(NamedTuple):
    text: str
    tools: tuple[ToolCall, ...]
    answers: tuple[tuple[str, bool], ...]
    """Results of tools, and whether they failed."""

    @staticmethod
    def of(parts: list[Any]) -> _Reply:
        texts: list[str] = []
        tools: list[ToolCall] = []
        answers: list[tuple[str, bool]] = []
        for part in parts:
            if not isinstance(part, Mapping):
                continue
            kind = part.get("kind")
            if kind is None or kind == "markdownContent":
                texts.append(_words(part.get("value", part.get("content"))))
            elif kind == "inlineReference":
                texts.append(_reference(part))
            elif kind == "textEditGroup":
                tools.append(typed_text.tool_call("edit", _path(part.get("uri"))))
            elif kind == "toolInvocationSerialized":
                tools.append(_tool_call(part))
                answers.append(_tool_result(part))
        return _Reply("".join(texts), tuple(tools), tuple(answers))


def _words(value: object) -> str:
    inner = value.get("value") if isinstance(value, Mapping) else value
    return inner if isinstance(inner, str) else ""


def _path(uri: object) -> str:
    path = (uri.get("fsPath") or uri.get("path")) if isinstance(uri, Mapping) else None
    return path if isinstance(path, str) else ""


def _reference(part: Mapping[str, Any]) -> str:
    name = part.get("name")
    inner = part.get("inlineReference")
    where = inner.get("uri", inner) if isinstance(inner, Mapping) else None
    return f"`{name}`" if isinstance(name, str) and name else f"`{_path(where).rpartition('/')[2]}`"


def _tool_call(part: Mapping[str, Any]) -> ToolCall:
    data = part.get("toolSpecificData")
    line = data.get("commandLine") if isinstance(data, Mapping) else None
    command = line.get("original") if isinstance(line, Mapping) else None
    told = command or _words(part.get("invocationMessage")) or _words(part.get("pastTenseMessage"))
    return typed_text.tool_call(part.get("toolId"), told if isinstance(told, str) else "")


def _tool_result(part: Mapping[str, Any]) -> tuple[str, bool]:
    data, details = part.get("toolSpecificData"), part.get("resultDetails")
    output = data.get("terminalCommandOutput") if isinstance(data, Mapping) else None
    state = data.get("terminalCommandState") if isinstance(data, Mapping) else None
    shown = details.get("output") if isinstance(details, Mapping) else None
    values = [_words(one) for one in shown if isinstance(one, Mapping)] if isinstance(shown, list) else []
    text = blocks.flatten_text(output) or "\n".join(filter(None, values))
    code = state.get("exitCode") if isinstance(state, Mapping) else 0
    return text, code not in (0, None) or (isinstance(details, Mapping) and details.get("isError") is True)

"""Claude Code: ~/.claude/projects/<folder>/<session>.jsonl.

What subagents say among themselves is left out: nobody takes part in it, and what they found out comes back to the
session as the answer of a tool, where it would otherwise count twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from heedful.capture.conversations.transcripts.blocks import content
from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.identity import identity, in_name, moment, of_file, project, title
from heedful.capture.conversations.transcripts.lines import LINE_LIMIT, Lines
from heedful.capture.conversations.transcripts.said import HEAD, Damaged, Said
from heedful.capture.conversations.transcripts.speech import by_assistant, by_program, by_tool, by_user, objection
from heedful.records.transcript import Message, Source

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

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:
        opening = _Opening.of(path)
        sources: dict[str, Source] = {}
        lines = Lines(path, start)
        for record in lines:
            if isinstance(record, Damaged):
                yield record
                continue
            fields = record.fields
            kind = fields.get("type")
            if not isinstance(kind, str):
                yield lines.damaged("no type")
            elif fields.get("isSidechain") is True or kind in _BOOKKEEPING:
                continue
            elif kind not in _KINDS:
                yield lines.damaged("unknown kind of record")
            else:
                conversation, id = _place(fields, opening.session, record.start)
                said = _KINDS[kind](fields, id, moment(fields.get("timestamp")))
                if isinstance(said, str):
                    yield lines.damaged(said)
                    continue
                source = sources.setdefault(
                    conversation, Source(conversation, self.name, opening.project, opening.title)
                )
                for message in said:
                    yield Said(source, message, record.end if message is said[-1] else record.start)


class _Opening(NamedTuple):
    """What the head of the file tells of all of it, so that it is the same from wherever one reads on."""

    session: str
    project: str | None
    title: str | None

    @staticmethod
    def of(path: Path) -> _Opening:
        with path.open("rb") as file:
            records = head_records(file.readline(LINE_LIMIT) + file.read(HEAD))
        titles = {kind: r.get(key) for r in reversed(records) for kind, key in _TITLES.items() if r.get("type") == kind}
        session = next((found for r in records if (found := identity(r.get("sessionId")))), None)
        folder = next((found for r in records if (found := project(r.get("cwd")))), None)
        named = next((found for kind in _TITLES if (found := title(titles.get(kind)))), None)
        return _Opening(session or in_name(path) or of_file(path), folder, named)


def _is_own(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), Mapping) and bool(record.keys() & {"uuid", "sessionId", "parentUuid"})
    return isinstance(kind, str) and kind in _BOOKKEEPING | {"attachment"} and bool(record.keys() & _OWN_KEYS)


def _place(fields: Mapping[str, Any], session: str, start: int) -> tuple[str, str]:
    """Which conversation and which message it is. A forked session repeats what was said in another one."""
    origin = fields.get("forkedFrom")
    if isinstance(origin, Mapping):
        conversation, id = identity(origin.get("sessionId")), identity(origin.get("messageUuid"))
        if conversation and id:
            return conversation, id
    return identity(fields.get("sessionId")) or session, identity(fields.get("uuid")) or f"at-{start}"


def _user(fields: Mapping[str, Any], id: str, at: datetime | None) -> list[Message] | str:
    found = _content(fields)
    if isinstance(found, str):
        return found
    said: list[Message | None] = []
    for number, answer in enumerate(found.answers):
        part = id if number == 0 else f"{id}.{number}"
        said.append(by_tool(part, answer.text, at, failed=answer.failed))
        said.append(objection(f"{part}.said", answer.text, at))
    part = f"{id}.text" if found.answers else id
    said.append(by_user(part, found.text, at, machine=_machine_made(fields)))
    return [message for message in said if message]


def _assistant(fields: Mapping[str, Any], id: str, at: datetime | None) -> list[Message] | str:
    found = _content(fields)
    if isinstance(found, str):
        return found
    if fields.get("isApiErrorMessage") is True or fields["message"].get("model") == "<synthetic>":
        note = by_program(id, found.text, at)
        return [note] if note else []
    said = [by_assistant(id, found.text, at, found.tools)]
    said += [by_tool(f"{id}.{n}", answer.text, at, failed=answer.failed) for n, answer in enumerate(found.answers, 1)]
    return [message for message in said if message]


def _attachment(fields: Mapping[str, Any], id: str, at: datetime | None) -> list[Message] | str:
    """Mostly reminders for the model; but what a person types while it works comes as one, too."""
    attached = fields.get("attachment")
    if not isinstance(attached, Mapping):
        return "no attachment"
    if attached.get("type") != "queued_command":
        return []
    found = content(attached.get("prompt"))
    if found is None:
        return "no content"
    machine = attached.get("commandMode", "prompt") != "prompt" or _machine_made(attached)
    message = by_user(id, found.text, at, machine=machine)
    return [message] if message else []


_KINDS = {"user": _user, "assistant": _assistant, "attachment": _attachment}


def _content(fields: Mapping[str, Any]) -> Any:
    message = fields.get("message")
    if not isinstance(message, Mapping):
        return "no message"
    return content(message.get("content")) or "no content"


def _machine_made(fields: Mapping[str, Any]) -> bool:
    origin = fields.get("origin")
    return (
        any(fields.get(flag) is True for flag in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))
        or "planContent" in fields
        or (isinstance(origin, Mapping) and origin.get("kind", "human") != "human")
    )

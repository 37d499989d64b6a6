"""Codex CLI: ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl.

Everything the model saw is a `response_item`, and much of it is repeated as an event for the screen; only the items are
read. Threads of subagents are skipped: no person takes part in them.
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
from heedful.records.transcript import Message, Source, Speaker
from heedful.text.project import project_name

_ENVELOPES = frozenset(
    {
        "session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "token_usage_record",
        "inter_agent_communication", "inter_agent_communication_metadata",
    }
)  # fmt: skip
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_ANSWERS = frozenset(
    {"function_call_output", "custom_tool_call_output", "tool_search_output", "local_shell_call_output"}
)
_BOOKKEEPING_LIST = """
    reasoning ghost_snapshot compaction context_compaction compaction_summary compaction_trigger additional_tools
    image_generation_call other agent_message
"""
_BOOKKEEPING = frozenset(_BOOKKEEPING_LIST.split())
_ITEMS = _CALLS | _ANSWERS | _BOOKKEEPING | {"message"}


class Codex:
    name = "codex"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        if not records:
            opening, keys = head_keys(head)
            return opening == "{" and {"timestamp", "type", "payload"} <= keys
        return any(_is_own(record) for record in records)

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        opening = _Opening.of(path)
        if opening.of_agent:
            return iter(())
        source = Source(opening.session, self.name, opening.project)

        def parse(line: JsonLine) -> tuple[Source, list[Message]]:
            message = _parse(line.fields, f"at-{line.start}")
            return source, [message] if message else []

        return read_lines(path, start, parse)


class _Opening(NamedTuple):
    session: str
    project: str | None
    of_agent: bool

    @staticmethod
    def of(path: Path) -> _Opening:
        with path.open("rb") as file:
            records = head_records(file.readline(LINE_LIMIT) + file.read(HEAD))
        metas = [
            r["payload"] for r in records if r.get("type") == "session_meta" and isinstance(r.get("payload"), dict)
        ]
        meta: Mapping[str, Any] = metas[0] if metas else next((r for r in records if "type" not in r), {})
        folder = meta.get("cwd") or next(
            (p.get("cwd") for r in records if isinstance(p := r.get("payload"), dict) and p.get("cwd")), None
        )
        spawned = isinstance(origin := meta.get("source"), dict) and "subagent" in origin
        session = metadata.clean_id(meta.get("id")) or metadata.clean_id(meta.get("session_id"))
        return _Opening(
            session or metadata.uuid_in_name(path) or metadata.file_id(path),
            project_name(folder),
            spawned or meta.get("thread_source") == "subagent",
        )


def _is_own(record: Mapping[str, Any]) -> bool:
    kind = record.get("type")
    if "payload" in record:
        return isinstance(kind, str) and kind in _ENVELOPES
    # The first versions wrote the items bare.
    return (
        {"id", "timestamp"} <= record.keys() and "type" not in record and bool(record.keys() & {"instructions", "git"})
    )


def _parse(fields: Mapping[str, Any], place: str) -> Message | None:
    kind = fields.get("type")
    at = metadata.parse_time(fields.get("timestamp"))
    if not isinstance(kind, str):
        if "record_type" in fields or {"id", "timestamp"} <= fields.keys():
            return None
        raise BadRecord("no type")
    payload = fields.get("payload") if kind in _ENVELOPES else fields
    if not isinstance(payload, Mapping):
        raise BadRecord("no payload")
    if kind == "event_msg":
        interrupted = payload.get("type") == "turn_aborted" and payload.get("reason", "interrupted") == "interrupted"
        return Message(place, Speaker.USER, "", at, failed=True) if interrupted else None
    if kind in _ENVELOPES and kind != "response_item":
        return None
    return _item(payload, metadata.clean_id(payload.get("id")) or place, at)


def _item(item: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    kind = item.get("type")
    if not isinstance(kind, str) or kind not in _ITEMS:
        raise BadRecord("unknown kind of record")
    if kind in _CALLS:
        wanted = next((item[key] for key in ("arguments", "input", "action") if item.get(key)), None)
        return typed_text.assistant_message(
            id,
            "",
            at,
            (typed_text.tool_call(item.get("name") or kind.removesuffix("_call"), blocks.summarise_input(wanted)),),
        )
    if kind in _ANSWERS:
        return _tool_result(item.get("output"), id, at)
    return _message(item, id, at) if kind == "message" else None


def _message(item: Mapping[str, Any], id: str, at: datetime | None) -> Message | None:
    found = blocks.parse_content(item.get("content"))
    if found is None:
        raise BadRecord("no content")
    role = item.get("role")
    if role == "user":
        return typed_text.user_message(id, found.text, at)
    if role == "assistant":
        return typed_text.assistant_message(id, found.text, at)
    if role in ("developer", "system"):
        return typed_text.system_message(id, found.text, at)
    raise BadRecord("no role")


def _tool_result(output: object, id: str, at: datetime | None) -> Message | None:
    packed = blocks.decode_object(output) if isinstance(output, str) else output
    if not isinstance(packed, Mapping):
        text = blocks.flatten_text(output)
        return typed_text.tool_message(id, text, at, failed=blocks.reports_failure(text))
    about = packed.get("metadata")
    code = about.get("exit_code") if isinstance(about, Mapping) else 0
    text = blocks.flatten_text(packed) or (output if isinstance(output, str) else "")
    return typed_text.tool_message(id, text, at, failed=code not in (0, None) or packed.get("success") is False)

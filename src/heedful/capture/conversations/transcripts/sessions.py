"""JSON Lines with one session per line: id, agent, and turns with tool uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts import metadata, typed_text
from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.lines import JsonLine, read_lines
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage
from heedful.capture.conversations.transcripts.specstory import ToolUse, is_command_expansion, tool_messages, tool_slug
from heedful.records.transcript import Message, Source
from heedful.text.project import project_name

_ROLES = ("user", "assistant", "tool")
_SPOKEN = ("message", "interrupt", None)  # of the kinds of a user's turn; the others a program made


class Sessions:
    name = "sessions"
    follows = True

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        records = head_records(head)
        if records:
            return isinstance(records[0].get("turns"), list) and "session_id" in records[0]
        opening, keys = head_keys(head)
        return opening == "{" and {"session_id", "turns"} <= keys

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:
        def parse(line: JsonLine) -> tuple[Source, Iterator[Message | BadRecord]]:
            turns = line.fields.get("turns")
            if not isinstance(turns, list):
                raise BadRecord("no turns")
            return _source_of(line.fields, metadata.file_id(path, line.start)), _parse_turns(turns)

        return read_lines(path, start, parse)


def _source_of(fields: Mapping[str, Any], otherwise: str) -> Source:
    agent, place = fields.get("agent"), fields.get("source_path")
    # …/<project>/.specstory/history/<session>.md
    folder = place.partition("/.specstory/")[0] if isinstance(place, str) and "/.specstory/" in place else None
    return Source(
        metadata.clean_id(fields.get("session_id")) or otherwise,
        tool_slug(agent) if isinstance(agent, str) else "specstory",
        project_name(folder),
    )


def _parse_turns(turns: list[object]) -> Iterator[Message | BadRecord]:
    before: tuple[str, object] | None = None
    for index, turn in enumerate(turns):
        text = turn.get("text", "") if isinstance(turn, Mapping) else None
        if not isinstance(turn, Mapping) or not isinstance(text, str):
            yield BadRecord("no content" if isinstance(turn, Mapping) else "not an object")
            continue
        when, role = turn.get("time"), turn.get("role")
        at, id = metadata.parse_time(when), f"m{index}"
        if role == "user":
            machine = turn.get("kind") not in _SPOKEN or is_command_expansion(text, when, before)
            messages = [typed_text.user_message(id, text, at, machine=machine)]
        elif role == "assistant":
            used = _tool_uses(turn.get("tools"))
            reply = typed_text.assistant_message(id, text, at, tuple(tool.call for tool in used))
            messages = [reply, *tool_messages(used, id, at)]
        else:
            messages = [typed_text.tool_message(id, text, at)] if role == "tool" else []
        before = (text, when) if role == "user" else None
        yield from (message for message in messages if message)
        if role not in _ROLES:
            yield BadRecord("no role")


def _tool_uses(listed: object) -> tuple[ToolUse, ...]:
    return tuple(
        ToolUse.of(str(tool.get("name") or ""), body)
        for tool in (listed if isinstance(listed, list) else ())
        if isinstance(tool, Mapping) and isinstance(body := tool.get("body", ""), str)
    )

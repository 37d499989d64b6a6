"""Sessions gathered in one file, a session per line: its id, its agent, and its turns with what the tools did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from heedful.capture.conversations.transcripts.decoding import head_keys, head_records
from heedful.capture.conversations.transcripts.identity import identity, moment, of_file, project
from heedful.capture.conversations.transcripts.lines import Lines
from heedful.capture.conversations.transcripts.said import Damaged, Said
from heedful.capture.conversations.transcripts.specstory import Used, answers, expands, tool_slug
from heedful.capture.conversations.transcripts.speech import by_assistant, by_tool, by_user
from heedful.records.transcript import Message, Source

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

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]:
        lines = Lines(path, start)
        for record in lines:
            if isinstance(record, Damaged):
                yield record
                continue
            turns = record.fields.get("turns")
            if not isinstance(turns, list):
                yield lines.damaged("no turns")
                continue
            source = _source(record.fields, of_file(path, record.start))
            pending: Message | None = None
            for said in _turns(turns):
                if isinstance(said, str):
                    yield lines.damaged(said)
                    continue
                if pending:
                    yield Said(source, pending, record.start)
                pending = said
            if pending:
                yield Said(source, pending, record.end)


def _source(fields: Mapping[str, Any], otherwise: str) -> Source:
    agent, place = fields.get("agent"), fields.get("source_path")
    # …/<project>/.specstory/history/<session>.md
    folder = place.partition("/.specstory/")[0] if isinstance(place, str) and "/.specstory/" in place else None
    return Source(
        identity(fields.get("session_id")) or otherwise,
        tool_slug(agent) if isinstance(agent, str) else "specstory",
        project(folder),
    )


def _turns(turns: list[object]) -> Iterator[Message | str]:
    before: tuple[str, object] | None = None
    for index, turn in enumerate(turns):
        text = turn.get("text", "") if isinstance(turn, Mapping) else None
        if not isinstance(turn, Mapping) or not isinstance(text, str):
            yield "no content" if isinstance(turn, Mapping) else "not an object"
            continue
        when, role = turn.get("time"), turn.get("role")
        at, id = moment(when), f"m{index}"
        if role == "user":
            machine = turn.get("kind") not in _SPOKEN or expands(text, when, before)
            said = [by_user(id, text, at, machine=machine)]
        elif role == "assistant":
            used = _used(turn.get("tools"))
            reply = by_assistant(id, text, at, tuple(tool.call for tool in used))
            said = [reply, *answers(used, id, at)]
        else:
            said = [by_tool(id, text, at)] if role == "tool" else []
        before = (text, when) if role == "user" else None
        yield from (message for message in said if message)
        if role not in _ROLES:
            yield "no role"


def _used(listed: object) -> tuple[Used, ...]:
    return tuple(
        Used.of(str(tool.get("name") or ""), body)
        for tool in (listed if isinstance(listed, list) else ())
        if isinstance(tool, Mapping) and isinstance(body := tool.get("body", ""), str)
    )

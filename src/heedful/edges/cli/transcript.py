"""The end of a coding agent's transcript: what the agent said last, and what it had been asked.

A transcript is a file of JSON objects, one a line, that other programs write as they like. So only its end is read,
what cannot be understood is passed over, and no answer is an answer.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

_TAIL = 4 * 1024 * 1024  # bytes
_LINES = 4_000
_MACHINES = (
    "<task-notification", "<system-reminder", "<command-", "<local-command", "<bash-", "<teammate-message",
    "[Request interrupted",
)  # fmt: skip
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")


class LastTurn(NamedTuple):
    output: str = ""
    """What the agent said last."""
    query: str = ""
    """What a person had asked it."""
    id: str = ""
    """Of the output in the transcript, if it has one."""


def last_turn(path: object) -> LastTurn:
    """Empty if the file is missing, is no transcript, or has no output in it yet."""
    texts: list[str] = []
    last: Mapping[str, Any] = {}
    id = ""
    for entry in _backwards(path):
        said = _message(entry)
        role, text = said.get("role"), _text(said.get("content"))
        if role == "assistant" and text.strip() and (not texts or _continued(last, said)):
            texts.append(text)
            last, id = said, id or _name(entry)
        elif role == "user" and texts and by_person(text):
            return LastTurn("\n".join(reversed(texts)), text, id)
    return LastTurn("\n".join(reversed(texts)), "", id)


def _continued(later: Mapping[str, Any], earlier: Mapping[str, Any]) -> bool:
    """One message may be spread over several lines."""
    return isinstance(later.get("id"), str) and later.get("id") == earlier.get("id")


def by_person(text: str) -> bool:
    """Agents hand in notices of their own as if somebody had written them."""
    return bool(text.strip()) and not text.lstrip().startswith(_MACHINES)


def _backwards(path: object) -> Iterator[Mapping[str, Any]]:
    for line in reversed(_tail(path)):
        try:
            entry = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(entry, dict) and not any(entry.get(mark) is True for mark in _NOT_SAID):
            yield entry


def _tail(path: object) -> list[bytes]:
    if not isinstance(path, str) or not path or "\0" in path:
        return []
    try:
        file = Path(path).expanduser()
        about = file.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe would keep a person waiting
            return []
        with file.open("rb") as source:
            start = max(0, about.st_size - _TAIL)
            source.seek(start)
            lines = source.read(_TAIL).rstrip().rsplit(b"\n", _LINES)
    except (OSError, RuntimeError, ValueError):  # RuntimeError: nobody of that name has a home folder
        return []
    return lines[1:] if start or len(lines) > _LINES else lines


def _message(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Some agents wrap what was said, each in its own way."""
    for name in ("message", "payload"):
        if isinstance(inner := entry.get(name), dict):
            return inner
    return entry


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") in _TEXTS]
    return "\n".join(part for part in parts if isinstance(part, str))


_TEXTS = ("text", "input_text", "output_text")


def _name(entry: Mapping[str, Any]) -> str:
    name = entry.get("uuid")
    return name if isinstance(name, str) else ""

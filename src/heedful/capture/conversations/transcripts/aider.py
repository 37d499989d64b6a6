"""aider: `.aider.chat.history.md` in the folder of a project, one session after the other.

What a person typed begins with `#### `, what aider says of itself with `> `, and both end with two spaces, unlike the
headings and quotes in the answers of the model. Reactions to failed edits, lints and tests are not in the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from heedful.capture.conversations.transcripts import blocks, metadata, typed_text
from heedful.capture.conversations.transcripts.markdown import HELD, lines
from heedful.capture.conversations.transcripts.reader import DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source, Speaker
from heedful.text.project import project_name

_NAME = "aider"
_STARTED = "# aider chat started at "
_TYPED, _TOLD = "#### ", "> "
_MARK = "  "  # at the end of a line that a person typed or that aider told
_MARKED = re.compile(rb"^(?:#### |> )[^\n]*  \r?$", re.MULTILINE)
_SPOKEN = re.compile(r"/(?:ask|code|architect|context|ok)(?:\s+|$)")  # commands with a message to the model
_COMMAND = re.compile(r"[/!]\w")
_ASKED = "(Y)es/(N)o"
_INTERRUPTED = "^C"
_COSTS = ("Tokens: ", "Cost: ")
_FAILED = ("The LLM did not conform", "# 1 SEARCH/REPLACE block failed", "Malformed ", "Traceback ", "litellm.")


class Aider:
    name = _NAME
    follows = False

    def recognises(self, _path: Path, head: bytes, /) -> bool:
        return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_STARTED.encode())

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]:  # noqa: ARG002 - whole
        session: _Session | None = None
        seen: Counter[str] = Counter()
        for block in _blocks(path):
            if block.kind is _Kind.START:
                yield from _told(session, session.end() if session else ())
                started = block.text.removeprefix(_STARTED).strip()
                seen[started] += 1
                session = _Session(_source_of(path, started, seen[started]), metadata.parse_time(started))
            elif session:
                yield from _told(session, session.messages(block))
        yield from _told(session, session.end() if session else ())


class _Kind(Enum):
    START = auto()
    TYPED = auto()
    TOLD = auto()
    REPLY = auto()
    GAP = auto()
    """The empty line after one of the others."""


class _Block(NamedTuple):
    kind: _Kind
    text: str


class _Session:
    """One session. What aider tells before the first prompt is of no interest."""

    def __init__(self, source: Source, begun: datetime | None) -> None:
        self.source = source
        self._begun = begun
        self._count = 0
        self._awaits_reply = False
        self._interrupted = False

    def messages(self, block: _Block) -> Iterator[Message]:
        text = block.text
        if block.kind is not _Kind.TYPED and not self._count:
            return
        if block.kind is _Kind.REPLY:
            yield from self._made(typed_text.assistant_message(self._id(), text, self._begun))
            yield from self.end()
            self._awaits_reply = False
        elif block.kind is _Kind.TYPED:
            yield from self.end()
            message = _typed(self._id(), text, self._begun)
            self._awaits_reply = message is not None and message.role is Speaker.USER
            yield from self._made(message)
        else:
            self._interrupted = self._awaits_reply and _INTERRUPTED in text
            failed = any(mark in text for mark in _FAILED) or blocks.reports_failure(text)
            yield from self._made(typed_text.tool_message(self._id(), text, self._begun, failed=failed))

    def end(self) -> Iterator[Message]:
        """The interruption: it is told before the part of the reply that came through."""
        if self._interrupted:
            yield from self._made(Message(self._id(), Speaker.USER, "", self._begun, failed=True))
        self._interrupted = False

    def _id(self) -> str:
        return f"m{self._count}"

    def _made(self, message: Message | None) -> Iterator[Message]:
        if message:
            self._count += 1
            yield message


def _told(session: _Session | None, messages: Iterator[Message] | tuple[()]) -> Iterator[TranscriptMessage]:
    for message in messages:
        assert session is not None
        yield TranscriptMessage(session.source, message, 0)


def _source_of(path: Path, started: str, number: int) -> Source:
    folder = path.resolve().parent
    return Source(metadata.file_id(path, started, number), _NAME, project_name(str(folder)))


def _typed(id: str, text: str, at: datetime | None) -> Message | None:
    text = text.strip()
    spoken = _SPOKEN.match(text)
    if spoken:
        text = text[spoken.end() :]
    if text in ("", "<blank>"):
        return None
    machine = not spoken and (_COMMAND.match(text) is not None or _ASKED in text)
    return typed_text.user_message(id, text, at, machine=machine)


def _blocks(path: Path) -> Iterator[_Block]:
    """Consecutive lines of one kind."""
    strict = _is_marked(path)
    kind, held, size, open_ended = _Kind.REPLY, list[str](), 0, False
    for line in lines(path):
        text = line.rstrip("\r\n")
        found = kind if open_ended and not text.startswith((_STARTED, _TYPED)) else _kind_of(text, kind, strict=strict)
        open_ended = strict and found is _Kind.TOLD and not text.endswith(_MARK) and (open_ended or bool(text))
        if found in (_Kind.START, _Kind.GAP) or found != kind:
            yield from _joined(kind, held)
            kind, held, size = found, [], 0
        shown = _without_prefix(text, found)
        held.append(shown)
        size += len(shown)
        if size > HELD:
            held = [typed_text.clip_text("\n".join(held))]
            size = len(held[0])
    yield from _joined(kind, held)


def _is_marked(path: Path) -> bool:
    """Whether the ends of lines are as aider wrote them; some editors cut spaces off."""
    with path.open("rb") as file:
        return _MARKED.search(file.read(64 * 1024)) is not None


def _kind_of(text: str, current: _Kind, *, strict: bool) -> _Kind:
    if text.startswith(_STARTED):
        return _Kind.START
    marked = not strict or text.endswith(_MARK)
    if text.startswith(_TYPED) and marked:
        return _Kind.TYPED
    if text.startswith(_TOLD) and (marked or current is _Kind.TOLD):  # of several lines, the last has the mark
        return _Kind.TOLD
    return _Kind.GAP if not text and current is not _Kind.REPLY else _Kind.REPLY


def _without_prefix(text: str, kind: _Kind) -> str:
    if kind is _Kind.TYPED:
        return text.removeprefix(_TYPED).removesuffix(_MARK)
    if kind is _Kind.TOLD:
        text = text.removeprefix(_TOLD).strip()
        return "" if text.startswith(_COSTS) else text
    return text


def _joined(kind: _Kind, held: list[str]) -> Iterator[_Block]:
    text = "\n".join(line for line in held if line or kind is not _Kind.TOLD).strip()
    if text:
        yield _Block(kind, text)

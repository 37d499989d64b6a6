"""Reading files of conversations into the log: each message once, from where reading had stopped.

What is read and how far are written in one transaction, so whoever is interrupted goes on without losing or
repeating anything. Memory holds some hundred messages, whatever the size of the file.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from heedful.capture.conversations.recording import Clerk, Told
from heedful.capture.conversations.transcripts import Damaged, Reader, Said
from heedful.errors import InvalidInput
from heedful.records.names import identifier
from heedful.records.transcript import Message, Source
from heedful.store import Store
from heedful.store.readings import ReadPosition
from heedful.store.recording import Recording
from heedful.text.redaction import secret_types

_TOGETHER = 400  # messages that are written in one transaction
_HEAD = 4_096  # bytes by which a file is recognised


@dataclass(slots=True)
class Read:
    """What came of reading files."""

    files: int = 0
    unchanged: int = 0
    """Of these, how many had nothing new."""
    conversations: set[str] = field(default_factory=set)
    """The ids of those that said something new."""
    messages: int = 0
    known: int = 0
    damaged: dict[Path, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Records that could not be read, by file and reason."""


@dataclass(frozen=True, slots=True)
class Importer:
    store: Store
    clerk: Clerk
    advance: Callable[[int], object] = lambda _: None
    """Told how many bytes were read since the last time."""
    read: Read = field(default_factory=Read)

    def take(self, path: Path, reader: Reader) -> None:
        """Record what is new in a file, and have its conversations mined."""
        name = self.store.secret.digest("file", os.fspath(path.resolve()))
        size = path.stat().st_size
        start = _start(path, reader, self.store.readings.get(name), size)
        self.read.files += 1
        if start is None:
            self.read.unchanged += 1
            self.advance(size)
        else:
            self.advance(start)
            _File(self, path, reader, name).run(start, size)


class _File:
    """One file on its way into the log."""

    def __init__(self, importer: Importer, path: Path, reader: Reader, name: str) -> None:
        self._importer = importer
        self._path = path
        self._reader = reader
        self._name = name
        self._source: Source | None = None
        self._waiting: list[Message] = []
        self._cleaned: list[Told] = []
        self._position = 0
        self._told = 0

    def run(self, start: int, size: int) -> None:
        self._position = self._told = start
        state = _state(self._path)  # before: what is written meanwhile is read the next time
        for piece in self._pieces(start):
            if self._source is not None and piece.source.conversation != self._source.conversation:
                self._clean(complete=True)
            elif len(self._waiting) >= _TOGETHER:  # there is more to come: whoever goes on finds its end
                self._clean(complete=False)
            self._source = piece.source
            self._waiting.append(piece.message)
            self._position = piece.position or self._position
        self._clean(complete=True)
        self._write()
        if not self._reader.follows:  # it is not read again until it changes
            with self._importer.store.recording() as record:
                self._note(record, ReadPosition(0, state))
        self._importer.advance(max(0, size - self._told))

    def _pieces(self, start: int) -> Iterator[Said]:
        damaged = self._importer.read.damaged
        for piece in self._reader.read(self._path, start):
            if isinstance(piece, Damaged):
                damaged[self._path][piece.why] += 1
            elif _is_usable(piece.source.conversation):
                yield piece
            else:
                damaged[self._path]["no usable id of the conversation"] += 1

    def _clean(self, *, complete: bool) -> None:
        if self._source is not None:
            self._cleaned.append(self._importer.clerk.told(self._source, self._waiting, complete=complete))
            self._waiting = []
            if sum(len(told.drafts) for told in self._cleaned) >= _TOGETHER:
                self._write()

    def _write(self) -> None:
        read = self._importer.read
        reading = ReadPosition(self._position, _digest(self._path, self._position))
        received = self._importer.clerk.record_all(
            self._cleaned,
            also=lambda record: self._note(record, reading) if self._reader.follows else None,
        )
        for one in received:
            read.messages += one.new
            read.known += one.known
            if one.new:
                read.conversations.add(one.conversation)
        self._cleaned = []
        self._importer.advance(self._position - self._told)
        self._told = self._position

    def _note(self, record: Recording, reading: ReadPosition) -> None:
        self._importer.store.readings.put(record.transaction, self._name, reading)


def _start(path: Path, reader: Reader, known: ReadPosition | None, size: int) -> int | None:
    """From where to read; None if there is nothing new."""
    if known is None:
        return 0
    if not reader.follows:
        return None if known.digest == _state(path) else 0
    if known.position > size or known.digest != _digest(path, known.position):
        return 0
    return None if known.position == size else known.position


def _is_usable(conversation: str) -> bool:
    try:
        return not secret_types(identifier(conversation, "conversation"))
    except InvalidInput:
        return False


def _digest(path: Path, position: int) -> str:
    """Of the beginning and the end of what was read: another file in its place differs there."""
    with path.open("rb") as file:
        head = file.read(min(_HEAD, position))
        file.seek(max(0, position - _HEAD))
        return blake2b(head + file.read(min(_HEAD, position)), digest_size=12).hexdigest()


def _state(path: Path) -> str:
    about = path.stat()
    return f"{about.st_size}-{about.st_mtime_ns}"

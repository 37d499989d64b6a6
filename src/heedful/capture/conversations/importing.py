"""Imports files of conversations: each message once, starting where the last import stopped.

Messages and position are written in one transaction, so an interrupted import loses and repeats nothing. Memory holds
some hundred messages, whatever the size of the file.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from heedful.capture.conversations.recording import ConversationBatch, ConversationRecorder
from heedful.capture.conversations.transcripts import DamagedRecord, TranscriptMessage, TranscriptReader
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
class ImportResult:
    """The result of an import."""

    files: int = 0
    unchanged: int = 0
    """Files with nothing new."""
    conversations: set[str] = field(default_factory=set)
    """Ids of conversations with new messages."""
    messages: int = 0
    known: int = 0
    damaged: dict[Path, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Number of unreadable records by file and reason."""
    read: set[str] = field(default_factory=set)
    """Ids of all conversations in the files that were read, with or without new messages."""
    readers: Counter[str] = field(default_factory=Counter)
    """Number of files that were read by the name of their reader."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """Number of files in the folders that were not read, by the reason: empty, not a transcript, or of
    a type that holds none."""

    def pass_over(self, _path: Path, why: str) -> None:
        self.passed_over[why] += 1


@dataclass(frozen=True, slots=True)
class TranscriptImporter:
    store: Store
    recorder: ConversationRecorder
    advance: Callable[[int], object] = lambda _: None
    """Called with the number of bytes read since the last call."""
    result: ImportResult = field(default_factory=ImportResult)

    def import_file(self, path: Path, reader: TranscriptReader) -> None:
        """Records new messages of a file, and queues its conversations for mining."""
        name = self.store.secret.digest("file", os.fspath(path.resolve()))
        size = path.stat().st_size
        start = _start(path, reader, self.store.readings.get(name), size)
        self.result.files += 1
        if start is None:
            self.result.unchanged += 1
            self.advance(size)
        else:
            self.result.readers[reader.name] += 1
            self.advance(start)
            _File(self, path, reader, name).run(start, size)


class _File:
    """One file being imported."""

    def __init__(self, importer: TranscriptImporter, path: Path, reader: TranscriptReader, name: str) -> None:
        self._importer = importer
        self._path = path
        self._reader = reader
        self._name = name
        self._source: Source | None = None
        self._messages: list[Message] = []
        self._batches: list[ConversationBatch] = []
        self._position = 0
        self._reported = 0

    def run(self, start: int, size: int) -> None:
        self._position = self._reported = start
        state = _state(self._path)  # before: what is written meanwhile is read the next time
        for read_message in self._read_messages(start):
            if self._source is not None and read_message.source.conversation != self._source.conversation:
                self._clean(complete=True)
            elif len(self._messages) >= _TOGETHER:  # more is to come; the last batch completes it
                self._clean(complete=False)
            self._source = read_message.source
            self._messages.append(read_message.message)
            self._position = read_message.position or self._position
        self._clean(complete=True)
        self._write()
        # It is not read again until it changes, also if what stands behind the last message is none.
        read = f"{_digest(self._path, self._position)} {state}" if self._reader.follows else state
        with self._importer.store.recording() as record:
            self._note(record, ReadPosition(self._position if self._reader.follows else 0, read))
        self._importer.advance(max(0, size - self._reported))

    def _read_messages(self, start: int) -> Iterator[TranscriptMessage]:
        damaged = self._importer.result.damaged
        for read_message in self._reader.read(self._path, start):
            if isinstance(read_message, DamagedRecord):
                damaged[self._path][read_message.why] += 1
            elif _is_usable(read_message.source.conversation):
                yield read_message
            else:
                damaged[self._path]["no usable id of the conversation"] += 1

    def _clean(self, *, complete: bool) -> None:
        if self._source is not None:
            self._importer.result.read.add(self._source.conversation)
            self._batches.append(self._importer.recorder.batch(self._source, self._messages, complete=complete))
            self._messages = []
            if sum(len(batch.drafts) for batch in self._batches) >= _TOGETHER:
                self._write()

    def _write(self) -> None:
        result = self._importer.result
        reading = ReadPosition(self._position, _digest(self._path, self._position))
        received = self._importer.recorder.record_all(
            self._batches, also=lambda record: self._note(record, reading) if self._reader.follows else None
        )
        for one in received:
            result.messages += one.new
            result.known += one.known
            if one.new:
                result.conversations.add(one.conversation)
        self._batches = []
        self._importer.advance(self._position - self._reported)
        self._reported = self._position

    def _note(self, record: Recording, reading: ReadPosition) -> None:
        self._importer.store.readings.put(record.transaction, self._name, reading)


def _start(path: Path, reader: TranscriptReader, known: ReadPosition | None, size: int) -> int | None:
    """Where to start reading; None if there is nothing new."""
    if known is None:
        return 0
    if known.digest.split()[-1] == _state(path):
        return None
    if not reader.follows or known.position > size or known.digest.split()[0] != _digest(path, known.position):
        return 0
    return None if known.position == size else known.position


def _is_usable(conversation: str) -> bool:
    try:
        return not secret_types(identifier(conversation, "conversation"))
    except InvalidInput:
        return False


def _digest(path: Path, position: int) -> str:
    """Digest of the start and the end of what was read, to notice that the file was replaced."""
    with path.open("rb") as file:
        head = file.read(min(_HEAD, position))
        file.seek(max(0, position - _HEAD))
        return blake2b(head + file.read(min(_HEAD, position)), digest_size=12).hexdigest()


def _state(path: Path) -> str:
    log = path.with_name(f"{path.name}-wal")  # of a database: what was not yet moved into it
    return "-".join(f"{about.st_size}-{about.st_mtime_ns}" for about in _stats(path, log))


def _stats(path: Path, log: Path) -> Iterator[os.stat_result]:
    yield path.stat()
    if path.suffix == ".db" and log.is_file():
        yield log.stat()

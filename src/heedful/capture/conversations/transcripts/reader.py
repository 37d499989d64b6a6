"""What a transcript reader is, and what it yields: messages, and records that could not be parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from heedful.records.transcript import Message, Source

T = TypeVar("T")

HEAD = 64 * 1024
"""Bytes at the beginning of a file by which its format is recognised."""


class TranscriptMessage(NamedTuple):
    source: Source
    message: Message
    position: int
    """Byte offset from which reading can resume: nothing before it is lost, and a message may come again with the same
    id. For a reader that does not follow, the progress so far, or 0 if unknown."""


class DamagedRecord(NamedTuple):
    """A record that could not be parsed. It never quotes the file."""

    where: str
    why: str


class UnreadableFile(NamedTuple):
    """A file or folder that was skipped."""

    path: Path
    why: str


class BadRecord(ValueError):
    """Raised while a record is parsed; its only argument is the reason."""


@runtime_checkable
class TranscriptReader(Protocol):
    """Reads one transcript format. It never raises, whatever the file contains."""

    @property
    def name(self) -> str: ...

    @property
    def follows(self) -> bool:
        """Whether reading can resume at a position, as files that only grow allow."""
        ...

    def recognises(self, path: Path, head: bytes, /) -> bool: ...

    def read(self, path: Path, start: int = 0) -> Iterator[TranscriptMessage | DamagedRecord]: ...


def parse_each(
    records: Iterable[T], parse: Callable[[T, int], Iterable[Message | None]], first: int = 0
) -> Iterator[Message | BadRecord]:
    """Parses records one by one, each with its index; a bad one does not stop the others."""
    for index, record in enumerate(records, first):
        try:
            yield from (message for message in parse(record, index) if message)
        except BadRecord as error:
            yield error

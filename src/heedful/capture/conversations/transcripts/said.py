"""What a reader of transcripts hands out: what was said, where, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from heedful.records.transcript import Message, Source

HEAD = 64 * 1024
"""How many bytes of a file are looked at to tell what wrote it."""


class Said(NamedTuple):
    source: Source
    message: Message
    position: int
    """Where in the file, in bytes, reading can go on: nothing before it is lost, and a message may come again with the
    same id. With a reader that does not follow, only how far it has come; nought if it cannot tell."""


class Damaged(NamedTuple):
    """A record that could not be read. It never holds a word of the file."""

    where: str
    why: str


class Unreadable(NamedTuple):
    """A file or a folder that was left out."""

    path: Path
    why: str


@runtime_checkable
class Reader(Protocol):
    """Knows one form of transcript. Whatever the file holds, it does not raise."""

    @property
    def name(self) -> str: ...

    @property
    def follows(self) -> bool:
        """Whether it can go on from a position, as files that only grow allow."""
        ...

    def recognises(self, path: Path, head: bytes, /) -> bool: ...

    def read(self, path: Path, start: int = 0) -> Iterator[Said | Damaged]: ...

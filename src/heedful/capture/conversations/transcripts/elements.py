"""Streams the elements of a JSON array, one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from heedful.capture.conversations.transcripts.decoding import InvalidJson, decode_json, without_bom
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source

ELEMENT_LIMIT = 32 * 1024 * 1024
_CHUNK = 1024 * 1024
# Past all strings and numbers to a bracket, to the quote of a string that the chunk cuts off, or to its end.
_NEXT = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+([{}\[\]"]|\Z)', re.DOTALL)


class JsonElement(NamedTuple):
    number: int
    fields: dict[str, Any]
    position: int
    """Bytes of the file read so far, somewhat beyond the element."""


def elements(path: Path) -> Iterator[JsonElement | DamagedRecord]:
    """Every object of the array. A single object counts as an array of one."""
    with path.open("rb") as file:
        for number, data in enumerate(_cut(file), 1):
            yield _element(number, data, file.tell())


Conversation = tuple[Source, Iterable[Message | BadRecord]]


def read_elements(
    path: Path, parse: Callable[[JsonElement], Iterable[Conversation]]
) -> Iterator[TranscriptMessage | DamagedRecord]:
    """Reads the messages of the conversations in each element."""
    for element in elements(path):
        if isinstance(element, DamagedRecord):
            yield element
            continue
        conversations = list(parse(element))
        if not conversations:
            yield _damaged(element.number, "no messages")
        for source, messages in conversations:
            for message in messages:
                if isinstance(message, BadRecord):
                    yield _damaged(element.number, str(message))
                else:
                    yield TranscriptMessage(source, message, element.position)


def _damaged(number: int, why: str) -> DamagedRecord:
    return DamagedRecord(f"element {number}", why)


def _element(number: int, data: bytes | str, position: int) -> JsonElement | DamagedRecord:
    if isinstance(data, str):
        return _damaged(number, data)
    try:
        value = decode_json(data)
    except InvalidJson:
        return _damaged(number, "not JSON")
    return JsonElement(number, value, position) if isinstance(value, dict) else _damaged(number, "not an object")


def _cut(file: IO[bytes]) -> Iterator[bytes | str]:
    """The bytes of each element, or the reason why there are none."""
    first = without_bom(file.read(_CHUNK)).lstrip(b" \t\r\n\x00")
    if first[:1] not in {b"{", b"["}:
        yield "not JSON"
        return
    scan = _Scan(first, in_array=first[:1] == b"[")
    while True:
        yield from scan.elements()
        if scan.ended:
            return
        if scan.string_too_long():
            yield "too long"
            return
        more = file.read(scan.wanted())
        if not more:
            if scan.unfinished():
                yield "cut off"
            return
        scan.take(more)


class _Scan:
    """Finds the brackets that end an element, and skips everything between them."""

    def __init__(self, buffer: bytes, *, in_array: bool) -> None:
        self._buffer = buffer
        self._base = self._depth = int(in_array)
        self._seen = int(in_array)  # past the bracket of the array itself
        self._begun: int | None = None
        self.ended = False

    def elements(self) -> Iterator[bytes | str]:
        buffer, base = self._buffer, self._base
        for found in _NEXT.finditer(buffer, self._seen):
            sign, place = found[1], found.start(1)
            if sign in (b"{", b"["):
                if self._depth == base:
                    self._begun = place
                self._depth += 1
            elif sign in (b"}", b"]"):
                self._depth -= 1
                if self._depth == base:
                    yield "too long" if self._begun is None else buffer[self._begun : place + 1]
                    self._begun = None
                if self._depth < base or base == 0 == self._depth:
                    self.ended = True
                    return
            else:
                self._seen = place
                return

    def string_too_long(self) -> bool:
        return len(self._buffer) - self._seen > ELEMENT_LIMIT

    def wanted(self) -> int:
        """Doubles the buffer of a long string, so that the work stays linear."""
        return max(_CHUNK, len(self._buffer) - self._seen)

    def unfinished(self) -> bool:
        return self._depth > self._base or self._seen < len(self._buffer)

    def take(self, more: bytes) -> None:
        if self._begun is not None and len(self._buffer) - self._begun > ELEMENT_LIMIT:
            self._begun = None  # from here on only its end is looked for
        keep = self._seen if self._begun is None else self._begun
        self._buffer = self._buffer[keep:] + more
        self._seen -= keep
        self._begun = None if self._begun is None else 0

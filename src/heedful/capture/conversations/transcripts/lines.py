"""Streams JSON Lines files that may still be growing, from any position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from heedful.capture.conversations.transcripts.decoding import InvalidJson, decode_json, without_bom
from heedful.capture.conversations.transcripts.reader import BadRecord, DamagedRecord, TranscriptMessage
from heedful.records.transcript import Message, Source

LINE_LIMIT = 16 * 1024 * 1024
_CHUNK = 1024 * 1024


class JsonLine(NamedTuple):
    start: int
    end: int
    fields: dict[str, Any]


def read_lines(
    path: Path, start: int, parse: Callable[[JsonLine], tuple[Source, Iterable[Message | BadRecord]]]
) -> Iterator[TranscriptMessage | DamagedRecord]:
    """Reads the messages of each line. Reading resumes after a line only once its last message was read."""
    lines = JsonLines(path, start)
    for line in lines:
        if isinstance(line, DamagedRecord):
            yield line
            continue
        pending: Message | None = None
        try:
            source, messages = parse(line)
        except BadRecord as error:
            yield lines.damaged(str(error))
            continue
        for message in messages:
            if isinstance(message, BadRecord):
                yield lines.damaged(str(message))
                continue
            if pending:
                yield TranscriptMessage(source, pending, line.start)
            pending = message
        if pending:
            yield TranscriptMessage(source, pending, line.end)


class JsonLines:
    def __init__(self, path: Path, start: int = 0) -> None:
        self._path = path
        self._wanted = start
        self._at = 0

    def __iter__(self) -> Iterator[JsonLine | DamagedRecord]:
        with self._path.open("rb") as file:
            file.seek(self._read_from(file))
            yield from self._records(file)

    def damaged(self, why: str) -> DamagedRecord:
        """A damaged record at the current position; counting lines would mean reading them all."""
        return DamagedRecord(f"byte {self._at}", why)

    def _records(self, file: IO[bytes]) -> Iterator[JsonLine | DamagedRecord]:
        end = file.tell()
        while line := file.readline(LINE_LIMIT + 1):
            start, end = end, end + len(line)
            self._at = start
            if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
                end += _skip_line(file)
                yield self.damaged("too long")
                continue
            if start == 0:
                line = without_bom(line)
            if not line.strip(b" \t\r\n\x00"):
                continue
            try:
                value = decode_json(line)
            except InvalidJson:
                if line.endswith(b"\n"):  # else somebody is still writing it
                    yield self.damaged("not JSON")
                continue
            yield JsonLine(start, end, value) if isinstance(value, dict) else self.damaged("not an object")

    def _read_from(self, file: IO[bytes]) -> int:
        """The requested position, or 0 if no line begins there: the file was replaced."""
        if self._wanted <= 0:
            return 0
        file.seek(self._wanted - 1)
        around = file.read(2)
        return self._wanted if around[:1] == b"\n" or around[1:] in {b"\n", b"\r"} or len(around) == 1 else 0


def _skip_line(file: IO[bytes]) -> int:
    skipped = 0
    while rest := file.readline(_CHUNK):
        skipped += len(rest)
        if rest.endswith(b"\n"):
            break
    return skipped

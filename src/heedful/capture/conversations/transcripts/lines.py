"""Files of one JSON record per line that may still be growing, read in bounded memory from any position."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from heedful.capture.conversations.transcripts.decoding import NotJson, decoded, unmarked
from heedful.capture.conversations.transcripts.said import Damaged

LINE_LIMIT = 16 * 1024 * 1024
_CHUNK = 1024 * 1024


class JsonRecord(NamedTuple):
    start: int
    end: int
    fields: dict[str, Any]


class Lines:
    def __init__(self, path: Path, start: int = 0) -> None:
        self._path = path
        self._wanted = start
        self._at = 0

    def __iter__(self) -> Iterator[JsonRecord | Damaged]:
        with self._path.open("rb") as file:
            file.seek(self._read_from(file))
            yield from self._records(file)

    def damaged(self, why: str) -> Damaged:
        """About the record that was handed out last. Its position, as counting lines would take reading them all."""
        return Damaged(f"byte {self._at}", why)

    def _records(self, file: IO[bytes]) -> Iterator[JsonRecord | Damaged]:
        end = file.tell()
        while line := file.readline(LINE_LIMIT + 1):
            start, end = end, end + len(line)
            self._at = start
            if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
                end += _skip_line(file)
                yield self.damaged("too long")
                continue
            if start == 0:
                line = unmarked(line)
            if not line.strip(b" \t\r\n\x00"):
                continue
            try:
                value = decoded(line)
            except NotJson:
                if line.endswith(b"\n"):  # else somebody is still writing it
                    yield self.damaged("not JSON")
                continue
            yield JsonRecord(start, end, value) if isinstance(value, dict) else self.damaged("not an object")

    def _read_from(self, file: IO[bytes]) -> int:
        """Where it was told to, or the beginning if that is no longer where a line begins: it is another file now."""
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

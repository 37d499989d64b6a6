"""Streams conversations written as Markdown, with a line before each turn that names the speaker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from heedful.capture.conversations.transcripts.typed_text import TEXT_LIMIT, clip_text

_LINE_LIMIT = 1024 * 1024
HELD = 4 * TEXT_LIMIT
"""Characters of one turn that are held before its middle is given up."""

Speaker = Callable[[str], "tuple[str, str] | None"]
"""Returns the speaker and the rest of the line; None for any other line."""


class Turn(NamedTuple):
    speaker: str
    about: str
    text: str


class Turns:
    def __init__(self, path: Path, speaker: Speaker, *, opaque: tuple[str, tuple[str, ...]] | None = None) -> None:
        """`opaque`: how blocks start and end in which no line names a speaker, as tools print anything."""
        self._path = path
        self._speaker = speaker
        self._opaque = opaque
        self.title: str | None = None
        self.preamble = ""

    def __iter__(self) -> Iterator[Turn]:
        current: tuple[str, str] | None = None
        held: list[str] = []
        size = 0
        closed_off = False
        for line in lines(self._path):
            found = None if closed_off else self._speaker(line.strip())
            if self._opaque:
                closed_off = line.startswith(self._opaque[0]) or (closed_off and not line.startswith(self._opaque[1]))
            if found:
                yield from self._turn(current, held)
                current, held, size = found, [], 0
                continue
            if current is None and self.title is None and line.startswith("# "):
                self.title = line[2:].strip()
            held.append(line)
            size += len(line)
            if size > HELD:
                held = [clip_text("".join(held)) + "\n"]
                size = len(held[0])
        yield from self._turn(current, held)

    def _turn(self, current: tuple[str, str] | None, held: list[str]) -> Iterator[Turn]:
        text = "".join(held).strip()
        if current is None:
            self.preamble = text
            return
        yield Turn(*current, text.removesuffix("\n---").rstrip() if text != "---" else "")


def lines(path: Path) -> Iterator[str]:
    """The lines of a file; one that is very long comes in pieces."""
    with path.open(encoding="utf-8-sig", errors="replace", newline=None) as file:
        while line := file.readline(_LINE_LIMIT):
            yield line

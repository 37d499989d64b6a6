"""Replacements in a text, by offset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Replacement(NamedTuple):
    start: int
    """Offset in the given text."""
    before: str
    after: str

    @property
    def end(self) -> int:
        return self.start + len(self.before)

    def overlaps(self, others: Iterable[Replacement]) -> bool:
        return any(self.start < other.end and other.start < self.end for other in others)


def changed(text: str, found: Sequence[Replacement]) -> str:
    """With all of them made; they are in order."""
    pieces: list[str] = []
    end = 0
    for change in found:
        pieces += (text[end : change.start], change.after)
        end = change.end
    return "".join(pieces) + text[end:]

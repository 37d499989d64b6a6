"""An output with corrections applied to it."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.learnings import Match
from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class TextChange(Record):
    """One changed span, and the correction behind it."""

    start: int
    """Offset in the original text, in characters."""
    before: str
    after: str
    correction: str
    why: str


@dataclass(frozen=True, slots=True)
class Improved(Record):
    """A text with corrections applied to it."""

    text: str
    original: str
    changes: tuple[TextChange, ...]
    applied: tuple[Match, ...]
    by: str
    """"local", or the name of a language model."""
    unanswered: str | None = None
    """Why the language model failed and the local corrector decided instead: an error code, too_long or
    in_transaction."""

    @property
    def modified(self) -> bool:
        return self.text != self.original

    def __str__(self) -> str:
        return self.text

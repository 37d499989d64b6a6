"""An output with corrections applied to it."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.learnings import Match
from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class TextChange(Record):
    """One place that was changed, and by which correction."""

    start: int
    """Where in the text that was handed in, in characters."""
    before: str
    after: str
    correction: str
    """Its id."""
    why: str


@dataclass(frozen=True, slots=True)
class Improved(Record):
    """A text with what was learned applied to it."""

    text: str
    original: str
    changes: tuple[TextChange, ...]
    applied: tuple[Match, ...]
    by: str
    """Who changed it: "local", or the name of a language model."""
    unanswered: str | None = None
    """Why a language model was to be asked and did not decide: the code of an error, too_long or in_transaction."""

    @property
    def modified(self) -> bool:
        return self.text != self.original

    def __str__(self) -> str:
        return self.text

"""A context: the learnings relevant to a task, rendered for its prompt."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.record import Record

CONTEXT_GIVEN = "CONTEXT_GIVEN"
"""A context was composed: which learnings are in it."""

OUTCOME_REPORTED = "OUTCOME_REPORTED"
"""The outcome after a context was used."""


@dataclass(frozen=True, slots=True)
class Piece(Record):
    """One learning in a context."""

    id: str
    kind: str
    """correction, insight or pattern."""
    text: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Composed(Record):
    text: str
    """Text to put into the prompt; empty if nothing is relevant."""
    pieces: tuple[Piece, ...]
    tokens: int
    id: str | None = None
    """Pass it to `capture.outcome` to report the outcome."""

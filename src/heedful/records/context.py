"""A context: what was learned that matters for a task, ready for its prompt."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.record import Record

CONTEXT_GIVEN = "CONTEXT_GIVEN"
"""A context was composed: which learnings are in it."""

OUTCOME_REPORTED = "OUTCOME_REPORTED"
"""How it went after a context was used."""


@dataclass(frozen=True, slots=True)
class Piece(Record):
    """One learning in a context."""

    id: str
    kind: str
    """correction or insight: where its evidence is found."""
    text: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Composed(Record):
    text: str
    """To be put into the prompt as it is; empty if nothing matters."""
    pieces: tuple[Piece, ...]
    tokens: int
    """About so many."""
    id: str | None = None
    """Under which the outcome can be reported."""

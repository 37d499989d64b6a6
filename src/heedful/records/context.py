"""Text for prompts and for the instruction files of coding agents, and the learnings in it."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.correction import Correction
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


@dataclass(frozen=True, slots=True)
class AgentsSection(Record):
    """Approved learnings as a section of AGENTS.md or CLAUDE.md."""

    text: str
    """Markdown between two markers, which locate it in the file."""
    learnings: tuple[str, ...]
    elsewhere: tuple[str, ...]
    """Other projects that have approved learnings."""


@dataclass(frozen=True, slots=True)
class PromptResult(Record):
    """The result of a prompt, and the learnings relevant to it."""

    context: str
    """Text for the agent to read beside the prompt; empty if nothing is relevant."""
    learnings: tuple[str, ...]
    correction: Correction | None
    """The recorded correction, if the prompt corrects the last output."""
    known: bool = False
    """The correction was known before, and is confirmed."""

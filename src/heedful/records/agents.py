"""What coding agents get: a section for the file that they read, and notes with a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.correction import Correction
from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class AgentsSection(Record):
    """Approved learnings as a section of AGENTS.md or CLAUDE.md."""

    text: str
    """Markdown between two markers, by which it is found in the file."""
    learnings: tuple[str, ...]
    """The ids of the learnings in it, in their order."""
    elsewhere: tuple[str, ...]
    """Other projects that have approved learnings."""


@dataclass(frozen=True, slots=True)
class PromptResult(Record):
    """What became of a prompt, and what the agent should know with it."""

    context: str
    """To be handed to the agent beside the prompt as it is; empty if nothing matters."""
    learnings: tuple[str, ...]
    """The ids of the learnings in it, the most relevant first."""
    correction: Correction | None
    """What was remembered, if the prompt corrects the last output."""
    known: bool = False
    """It had been said before, and is confirmed by it."""

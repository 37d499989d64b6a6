"""Output for coding agents: a section of their instruction file, and notes for a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.correction import Correction
from heedful.records.record import Record


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

"""Text for prompts and for the instruction files of coding agents, and the learnings in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.records.choice import Choice
from heedful.records.correction import Correction
from heedful.records.document import HintExample
from heedful.records.record import Record

CONTEXT_GIVEN = "CONTEXT_GIVEN"
"""A context was composed: which learnings are in it."""


class Template(Choice, noun="template"):
    """How a context is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    XML = "xml"
    MESSAGES = "messages"


AnyTemplate = Template | Literal["text", "markdown", "xml", "messages"]


@dataclass(frozen=True, slots=True)
class Piece(Record):
    """One learning in a context."""

    id: str
    kind: str
    """correction, insight, mapping, pattern or rule; decision or example for one act that was given by itself."""
    text: str
    relevance: float
    evidence: int = 1
    """How many acts of people it stands on."""
    why: str = ""
    """In one line: why it is here."""
    constraint: bool = False
    """It always holds, so it is never withheld, and never dropped for others."""


@dataclass(frozen=True, slots=True)
class ChatMessage(Record):
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Context(Record):
    text: str
    """Text to put into the prompt; empty if nothing is relevant."""
    pieces: tuple[Piece, ...]
    tokens: int
    id: str | None = None
    """Pass it to `measure.outcome` to report the outcome."""
    withheld: tuple[str, ...] = ()
    """Learnings that were left out to measure whether they help."""
    notes: tuple[str, ...] = ()
    """What was decided: conflicts and duplicates that were resolved."""
    messages: tuple[ChatMessage, ...] = ()
    """The text as messages of a chat, with that template."""
    hint_examples: tuple[HintExample, ...] = ()
    """For a document: corrected examples of its layout."""


@dataclass(frozen=True, slots=True)
class AgentsSection(Record):
    """Approved learnings as a section of AGENTS.md or CLAUDE.md."""

    text: str
    """Markdown between two markers, which locate it in the file."""
    learnings: tuple[str, ...]
    elsewhere: tuple[str, ...]
    """Other projects that have approved learnings."""
    left_out: tuple[str, ...] = ()
    """The ids of approved ones that make no sense to somebody who was not there, such as `no, the other one`."""
    redacted: tuple[str, ...] = ()
    """The ids of those in which something stands redacted, such as an e-mail address."""


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

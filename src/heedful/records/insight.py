"""An insight: what a conversation taught, with the words that prove it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from heedful.errors import InvalidInput
from heedful.records.learning import Learning
from heedful.records.record import Record
from heedful.records.transcript import Speaker

TITLE_LIMIT = 100
CONTENT_LEAST = 100
RULE_LEAST = 40
"""Characters of what somebody asked to be heeded: it is complete as they said it."""
CONTENT_LIMIT = 2_000
TAGS_LEAST, TAGS_MOST = 3, 10
QUOTES_LEAST, QUOTES_MOST = 2, 4
QUOTE_LIMIT = 200
SUMMARY_LIMIT = 300


class InsightCategory(StrEnum):
    """What kind of thing was learned."""

    PATTERN = "pattern"
    BEST_PRACTICE = "best_practice"
    ANTI_PATTERN = "anti_pattern"
    BUG_FIX = "bug_fix"
    OPTIMIZATION = "optimization"
    TOOL_USAGE = "tool_usage"
    WORKFLOW = "workflow"
    DECISION = "decision"

    @classmethod
    def of(cls, category: object) -> InsightCategory:
        try:
            return cls(str(category))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{category!r} is not a category of learnings.", hint=f"There are: {known}.") from None


AnyInsightCategory = (
    InsightCategory
    | Literal[
        "pattern", "best_practice", "anti_pattern", "bug_fix", "optimization", "tool_usage", "workflow", "decision"
    ]
)
"""A category, or its word."""


@dataclass(frozen=True, slots=True)
class Quote(Record):
    """Words of a message, to the letter."""

    message: str
    """The id of the message."""
    role: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class Factors(Record):
    """What an insight is worth, each from 0 to 1."""

    actionability: float
    generalizability: float
    clarity: float
    evidence_strength: float

    def __iter__(self) -> Iterator[float]:
        return iter(astuple(self))


@dataclass(frozen=True, slots=True)
class InsightCandidate:
    """What an extractor found in a conversation; it is not believed yet."""

    category: InsightCategory
    title: str
    content: str
    tags: tuple[str, ...]
    quotes: tuple[Quote, ...]
    """The best proof first."""
    summary: str
    """What was going on."""
    rule: bool = False
    """Somebody asked for it to be heeded from now on."""
    claimed: Factors | None = None
    """What a language model says it is worth."""


@dataclass(frozen=True, slots=True)
class Insight(Learning):
    """What a conversation taught, and what became of it since."""

    kind: Literal["insight"]
    category: InsightCategory
    title: str
    content: str
    tags: tuple[str, ...]
    rule: bool
    """A person asked for it to be heeded from now on."""
    conversation: str
    factors: Factors | None
    quotes: tuple[Quote, ...]
    summary: str
    extracted_by: str
    """"local", or the name of a language model."""
    extraction: str
    """The version of the extraction that found it."""


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """Where an insight was learned: one conversation, in its own words."""

    learning: str
    """The id under which it was learned there; merged into the one it proves, if that is another."""
    conversation: str
    at: datetime
    actor: str | None
    quotes: tuple[Quote, ...]
    summary: str

"""An insight: what a conversation taught, with quotes as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from heedful.records.choice import Choice
from heedful.records.learning import Learning
from heedful.records.record import Record
from heedful.records.transcript import Speaker

TITLE_LIMIT = 100
CONTENT_LEAST = 100
RULE_LEAST = 12
"""Characters of an explicit rule, which may be shorter because it is complete as stated."""
CONTENT_LIMIT = 2_000
TAGS_LEAST, TAGS_MOST = 3, 10
CONTENT_PARTS = (
    *("problem", "cause", "fix", "choice", "options", "avoid", "causes", "better", "change", "what", "why", "result"),
    *("when", "how", "trade_off", "said", "context"),
)
"""The parts that the content of an insight can have, in the order in which they are shown."""
QUOTES_ASKED, QUOTES_MOST = 2, 4
"""So many a language model is asked for at least; a person's own words prove what they want by themselves."""
QUOTE_LIMIT = 200
SUMMARY_LIMIT = 300


InsightContent = Mapping[str, str]
"""Some of `CONTENT_PARTS`, each with its text."""


class InsightCategory(Choice, noun="category of learnings"):
    """What kind of thing was learned."""

    PATTERN = "pattern"
    BEST_PRACTICE = "best_practice"
    ANTI_PATTERN = "anti_pattern"
    BUG_FIX = "bug_fix"
    OPTIMIZATION = "optimization"
    TOOL_USAGE = "tool_usage"
    WORKFLOW = "workflow"
    DECISION = "decision"


class Finding(NamedTuple):
    """What an agent found out about some trouble."""

    cause: str
    """What went wrong and why."""
    remedy: str = ""
    """What was done about it."""

    @property
    def text(self) -> str:
        return f"{self.cause} {self.remedy}"


@dataclass(frozen=True, slots=True)
class Quote(Record):
    """A verbatim quote of a message."""

    message: str
    role: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class Factors(Record):
    """Quality factors of an insight, each from 0 to 1."""

    actionability: float
    generalizability: float
    clarity: float
    evidence_strength: float

    def __iter__(self) -> Iterator[float]:
        return iter(astuple(self))


@dataclass(frozen=True, slots=True)
class InsightCandidate:
    """A candidate that an extractor found in a conversation, not verified yet."""

    category: InsightCategory
    title: str
    content: InsightContent
    tags: tuple[str, ...]
    quotes: tuple[Quote, ...]
    """Best evidence first."""
    summary: str
    """The situation it was learned in."""
    rule: bool = False
    """A person asked to follow it from now on."""
    claimed: Factors | None = None
    """The factors as rated by a language model."""
    sure: float | None = None
    """The chance that people keep it, as the reader gives it; None if it read nothing."""


@dataclass(frozen=True, slots=True)
class Insight(Learning):
    """An insight from a conversation, and its state."""

    kind: Literal["insight"]
    category: InsightCategory
    title: str
    content: InsightContent
    tags: tuple[str, ...]
    rule: bool
    """A person asked to follow it from now on."""
    conversation: str
    factors: Factors | None
    quotes: tuple[Quote, ...]
    summary: str
    extracted_by: str
    """"local", or the name of a language model."""
    extraction: str


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """The evidence of an insight in one conversation."""

    learning: str
    """The id it was learned under in that conversation; it may have been merged into the learning it proves."""
    conversation: str
    at: datetime
    actor: str | None
    quotes: tuple[Quote, ...]
    summary: str

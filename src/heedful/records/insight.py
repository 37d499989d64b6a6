"""An insight: what a conversation taught, with the words that prove it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from heedful.errors import InvalidInput
from heedful.records.clock import from_micros
from heedful.records.event import Event
from heedful.records.learning import State, Stated, Status, stated
from heedful.records.record import Record
from heedful.records.transcript import Role

TITLE_LIMIT = 100
CONTENT_LEAST = 100
RULE_LEAST = 40
"""Characters of what somebody asked to be heeded: it is complete as they said it."""
CONTENT_LIMIT = 2_000
TAGS_LEAST, TAGS_MOST = 3, 10
QUOTES_LEAST, QUOTES_MOST = 2, 4
QUOTE_LIMIT = 200
SUMMARY_LIMIT = 300


class Topic(StrEnum):
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
    def of(cls, topic: object) -> Topic:
        try:
            return cls(str(topic))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{topic!r} is not a category of learnings.", hint=f"There are: {known}.") from None


AnyTopic = (
    Topic
    | Literal[
        "pattern", "best_practice", "anti_pattern", "bug_fix", "optimization", "tool_usage", "workflow", "decision"
    ]
)
"""A topic, or its word."""


@dataclass(frozen=True, slots=True)
class Quote(Record):
    """Words of a message, to the letter."""

    message: str
    """The id of the message."""
    role: Role
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
class Candidate:
    """What an extractor found in a conversation; it is not believed yet."""

    topic: Topic
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
class Insight(Record):
    """What a conversation taught, and what became of it since."""

    id: str
    at: datetime
    """When it was said."""
    topic: Topic
    title: str
    content: str
    tags: tuple[str, ...]
    rule: bool
    """A person asked for it to be heeded from now on."""
    project: str | None
    """Where it holds; None: everywhere."""
    conversation: str
    contributor: str | None
    """Who it was learned from."""
    confidence: float
    """How sure it is that it is worth heeding. It rises when it is learned again, and with every thumb."""
    factors: Factors | None
    quotes: tuple[Quote, ...]
    summary: str
    status: Status
    superseded_by: str | None
    """What it was merged into, or what contradicts it and stands."""
    approved: bool
    """Somebody who may has approved it in these very words."""
    digest: str
    """Of title, content, tags and category: whoever approves this approves nothing else."""
    version: int
    confirmed: int
    """In how many other conversations the same was learned."""
    rated_up: int
    rated_down: int
    applied: int
    renewed_at: datetime
    """When it was last said, confirmed or used."""
    extracted_by: str
    """"local", or the name of a language model."""
    extraction: str
    """The version of the extraction that found it."""


def insight(state: State, first: Event, last: Event) -> Insight:
    """A learning as those see it who read insights: its numbers, the event that began it, and that with its words."""
    words, began, said = stated(last) or Stated("", ""), first.meta, last.meta
    return Insight(
        id=state.id,
        at=first.at,
        topic=_topic(state.category),
        title=words.title,
        content=words.content,
        tags=words.tags,
        rule=began.get("rule") is True,
        project=state.scope,
        conversation=first.entity.id if first.entity is not None else "",
        contributor=state.contributor,
        confidence=state.confidence,
        factors=_factors(said.get("factors") or began.get("factors")),
        quotes=quotes_of(began),
        summary=str(began.get("summary", "")),
        status=Status(state.status),
        superseded_by=state.superseded_by,
        approved=state.approved,
        digest=state.words,
        version=state.version,
        confirmed=state.confirmed,
        rated_up=state.rated_up,
        rated_down=state.rated_down,
        applied=state.applied,
        renewed_at=from_micros(state.renewed_at),
        extracted_by=str(began.get("by", "local")),
        extraction=str(began.get("extraction", "")),
    )


def quotes_of(meta: Mapping[str, Any]) -> tuple[Quote, ...]:
    """The proof that an event holds."""
    found = meta.get("quotes")
    quotes = found if isinstance(found, list) else []
    return tuple(
        Quote(str(one[0]), Role(one[1]), str(one[2]))
        for one in quotes
        if isinstance(one, list) and len(one) == len(Quote.__slots__) and one[1] in set(Role)
    )


def _topic(name: str | None) -> Topic:
    return Topic(name) if name in set(Topic) else Topic.PATTERN


def _factors(values: object) -> Factors | None:
    if not isinstance(values, list) or len(values) != len(Factors.__slots__):
        return None
    return Factors(*map(float, values)) if all(isinstance(value, int | float) for value in values) else None


@dataclass(frozen=True, slots=True)
class Proof(Record):
    """Where an insight was learned: one conversation, in its own words."""

    learning: str
    """The id under which it was learned there; merged into the one it proves, if that is another."""
    conversation: str
    at: datetime
    contributor: str | None
    quotes: tuple[Quote, ...]
    summary: str


@dataclass(frozen=True, slots=True)
class Why(Record):
    """Why an insight is believed: where it was learned, and what people and heedful did about it since."""

    insight: Insight
    proofs: tuple[Proof, ...]
    history: tuple[Event, ...]


def proof(state: State, first: Event, last: Event) -> Proof:  # noqa: ARG001
    meta = first.meta
    conversation = first.entity.id if first.entity is not None else ""
    return Proof(state.id, conversation, first.at, state.contributor, quotes_of(meta), str(meta.get("summary", "")))


@dataclass(frozen=True, slots=True)
class InsightMatch(Record):
    """An insight that fits, and how much it matters: relevance = similarity x confidence x recency x standing."""

    insight: Insight
    score: float
    """By which matches are ranked: words and meaning together."""
    similarity: float
    recency: float
    standing: float
    """What others made of it: thumbs, confirmations, and the reputation of whom it was learned from."""
    relevance: float

"""A correction: what a person said was wrong with an output, and what is right instead."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from heedful.errors import InvalidInput
from heedful.records.clock import from_micros
from heedful.records.event import Event
from heedful.records.learning import Corrected, State, Status, corrected
from heedful.records.record import Record

COMPLAINT = "COMPLAINT_HEARD"
"""Somebody said that something is wrong, but neither what nor how it should be."""

DISPUTED = "DETECTION_DISPUTED"
"""The local detector heard a correction, and the language model did not."""

TEXT_LIMIT = 2_000
"""Characters of what was wrong, what is right, and why."""

QUERY_LIMIT = 300
"""Characters that are kept of what the AI was asked, and of what else was said."""

LONG_LIMIT = 1_000_000
"""Characters of outputs, messages and queries that are looked at."""


class Category(StrEnum):
    """What kind of thing was wrong."""

    FACTUAL = "factual"
    STYLE = "style"
    CODE = "code"
    LOGIC = "logic"
    PREFERENCE = "preference"
    DOMAIN = "domain"

    @classmethod
    def of(cls, category: object) -> Category:
        try:
            return cls(str(category))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{category!r} is not a category.", hint=f"There are: {known}.") from None


AnyCategory = Category | Literal["factual", "style", "code", "logic", "preference", "domain"]
"""A category, or its word."""


@dataclass(frozen=True, slots=True)
class Correction(Record):
    """What somebody corrected, and what became of it since."""

    id: str
    at: datetime
    wrong: str
    """What was wrong; empty if they only told what is right."""
    right: str
    """What is right; empty if they only told that it is wrong."""
    why: str
    query: str
    """What the AI had been asked."""
    context: str
    """The sentence that it stood in."""
    about: str | None
    """The topic, agent or rule it belongs to."""
    session: str | None
    actor: str | None
    category: Category
    severity: float
    """From 0, a trifle, to 1."""
    confidence: float
    """How sure it is that this was meant, and is right. It decays with time: see `Match`."""
    status: Status
    superseded_by: str | None
    version: int
    """Raised by each edit."""
    confirmed: int
    """How often somebody said the same again."""
    applied: int
    last_applied: datetime | None
    renewed_at: datetime
    """When it was last said, confirmed or used."""


def correction(state: State, first: Event, last: Event) -> Correction:
    """A learning as those see it who correct: its numbers, the event that began it, and the one with its words."""
    words, meta = corrected(last) or Corrected("", "", "", ""), last.meta
    return Correction(
        id=state.id,
        at=first.at,
        wrong=words.wrong,
        right=words.right,
        why=words.why,
        query=words.query,
        context=str(meta.get("context", "")),
        about=state.scope,
        session=first.meta.get("session"),
        actor=first.actor,
        category=_category(state.category),
        severity=_share(meta.get("severity")),
        confidence=state.confidence,
        status=Status(state.status),
        superseded_by=state.superseded_by,
        version=state.version,
        confirmed=state.confirmed,
        applied=state.applied,
        last_applied=None if state.applied_at is None else from_micros(state.applied_at),
        renewed_at=from_micros(state.renewed_at),
    )


def _category(name: str | None) -> Category:
    """Another program may have recorded it without one."""
    return Category(name) if name in set(Category) else Category.FACTUAL


def _share(value: object) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else 0.5


def share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and 0 <= value <= 1):
        raise InvalidInput(f"{name} is {value!r}.", hint="Pass a number from 0 to 1, or leave it out.")
    return float(value)


@dataclass(frozen=True, slots=True)
class Detection(Record):
    """Whether a message corrects the output before it, and what it says then."""

    is_correction: bool
    confidence: float
    """That it is one."""
    category: Category | None
    severity: float
    wrong: str
    right: str
    why: str
    signals: tuple[str, ...]
    """What spoke for or against it, in words."""
    disputed: bool = False
    """The language model and the local detector see it differently."""
    unanswered: str | None = None
    """Why a language model was to be asked and did not decide: the code of an error. The local detector did."""


@dataclass(frozen=True, slots=True)
class Heard(Record):
    """What became of a message."""

    detection: Detection
    correction: Correction | None
    """What was remembered, if it was a correction."""
    known: bool = False
    """It had been said before, and is confirmed by it."""


@dataclass(frozen=True, slots=True)
class Match(Record):
    """A correction that fits, and how much it matters: relevance = similarity x confidence x recency x success."""

    correction: Correction
    score: float
    """By which matches are ranked: words and meaning together."""
    similarity: float
    recency: float
    success: float
    relevance: float


@dataclass(frozen=True, slots=True)
class Change(Record):
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
    changes: tuple[Change, ...]
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

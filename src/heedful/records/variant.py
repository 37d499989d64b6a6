"""Variants of a prompt for language models, and their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from heedful.records.interval import Interval
from heedful.records.record import Record

STANDARD: Final = "standard"


class Asking(NamedTuple):
    """One call of a language model: enough to compare prompt variants afterwards."""

    prompt: str
    variant: str
    digest: str
    """The hash of the wording: a rewritten variant is a different one, whatever its name."""
    model: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Tally:
    variant: str
    conversations: int
    """How many it was used on."""
    fruitful: int
    """How many of these gave at least one stored learning."""
    learnings: int
    """Stored, of all of them."""
    up: int
    down: int
    confidence: float | None
    """The mean of these learnings; None if there are none."""


@dataclass(frozen=True, slots=True)
class VariantResult(Record):
    variant: str
    conversations: int
    learnings: int
    yield_rate: float
    """The share of conversations with at least one learning."""
    yield_interval: Interval
    ratings: int
    approval_rate: float | None
    """The share of thumbs up; None without ratings."""
    approval_interval: Interval
    mean_confidence: float | None


@dataclass(frozen=True, slots=True)
class VariantComparison(Record):
    prompt: str
    variants: tuple[VariantResult, ...]
    """The built-in one first, then by name."""
    winner: str | None
    """None while the data is inconclusive."""
    reason: str

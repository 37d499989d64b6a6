"""Variants of a prompt: with which wording a language model was asked, and how each of them fares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from heedful.records.rate import Interval
from heedful.records.record import Record

STANDARD: Final = "standard"
"""The variant that is there without anybody writing one."""


class Asking(NamedTuple):
    """One question to a language model: enough to compare its wordings afterwards."""

    prompt: str
    variant: str
    digest: str
    """Of the wording: a variant that was rewritten is another one, whatever its name."""
    model: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What came of a variant."""

    variant: str
    conversations: int
    """That it was asked about."""
    fruitful: int
    """Of these, how many gave at least one learning that was stored."""
    learnings: int
    """Stored, of all of them."""
    up: int
    down: int
    confidence: float | None
    """Of these learnings, on average; None if there are none."""


@dataclass(frozen=True, slots=True)
class VariantResult(Record):
    variant: str
    conversations: int
    learnings: int
    yield_rate: float
    """The share of conversations that gave something."""
    yield_interval: Interval
    ratings: int
    approval_rate: float | None
    """Of the ratings, how many were up; None without any."""
    approval_interval: Interval
    mean_confidence: float | None


@dataclass(frozen=True, slots=True)
class VariantComparison(Record):
    prompt: str
    variants: tuple[VariantResult, ...]
    """The standard one first, then by name."""
    winner: str | None
    """None as long as the numbers do not tell."""
    reason: str

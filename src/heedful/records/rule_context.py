"""What was learned about one rule, rendered for the next prompt."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.calibration import Calibration, Estimate
from heedful.records.interval import Interval
from heedful.records.record import Record

ENOUGH = 10
"""Fewer samples than this are not enough to act on."""


@dataclass(frozen=True, slots=True)
class AcceptedPattern(Record):
    id: str
    """Of the learning that stands for it."""
    original_pattern: str
    suggested_pattern: str
    accept_count: int
    modified_count: int
    """How many of them the team's own people changed before accepting."""
    sample_count: int
    """All decisions, including imported ones by their weight."""
    success_rate: float
    interval: Interval
    people: int
    """Different people of this organisation behind it: a key counts as one person, unless it was created for many."""
    readable: bool
    """Whether these are its words; otherwise they only say how many words it has."""


@dataclass(frozen=True, slots=True)
class RejectedPattern(Record):
    id: str
    original_pattern: str
    suggested_pattern: str
    reject_count: int
    sample_count: int
    success_rate: float
    interval: Interval
    people: int
    readable: bool
    common_rejection_reason: str | None


@dataclass(frozen=True, slots=True)
class Modification(Record):
    """How people improve suggestions, with an example if texts are stored."""

    suggested: str
    modification: str
    improvement: str
    count: int


@dataclass(frozen=True, slots=True)
class RuleContext(Record):
    rule_id: str
    rule_name: str
    acceptance_rate: float
    acceptance_interval: Interval
    sample_count: int
    imported_count: int
    """How many of the samples other teams contributed."""
    accepted_patterns: tuple[AcceptedPattern, ...]
    rejected_patterns: tuple[RejectedPattern, ...]
    useful_modifications: tuple[Modification, ...]
    prompt: str
    """Text to put into the next prompt for this rule; empty if too little is known."""
    adjusted_confidence_baseline: float | None
    """The probability that a suggestion for this rule is accepted, whatever its stated confidence."""
    has_sufficient_data: bool
    calibration: Calibration

    def confidence(self, stated: float) -> Estimate:
        return self.calibration.at(stated)

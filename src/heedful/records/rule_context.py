"""What was learned about one rule, ready for the next prompt."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.calibration import Calibration, Estimate
from heedful.records.rate import Interval
from heedful.records.record import Record

ENOUGH = 10
"""Fewer samples than this say too little to act on."""


@dataclass(frozen=True, slots=True)
class AcceptedPattern(Record):
    original_pattern: str
    suggested_pattern: str
    accept_count: int
    modified_count: int
    """How many of them the team's own people changed before they took them."""
    sample_count: int
    """Decisions in all; what was imported is among them, as far as it counts."""
    success_rate: float
    interval: Interval
    people: int
    """Different people of this organisation behind it, as far as they can be told apart: a key that does not speak for
    many is one, whatever names it gives."""
    readable: bool
    """Whether these are its words; else they only tell how many words it has."""


@dataclass(frozen=True, slots=True)
class RejectedPattern(Record):
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
    """How people improve what is suggested, with an example where texts are kept."""

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
    """The rate is in here with 95% probability."""
    sample_count: int
    imported_count: int
    """How many of the samples other teams contributed."""
    accepted_patterns: tuple[AcceptedPattern, ...]
    rejected_patterns: tuple[RejectedPattern, ...]
    useful_modifications: tuple[Modification, ...]
    prompt: str
    """To be put into the next prompt for this rule; empty as long as too little is known."""
    adjusted_confidence_baseline: float | None
    """How likely a suggestion for this rule is accepted, whatever confidence is stated."""
    has_sufficient_data: bool
    calibration: Calibration

    def confidence(self, stated: float) -> Estimate:
        """What a stated confidence has really meant for this rule."""
        return self.calibration.at(stated)

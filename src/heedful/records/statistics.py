"""Acceptance statistics of suggestions: rates with intervals, by rule and by category."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.records.calibration import Reliability, Scores
from heedful.records.interval import Interval
from heedful.records.period import Period
from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class RuleStatistics(Record):
    rule_id: str
    rule_name: str
    feedback_count: int
    accepted: int
    modified: int
    rejected: int
    skipped: int
    acceptance_rate: float
    acceptance_interval: Interval
    modification_rate: float
    modification_interval: Interval
    confidence_accuracy: float | None
    """How often a confidence of 0.8 or more was accepted, and a lower one rejected; None if no confidence was
    stated."""
    confidence_accuracy_interval: Interval


@dataclass(frozen=True, slots=True)
class CategoryStatistics(Record):
    category: str
    feedback_count: int
    acceptance_rate: float
    acceptance_interval: Interval
    top_accepted_rules: tuple[str, ...]
    top_rejected_rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statistics(Record):
    total_feedback: int
    overall_acceptance_rate: float
    overall_acceptance_interval: Interval
    acceptance_rate_trend: float
    """The last seven days against the seven before; zero, without an interval, if either has no decisions."""
    acceptance_rate_trend_interval: Interval | None
    rules_with_feedback: int
    modification_rate: float
    modification_interval: Interval
    skip_rate: float
    skip_interval: Interval
    by_rule: Mapping[str, RuleStatistics]
    by_category: Mapping[str, CategoryStatistics]
    period: Period


@dataclass(frozen=True, slots=True)
class CalibrationReport(Record):
    """How well stated and calibrated confidences predict, measured on people whose decisions were held out."""

    rule_id: str | None
    scores: Scores | None
    """None until a stated confidence was followed by a decision."""
    reliability: tuple[Reliability, ...]

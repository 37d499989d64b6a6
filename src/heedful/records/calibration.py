"""Calibration: a curve from stated confidence to acceptance, and how well it predicts."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from heedful.errors import InvalidInput
from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share of accepted suggestions, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        return (self.high - self.low) / 2.0

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.margin:.2f}"


@dataclass(frozen=True, slots=True)
class Knot(Record):
    confidence: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Calibration(Record):
    """A piecewise linear curve from stated confidence to the share of accepted suggestions."""

    sample_count: int
    knots: tuple[Knot, ...]

    def at(self, confidence: float) -> Estimate:
        """The calibrated estimate of a stated confidence; constant beyond the outer knots."""
        check_confidence(confidence)
        right = bisect_left(self.knots, confidence, key=_place)
        if right == 0:
            return _estimate(self.knots[0])
        if right == len(self.knots):
            return _estimate(self.knots[-1])
        return _between(self.knots[right - 1], self.knots[right], confidence)


@dataclass(frozen=True, slots=True)
class Scores(Record):
    """How well confidences predict decisions of held-out people; lower is better in all four."""

    sample_count: int
    brier: float
    brier_raw: float
    ece: float
    ece_raw: float


@dataclass(frozen=True, slots=True)
class Reliability(Record):
    """One row of the reliability table: suggestions stated between `low` and `high`."""

    low: float
    high: float
    count: int
    stated: float
    accepted: float
    accepted_low: float
    accepted_high: float
    calibrated: float


def check_confidence(confidence: float) -> None:
    if type(confidence) not in (int, float) or not 0.0 <= confidence <= 1.0:  # refuses NaN as well
        raise InvalidInput(f"confidence is {confidence!r}.", hint="Pass a number from 0 to 1.")


def _place(knot: Knot) -> float:
    return knot.confidence


def _estimate(knot: Knot) -> Estimate:
    return Estimate(knot.value, knot.low, knot.high)


def _between(left: Knot, right: Knot, confidence: float) -> Estimate:
    share = (confidence - left.confidence) / (right.confidence - left.confidence)
    rest = 1.0 - share
    pairs = ((left.value, right.value), (left.low, right.low), (left.high, right.high))
    return Estimate(*(one * rest + other * share for one, other in pairs))

"""Confidence intervals of rates: successes out of a total."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from heedful.records.record import Record

Z95 = 1.959964


@dataclass(frozen=True, slots=True)
class Interval(Record):
    low: float
    high: float


def wilson(successes: float, total: float, z: float = Z95) -> Interval:
    """The Wilson interval, accurate for few samples and for rates near 0 and 1. Weights may be fractions."""
    if total <= 0.0:
        return Interval(0.0, 1.0)
    rate = min(max(successes / total, 0.0), 1.0)  # sums of fractions may be a hair beyond
    z2 = z * z
    middle = (rate + z2 / (2.0 * total)) / (1.0 + z2 / total)
    reach = z * sqrt(rate * (1.0 - rate) / total + z2 / (4.0 * total * total)) / (1.0 + z2 / total)
    return Interval(min(max(middle - reach, 0.0), rate), max(min(middle + reach, 1.0), rate))

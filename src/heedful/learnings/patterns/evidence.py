"""The evidence for a pattern or a rule: the team's own decisions, and the weighted ones of other teams."""

from __future__ import annotations

from typing import NamedTuple

from heedful.learnings.patterns.tallies import DecisionCounts
from heedful.records.rate import Interval, wilson

SEEN = 3
"""A pattern with fewer decisions is ignored."""

WANTED = 0.7
UNWANTED = 0.3
"""At or above the first rate a pattern is wanted, at or below the second it is unwanted."""

_HALF = 0.5
_VOICES = 25
"""The maximum weight of an import where the team itself has too few decisions."""


class DecisionEvidence(NamedTuple):
    successes: float
    total: float
    imported: float
    """How much of the total was imported."""
    own_rate: float | None
    """Of the team's own decisions, if there are enough of them."""

    @classmethod
    def of(cls, counted: DecisionCounts) -> DecisionEvidence:
        """Until the team has three decisions of its own, imports weigh at most 25 decisions; from then on at most as
        many as the team's own."""
        own, foreign = counted.decided, counted.imported
        weight = min(1.0, (own if own >= SEEN else _VOICES) / foreign) if foreign else 0.0
        wanted = counted.accepted + counted.modified
        successes = wanted + weight * (counted.imported_accepted + counted.imported_modified)
        own_rate = wanted / own if own >= SEEN else None
        return cls(successes, own + weight * foreign, weight * foreign, own_rate)

    @property
    def rate(self) -> float:
        return self.successes / self.total if self.total else 0.0

    @property
    def wanted(self) -> bool | None:
        """True if people want it, false if they do not, None if it is undecided. An import can make the team's own
        decision undecided, but never reverse it."""
        if self.rate >= WANTED and (self.own_rate is None or self.own_rate >= _HALF):
            return True
        if self.rate <= UNWANTED and (self.own_rate is None or self.own_rate <= _HALF):
            return False
        return None

    @property
    def interval(self) -> Interval:
        return wilson(self.successes, self.total)

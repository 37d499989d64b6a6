"""How much is behind a pattern or a rule: the team's own decisions, and those of others as far as they count."""

from __future__ import annotations

from typing import NamedTuple

from heedful.learnings.patterns.tallies import DecisionCounts
from heedful.records.rate import Interval, wilson

SEEN = 3
"""A pattern that was decided on less often is no pattern yet."""

WANTED = 0.7
UNWANTED = 0.3
"""From this rate of success on, and up to this one, people have made up their minds."""

_HALF = 0.5
_VOICES = 25
"""What an import counts at most for something that the team itself has not judged often enough."""


class DecisionEvidence(NamedTuple):
    successes: float
    total: float
    imported: float
    """How much of the total came from elsewhere."""
    own_rate: float | None
    """Of the team's own decisions, if there are enough to have a mind of its own."""

    @classmethod
    def of(cls, counted: DecisionCounts) -> DecisionEvidence:
        """Until the team has decided three times itself, imports count for at most 25 decisions; from then on for at
        most as many as the team's own."""
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
        """Whether people want it, do not, or have not made up their minds. An import can put in doubt what the team
        itself decided, and never turn it round."""
        if self.rate >= WANTED and (self.own_rate is None or self.own_rate >= _HALF):
            return True
        if self.rate <= UNWANTED and (self.own_rate is None or self.own_rate <= _HALF):
            return False
        return None

    @property
    def interval(self) -> Interval:
        return wilson(self.successes, self.total)

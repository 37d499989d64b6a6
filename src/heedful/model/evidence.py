"""How much is behind a pattern or a rule: the team's own decisions, and those of others as far as they count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from heedful.model.rate import Interval, wilson

SEEN = 3
"""A pattern that was decided on less often is no pattern yet."""

WANTED = 0.7
UNWANTED = 0.3
"""From this rate of success on, and up to this one, people have made up their minds."""

_VOICES = 25
"""What an import counts at most for something that the team itself has not judged often enough."""


class Evidence(NamedTuple):
    successes: float
    total: float
    imported: float
    """How much of the total came from elsewhere."""

    @classmethod
    def of(cls, counted: Sequence[int], *, enough: int = SEEN) -> Evidence:
        """From accepted, modified, rejected, –, and the same three as imported.

        Until the team has decided `enough` times itself, imports speak with at most 25 voices; from then on with at
        most as many as the team. So a file can silence what a team learned, and never turn it round.
        """
        own, foreign = sum(counted[:3]), sum(counted[4:7])
        weight = min(1.0, (own if own >= enough else _VOICES) / foreign) if foreign else 0.0
        successes = counted[0] + counted[1] + weight * (counted[4] + counted[5])
        return cls(successes, own + weight * foreign, weight * foreign)

    @property
    def rate(self) -> float:
        return self.successes / self.total if self.total else 0.0

    @property
    def interval(self) -> Interval:
        return wilson(self.successes, self.total)

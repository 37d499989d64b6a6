"""The right moment: which corrections matter for a question.

Most that are near a question do not: they are about the same thing, but not about what is asked. Of the nearest, the
reader tells how probable it is that each matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.search import SearchHit
from heedful.records.reading import Reader
from heedful.text.normalize import normal

_ASKED: Final = 8  # of the nearest, the reader is asked about these
_LEAST_COSINE: Final = 0.2
# The log-odds that a correction matters. Fitted on exchanges with a question where each matters and one where it only
# seems to (`training/exchanges/README.md`).
_BIAS: Final = -3.0
_COSINE: Final = 6.0
_SCORE: Final = 2.0
_READ: Final = 1.0
_LEAST: Final = 0.3
"""The probability from which a correction is given."""
_MARGIN: Final = 1.5  # in log-odds, below the best one
_CERTAIN: Final = 0.9  # whatever the best one has: the same question may have been corrected more than once


@dataclass(frozen=True, slots=True)
class Moments:
    reader: Reader

    def mattering(self, question: str, found: Sequence[SearchHit]) -> list[SearchHit]:
        """Those that matter, best first."""
        near = [one for one in found if one.cosine is not None and one.cosine >= _LEAST_COSINE][:_ASKED]
        rated = sorted(((self._log_odds(question, one), one) for one in near), key=lambda rating: -rating[0])
        if not rated:
            return []
        least = max(_log_odds(_LEAST), min(rated[0][0] - _MARGIN, _log_odds(_CERTAIN)))
        return [one for value, one in rated if value >= least]

    def _log_odds(self, question: str, hit: SearchHit) -> float:
        correction = CORRECTION.record(hit.row)
        if normal(correction.query) == normal(question):
            return _log_odds(1)
        read = self.reader.matters(question, correction.mistake())
        return _BIAS + _COSINE * (hit.cosine or 0.0) + _SCORE * hit.score + _READ * _log_odds(read)


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, 1e-4), 1 - 1e-4)
    return log(bounded / (1 - bounded))

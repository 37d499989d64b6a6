"""The right moment: which corrections matter for a question.

Most that are near a question do not: they are about the same thing, but not about what is asked. Of the nearest, the
reader tells how probable it is that each matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Final

from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.search import SearchHit
from heedful.records.correction import Correction
from heedful.records.embedding import Meaning, meanings
from heedful.records.outside import Outside

_ASKED: Final = 8  # of the nearest, the reader is asked about these
_LEAST_COSINE: Final = 0.2
# Evidence that a correction matters. Chosen on exchanges with a question where each matters and one where it only seems
# to: those of `training/exchanges` that training did not use, and those of `benchmarks/cases/seen`.
_MEANING: Final = 6.0  # of the cosine
_WORDS: Final = 3.0  # of the fused score
_READ: Final = 0.8  # of the log-odds by the reader
_LEAST: Final = 0.7
_MARGIN: Final = 1.0  # below the best one
_CERTAIN: Final = 6.0  # whatever the best one has: the same question may have been corrected more than once
_SAME_QUESTION: Final = 0.75  # the cosine from which a question is asked again in other words


@dataclass(frozen=True, slots=True)
class Moments:
    outside: Outside

    def mattering(self, question: str, asked: Meaning, found: Sequence[SearchHit]) -> list[SearchHit]:
        """Those that matter, best first."""
        near = [one for one in found if one.cosine is not None and one.cosine >= _LEAST_COSINE][:_ASKED]
        corrections = [CORRECTION.record(one.row) for one in near]
        again = self._asked_again(asked, corrections)
        rated = [
            (self._evidence(question, correction, hit) if not same else inf, hit)
            for hit, correction, same in zip(near, corrections, again, strict=True)
        ]
        if not rated:
            return []
        best = max(value for value, _ in rated)
        least = max(_LEAST, min(best - _MARGIN, _CERTAIN))
        return [one for value, one in sorted(rated, key=lambda rating: -rating[0]) if value >= least]

    def _asked_again(self, asked: Meaning, corrections: Sequence[Correction]) -> list[bool]:
        """Whether the question of each is the same, maybe in other words: then there is nothing to read."""
        if not corrections:
            return []
        known = meanings(self.outside.embedder, [correction.query for correction in corrections])
        if known is None:
            return [False] * len(corrections)
        return [
            bool(correction.query) and float(one.vector @ asked.vector) >= _SAME_QUESTION
            for correction, one in zip(corrections, known, strict=True)
        ]

    def _evidence(self, question: str, correction: Correction, hit: SearchHit) -> float:
        read = self.outside.reader.matters(question, correction.mistake())
        return _MEANING * (hit.cosine or 0.0) + _WORDS * hit.score + _READ * _log_odds(read)


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, 1e-4), 1 - 1e-4)
    return log(bounded / (1 - bounded))

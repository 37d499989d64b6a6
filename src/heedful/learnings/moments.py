"""The right moment: which corrections matter for a question.

Most that are near a question do not: they are about the same thing, but not about what is asked. How near they are in
meaning and words tells most of it, for the embedder was trained on that. Where it leaves a doubt, the reader is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Final, NamedTuple

from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.search import SearchHit
from heedful.records.correction import Correction
from heedful.records.embedding import Meaning, meanings
from heedful.records.outside import Outside
from heedful.text.normalize import normal
from heedful.text.subjects import is_other_subject

_NEAREST: Final = 6
_LEAST_COSINE: Final = 0.2
# Evidence that a correction matters. Chosen on exchanges with questions where each matters and some where it only seems
# to: those of `training/exchanges` that training did not use, and those of `benchmarks/cases/seen`.
_MEANING: Final = 20.0  # of the cosine
_WORDS: Final = 8.0  # of the fused score
_READ: Final = 0.7  # of the log-odds by the reader
_USUAL: Final = -2.0  # log-odds that change nothing
_LEAST: Final = 10.0
_MARGIN: Final = 2.0  # below the best one
_CERTAIN: Final = 13.0  # whatever the best one has: the same question may have been corrected more than once
_SAME_QUESTION: Final = 0.75  # the cosine from which a question is asked again in other words
_MAYBE_SAME: Final = 0.4  # the cosine with question and correction, below which it is not the same question
_MOST: Final = 3  # in one context
_MOST_QUESTIONS: Final = 2  # embedded, to see whether the same is asked again: it would be among the nearest
# The reader takes longer than all the rest, so it is asked only where its answer can decide.
_MOST_READ: Final = 3  # on the cases seen, more reading changed nothing
_GAIN: Final = 1.0  # the reader adds this much at most, nearly always
_LOSS: Final = 1.0  # and takes this much away


class MomentHit(NamedTuple):
    hit: SearchHit
    asked_again: bool = False
    """The same question, maybe in other words."""


@dataclass(frozen=True, slots=True)
class Moments:
    outside: Outside

    def mattering(self, question: str, asked: Meaning, found: Sequence[SearchHit]) -> list[MomentHit]:
        """Those that matter, best first."""
        near = [one for one in found if one.cosine is not None and one.cosine >= _LEAST_COSINE][:_NEAREST]
        corrections = {one.row.state.id: CORRECTION.record(one.row) for one in near}
        again = self._asked_again(question, asked, near, corrections)
        rated = [(inf, MomentHit(one, asked_again=True)) for one in near if one.row.state.id in again]
        best, reads = inf if rated else -inf, 0
        for one in sorted((one for one in near if one.row.state.id not in again), key=lambda one: -_unread(one)):
            value, least = _unread(one), _least(best)
            if value + _GAIN < least or len(rated) == _MOST:
                break
            if value - _LOSS < least and reads < _MOST_READ:
                reads += 1
                value += _READ * (self._read(question, corrections[one.row.state.id]) - _USUAL)
            best = max(best, value)
            if value >= least:
                rated.append((value, MomentHit(one)))
        return [one for value, one in sorted(rated, key=lambda rating: -rating[0]) if value >= _least(best)]

    def _asked_again(
        self, question: str, asked: Meaning, near: Sequence[SearchHit], corrections: Mapping[str, Correction]
    ) -> frozenset[str]:
        """The ids of those whose question is the same, maybe in other words: then there is nothing to read."""
        plain, queries = normal(question), {id: one.query for id, one in corrections.items() if one.query}
        same = {id for id, query in queries.items() if normal(query) == plain}
        nearest = sorted(near, key=lambda one: -(one.cosine or 0.0))
        maybe = [one.row.state.id for one in nearest if (one.cosine or 0.0) >= _MAYBE_SAME]
        unsure = [
            id for id in maybe
            if id in queries and id not in same and not is_other_subject(question, queries[id])
        ][:_MOST_QUESTIONS]  # fmt: skip
        known = meanings(self.outside.embedder, [queries[id] for id in unsure]) if unsure else []
        for id, one in zip(unsure, known or (), strict=False):
            if float(one.vector @ asked.vector) >= _SAME_QUESTION:
                same.add(id)
        return frozenset(same)

    def _read(self, question: str, correction: Correction) -> float:
        return _log_odds(self.outside.reader.matters(question, correction.mistake()))


def _unread(hit: SearchHit) -> float:
    """The evidence without the reader."""
    return _MEANING * (hit.cosine or 0.0) + _WORDS * hit.score


def _least(best: float) -> float:
    return max(_LEAST, min(best - _MARGIN, _CERTAIN))


def _log_odds(chance: float) -> float:
    bounded = min(max(chance, 1e-4), 1 - 1e-4)
    return log(bounded / (1 - bounded))

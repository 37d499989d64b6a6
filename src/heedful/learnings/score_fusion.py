"""Ranks learnings for a query: by terms (BM25), by meaning, and both combined."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log
from typing import Final, TypeVar

Key = TypeVar("Key", bound=Hashable)

# Tuned on half of the conversations of LoCoMo and QMSum, then rounded; a wide plateau (see benchmarks/retrieval.py).
K1: Final = 1.0  # how much repetition adds; less than the usual 1.2 did better on short texts
B: Final = 0.5  # how much length takes away; less than the usual 0.75 did better as well
AVERAGE_LENGTH: Final = 30  # terms; fixed, so that a posting need not change when others are written
MEANING: Final = 0.6  # the weight of the cosine; the rest is that of the terms

# A result must be near enough to the query to be shown. Among many learnings one is near by chance, so the
# best of them must be nearer the more there are. Tuned on half of the conversations of LoCoMo, in samples of 5 to 700
# turns: questions about them against questions about another (see benchmarks/retrieval.py --floor).
_FLOOR_OF_ONE: Final = 0.15
_FLOOR_PER_FOLD: Final = 0.06  # more for every e-fold of learnings
_HIGHEST_FLOOR: Final = 0.6

_STEPS = 255


def idf(rows: int, having: int) -> float:
    """The weight of a term that `having` of `rows` learnings have; always positive."""
    return log(1 + (max(rows - having, 0) + 0.5) / (having + 0.5))


def impact(count: int, length: int) -> float:
    """The weight of a term that occurs `count` times among the `length` terms of a learning; below K1 + 1."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / AVERAGE_LENGTH))


def pack_impact(x: float) -> int:
    """An impact as a byte, never 0: a learning with the term must be found by it."""
    return min(max(round(x * _STEPS / (K1 + 1)), 1), _STEPS)


UNPACKED_IMPACT: Final = tuple(step * (K1 + 1) / _STEPS for step in range(_STEPS + 1))


def fuse(text: Sequence[tuple[Key, float]], vector: Sequence[tuple[Key, float]]) -> list[tuple[Key, float]]:
    """Fuses two rankings into one, best first, each with a score in 0..1.

    `text` has the sums of idf and impact, `vector` the cosines, both best first. Cosines are used unchanged. Sums have
    no scale and are taken relative to the best of this query, squared: a learning with the name in the query stays
    ahead of those that share many common words with a long query. A learning without a cosine gets the lowest one.
    Without cosines the terms have all the weight.
    """
    weight = MEANING if vector else 0.0
    best = max((score for _, score in text), default=0.0)
    matched: dict[Key, float] = {}
    for key, score in text:
        matched.setdefault(key, _share(score / best) ** 2 if best > 0 else 0.0)
    near: dict[Key, float] = {}
    for key, cosine in vector:
        near.setdefault(key, _share(cosine))
    least = min(near.values(), default=0.0)
    fused = [(key, (1 - weight) * matched.get(key, 0.0) + weight * near.get(key, least)) for key in {**matched, **near}]
    fused.sort(key=lambda one: -one[1])  # stable: among equals, the terms' order, then the cosines'
    return fused


def by_meaning(text: Sequence[tuple[Key, float]], vector: Sequence[tuple[Key, float]]) -> list[tuple[Key, float]]:
    """Those with a cosine, nearest first, with the scores of `fuse`."""
    scores = dict(fuse(text, vector))
    return [(key, scores[key]) for key, _ in vector]


def nearness(cosine: float | None, coverage: float) -> float:
    """How near a learning is to a query: its meaning, plus the share of the query's words that it has, by idf."""
    return _share(cosine or 0.0) + _share(coverage)


def floor(rows: int) -> float:
    """How near the best of `rows` learnings must be for anything to be shown."""
    return min(_FLOOR_OF_ONE + _FLOOR_PER_FOLD * log(max(rows, 1)), _HIGHEST_FLOOR)


def floor_of_the_rest(rows: int) -> float:
    """How near the others must be, once the best is near enough."""
    return floor(rows) / 2


def _share(x: float) -> float:
    return min(max(x, 0.0), 1.0)

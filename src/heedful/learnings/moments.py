"""The right moment: which corrections matter for a question.

Most that are near a question do not: they are about the same thing, but not about what is asked. How probable it is
that one matters follows from how near it is in meaning, which of its words the question has and how rare these are, how
much nearer it is than the others, and how near those are. `training/mattering.py` learned that from questions where a
correction matters, and some that only sound alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import orjson

from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.search import SearchHit
from heedful.text.normalize import normal
from heedful.text.rarity import rarity
from heedful.text.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

WEIGHTS: Final = Path(__file__).with_name("moments.json")
LEAST: Final = 0.1
"""The probability from which one is given. Among some eighty corrections, seven in ten that matter are given then, and
every second that is given matters."""
_LEAST_FORESEEN: Final = 0.15
"""The same for a correction of which a language model foresaw the occasions: it is nearer where it matters, so nine in
ten are still given then, and more of what is given matters."""
_MOST: Final = 3  # in one context
_THIRD, _POOL = 3, 8


class MomentHit(NamedTuple):
    hit: SearchHit
    asked_again: bool = False
    """The same question."""


def mattering(question: str, found: Sequence[SearchHit]) -> list[MomentHit]:
    """Those that matter, best first, as `found` is."""
    near = list(found)
    if not near:
        return []
    plain = normal(question)
    again = [one for one in near if (query := CORRECTION.words_of(one.row).query) and normal(query) == plain]
    likely = sorted(zip(chances(evidence(question, near)), near, strict=True), key=lambda one: -one[0])
    others = [MomentHit(one) for chance, one in likely if chance >= _least(one) and one not in again]
    return [*(MomentHit(one, asked_again=True) for one in again), *others][: max(_MOST, len(again))]


def _least(hit: SearchHit) -> float:
    return _LEAST_FORESEEN if CORRECTION.words_of(hit.row).occasions else LEAST


def evidence(question: str, near: Sequence[SearchHit]) -> list[list[float]]:
    """What speaks for each: by itself, beside the best of the others, and of the question."""
    cosines = [one.cosine or 0.0 for one in near]
    covered = [one.nearness - max(0.0, one.cosine or 0.0) for one in near]
    shares = _shared_words(question, near)
    ranked = sorted(cosines, reverse=True)
    crowd = sum(ranked[1:]) / max(1, len(near) - 1)
    asked = [
        crowd,
        ranked[0],
        ranked[min(_THIRD, len(near) - 1)],
        log(1 + len(question.split())),
        float(len(near) == 1),
    ]
    margins = zip(_margins(cosines), _margins([one.share for one in shares]), strict=True)
    return [
        [cosine, cover, *share, *margin, ranked.index(cosine) / _POOL, float(cosine == ranked[0]), *asked]
        for cosine, cover, share, margin in zip(cosines, covered, shares, margins, strict=True)
    ]


class _SharedWords(NamedTuple):
    """The words of a question that a correction has, by how rare they are in general: in a small store all are."""

    share: float
    """Of all in the question."""
    sum: float
    rarest: float


def _shared_words(question: str, near: Sequence[SearchHit]) -> list[_SharedWords]:
    asked = {term: rarity(term) for term in terms(question)}
    total = sum(asked.values()) or 1.0
    found = []
    for one in near:
        shared = [asked[term] for term in {*terms(CORRECTION.words_of(one.row).gist())} & asked.keys()]
        found.append(_SharedWords(sum(shared) / total, sum(shared), max(shared, default=0.0)))
    return found


def chances(found: Sequence[Sequence[float]]) -> list[float]:
    """The probability of each to matter."""
    import numpy as np  # not for a process that only records

    hidden, bias, out, last = _network()
    values = np.tanh(np.asarray(found) @ hidden + bias) @ out + last
    return [float(one) for one in 1 / (1 + np.exp(-values))]


def _margins(values: Sequence[float]) -> list[float]:
    """How much more each has than the best of the others."""
    first, second = [*sorted(values, reverse=True), 0.0][:2]
    return [value - (second if value == first else first) for value in values]


@cache
def _network() -> tuple[Numbers, Numbers, Numbers, float]:
    import numpy as np

    known = orjson.loads(WEIGHTS.read_bytes())
    return np.array(known["hidden"]), np.array(known["bias"]), np.array(known["out"]), known["last"]

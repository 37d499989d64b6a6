"""The right moment: which corrections matter for a question.

Most that are near a question do not: they are about the same thing, but not about what is asked. How probable it is
that one matters follows from how near it is in meaning and words, how much nearer than the others, and how near those
are. `training/mattering.py` learned that from questions where a correction matters, and some that only sound alike.
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

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

WEIGHTS: Final = Path(__file__).with_name("moments.json")
NEAREST: Final = 6
"""Those that are looked at: one that matters is nearly always among them."""
LEAST: Final = 0.1
"""The probability from which one is given. Among some eighty corrections, seven in ten that matter are given then, and
every second that is given matters."""
_LEAST_FORESEEN: Final = 0.15
"""The same for a correction of which a language model foresaw the occasions: it is nearer where it matters, so nine in
ten are still given then, and more of what is given matters."""
_MOST: Final = 3  # in one context


class MomentHit(NamedTuple):
    hit: SearchHit
    asked_again: bool = False
    """The same question."""


def mattering(question: str, found: Sequence[SearchHit]) -> list[MomentHit]:
    """Those that matter, best first, as `found` is."""
    near = [one for one in found if one.cosine is not None][:NEAREST]
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
    cosines, scores, words = (
        [one.cosine or 0.0 for one in near],
        [one.score for one in near],
        [one.nearness for one in near],
    )
    crowd = sum(cosines[1:]) / max(1, len(near) - 1)
    asked = [crowd, log(1 + len(question.split())), float(len(near) == 1)]
    margins = zip(*map(_margins, (cosines, scores, words)), strict=True)
    return [
        [*own, *margin, float(number == 0), *asked]
        for number, (own, margin) in enumerate(zip(zip(cosines, scores, words, strict=True), margins, strict=True))
    ]


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

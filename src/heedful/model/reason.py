"""When two comments give the same reason: they share most of their content words, or of those words' digests."""

from __future__ import annotations

from collections.abc import Collection
from math import sqrt

ALIKE = 0.6  # two words out of three are the same reason; one word is not the same as three


def alike(a: Collection[str], b: Collection[str]) -> float:
    """How much two gists share, from 0 to 1: the geometric mean of the share of each that the other has too."""
    one, other = frozenset(a), frozenset(b)
    if not one or not other:
        return 0.0
    return len(one & other) / sqrt(len(one) * len(other))

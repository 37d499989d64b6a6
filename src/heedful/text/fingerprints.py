"""64-bit simhashes: texts that share most of their words differ in few bits.

Two fingerprints that differ in at most two bits share one of three bands, so near duplicates are found by an index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from heedful.text.terms import terms

NEAR = 3
"""Two fingerprints that differ in fewer bits are near duplicates."""

_BITS = 64
_MASK = (1 << _BITS) - 1
_BANDS = (22, 21, 21)  # bits of each
_LANE = 20  # bits to add up in: 1,023 features that occur 512 times each fit
_SPREAD = tuple(sum((byte >> bit & 1) << (bit * _LANE) for bit in range(8)) for byte in range(256))


def simhash(text: str) -> int:
    """A signed 64-bit integer, as databases store it; 0 for a text without words."""
    features = Counter(_features(text))
    if not features:
        return 0
    sums = sum(count * _spread(feature) for feature, count in features.items())
    half, lane = features.total() / 2, (1 << _LANE) - 1
    value = sum(1 << bit for bit in range(_BITS) if (sums >> (bit * _LANE)) & lane > half)
    return value - (1 << _BITS) if value >> (_BITS - 1) else value


def distance(one: int, other: int) -> int:
    """Number of bits that differ."""
    return ((one ^ other) & _MASK).bit_count()


def bands(value: int) -> tuple[int, int, int]:
    """Each less than 2²²."""
    value &= _MASK
    first, second, _ = _BANDS
    return (value & ((1 << first) - 1), value >> first & ((1 << second) - 1), value >> (first + second))


def _features(text: str) -> Iterator[str]:
    """Words, and pairs of neighbours, so that their order counts."""
    words = terms(text)
    yield from words
    yield from map(" ".join, pairwise(words))


@lru_cache(8_192)
def _spread(feature: str) -> int:
    """The bits of a feature's hash, each in a lane of its own."""
    digest = blake2b(feature.encode(errors="replace"), digest_size=_BITS // 8).digest()
    return sum(_SPREAD[byte] << (place * 8 * _LANE) for place, byte in enumerate(digest))

"""Grouping of equal reasons: comments that share most of their content words, or of their digests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import sqrt
from typing import NamedTuple

ALIKE = 0.6  # two words out of three are the same reason; one word is not the same as three


class RejectionReason(NamedTuple):
    """A reason given for a rejection."""

    meant: frozenset[str]
    id: str
    times: int


def most_common_reason(given: Iterable[RejectionReason]) -> list[str]:
    """The ids of the most frequent reason, in the order given."""
    groups: list[list[RejectionReason]] = []
    for one in given:
        group = next((group for group in groups if similarity(group[0].meant, one.meant) >= ALIKE), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    groups.sort(key=lambda group: -sum(one.times for one in group))  # stable: the first of equals stays
    return [one.id for one in groups[0]] if groups else []


def similarity(a: Collection[str], b: Collection[str]) -> float:
    """Similarity of two gists, from 0 to 1: the geometric mean of the shares they have in common."""
    one, other = frozenset(a), frozenset(b)
    if not one or not other:
        return 0.0
    return len(one & other) / sqrt(len(one) * len(other))

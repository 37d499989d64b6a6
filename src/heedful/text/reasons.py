"""When two comments give the same reason: they share most of their content words, or of those words' digests."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import sqrt
from typing import NamedTuple

ALIKE = 0.6  # two words out of three are the same reason; one word is not the same as three


class Given(NamedTuple):
    """A reason that was given for a rejection."""

    meant: frozenset[str]
    id: str
    times: int


def commonest(given: Iterable[Given]) -> list[str]:
    """The ids of what most of those meant who said why, in the order in which they come."""
    groups: list[list[Given]] = []
    for one in given:
        group = next((group for group in groups if alike(group[0].meant, one.meant) >= ALIKE), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    groups.sort(key=lambda group: -sum(one.times for one in group))  # stable: the first of equals stays
    return [one.id for one in groups[0]] if groups else []


def alike(a: Collection[str], b: Collection[str]) -> float:
    """How much two gists share, from 0 to 1: the geometric mean of the share of each that the other has too."""
    one, other = frozenset(a), frozenset(b)
    if not one or not other:
        return 0.0
    return len(one & other) / sqrt(len(one) * len(other))

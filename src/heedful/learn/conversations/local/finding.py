"""A finding: sentences that belong together, each under the label of what it says there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from heedful.learn.conversations.local.reading import Said
from heedful.records.insight import InsightCategory


class Part(NamedTuple):
    label: str
    said: tuple[Said, ...]


class Finding(NamedTuple):
    category: InsightCategory
    parts: tuple[Part, ...]
    score: float
    """How much of what its topic needs is there; about 1 to 3."""
    code: str = ""
    """What to run or to write, as it was shown."""
    proof: tuple[Said, ...] = ()
    """Further sentences that show it is so, not part of the text."""

    @property
    def said(self) -> list[Said]:
        return sorted({said for part in self.parts for said in part.said}, key=lambda said: said.order)


def parts(*labelled: tuple[str, Iterable[Said]]) -> tuple[Part, ...]:
    """Those that have something to say; nothing is said twice."""
    made: list[Part] = []
    used: set[int] = set()
    for label, said in labelled:
        fresh = tuple(one for one in said if one.order not in used)
        used.update(one.order for one in fresh)
        if fresh:
            made.append(Part(label, fresh))
    return tuple(made)

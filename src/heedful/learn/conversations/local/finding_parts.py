"""A finding: sentences that belong together, each under the label of what it says there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from heedful.learn.conversations.local.annotation import AnnotatedSentence
from heedful.records.insight import InsightCategory


class FindingPart(NamedTuple):
    label: str
    sentences: tuple[AnnotatedSentence, ...]


class InsightFinding(NamedTuple):
    category: InsightCategory
    parts: tuple[FindingPart, ...]
    score: float
    """How much of what its topic needs is there; about 1 to 3."""
    code: str = ""
    """What to run or to write, as it was shown."""
    proof: tuple[AnnotatedSentence, ...] = ()
    """Further sentences that show it is so, not part of the text."""

    @property
    def sentences(self) -> list[AnnotatedSentence]:
        return sorted(
            {sentence for part in self.parts for sentence in part.sentences}, key=lambda sentence: sentence.order
        )


def parts(*labelled: tuple[str, Iterable[AnnotatedSentence]]) -> tuple[FindingPart, ...]:
    """The parts that are not empty; no sentence is in two of them."""
    made: list[FindingPart] = []
    used: set[int] = set()
    for label, sentence in labelled:
        fresh = tuple(one for one in sentence if one.order not in used)
        used.update(one.order for one in fresh)
        if fresh:
            made.append(FindingPart(label, fresh))
    return tuple(made)

"""The tallies of decisions about suggestions: what is counted, by what, under which names.

kind        part              key                           counts
RULE        rule, or "": all  ""                            DecisionCounts
NAME        rule              what people call it           NameCounts
TOTAL       ""  (with day)    bulk                          DayCounts
SPAN[n]     ""  (with day)    rule, category, bulk          DayCounts
CONFIDENCE  rule, or "": all  bin and group of people       ConfidenceCounts
PATTERN     rule              id, and those of its phrases  DecisionCounts
TEXT        rule and id       how it reads, as JSON         Times
PERSON      rule, or with id  who, as one is counted        Times
REASON      rule and id       what was meant, in digests    Times
EDIT        rule              how, and its id               Times
"""

from __future__ import annotations

from operator import add
from typing import NamedTuple

from heedful.records.interval import Interval, wilson
from heedful.records.suggestion import SPANS
from heedful.store.counting import TallyKind


class DecisionCounts(NamedTuple):
    accepted: int = 0
    modified: int = 0
    rejected: int = 0
    skipped: int = 0
    imported_accepted: int = 0
    imported_modified: int = 0
    imported_rejected: int = 0
    version: int = 0
    """Of a rule: changes with every event about it."""

    @property
    def decided(self) -> int:
        """The team's own decisions."""
        return self.accepted + self.modified + self.rejected

    @property
    def total(self) -> int:
        return self.decided + self.skipped

    @property
    def imported(self) -> int:
        return self.imported_accepted + self.imported_modified + self.imported_rejected

    def plus(self, other: DecisionCounts) -> DecisionCounts:
        return DecisionCounts(*map(add, self, other))


class DayCounts(NamedTuple):
    accepted: int = 0
    modified: int = 0
    rejected: int = 0
    skipped: int = 0
    stated: int = 0
    """Decisions about suggestions with a stated confidence."""
    correct: int = 0
    """How many of these were accepted with high confidence, or rejected with low confidence."""

    @property
    def decided(self) -> int:
        return self.accepted + self.modified + self.rejected

    @property
    def total(self) -> int:
        return self.decided + self.skipped

    @property
    def welcome(self) -> int:
        return self.accepted + self.modified

    @property
    def acceptance(self) -> float:
        return self.welcome / self.decided if self.decided else 0.0

    @property
    def acceptance_interval(self) -> Interval:
        return wilson(self.welcome, self.decided)

    def plus(self, other: DayCounts) -> DayCounts:
        return DayCounts(*map(add, self, other))


class ConfidenceCounts(NamedTuple):
    """Sums of confidences are in millionths."""

    decisions: int = 0
    accepted: int = 0
    stated: int = 0
    stated_squared: int = 0
    stated_accepted: int = 0


class NameCounts(NamedTuple):
    times: int = 0
    imported: int = 0


class Times(NamedTuple):
    times: int = 0


ONCE = Times(1)


RULE = TallyKind("rule", DecisionCounts)
NAME = TallyKind("name", NameCounts)
TOTAL = TallyKind("total", DayCounts)
SPAN = {length: TallyKind(f"span{length}", DayCounts) for length in SPANS}
CONFIDENCE = TallyKind("confidence", ConfidenceCounts)
PATTERN = TallyKind("pattern", DecisionCounts)
TEXT = TallyKind("text", Times)
PERSON = TallyKind("person", Times)
REASON = TallyKind("reason", Times)
EDIT = TallyKind("edit", Times)

"""Feedback on a suggestion: what somebody decided about a fix that was proposed to them, and how it is kept."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Literal

from heedful.errors import InvalidInput
from heedful.records.event import Event
from heedful.records.job import JobRequest

IMPORTED = "LEARNING_IMPORTED"
"""The kind of event that brings what another team learned about one rule."""


class Decision(StrEnum):
    ACCEPTED = "accepted"
    """As it was."""
    MODIFIED = "modified"
    """Accepted, after a change."""
    REJECTED = "rejected"
    SKIPPED = "skipped"
    """Passed over: it says nothing about the suggestion."""

    @property
    def kind(self) -> str:
        """The kind of event that records it."""
        return f"FIX_{self.name}"

    @classmethod
    def of(cls, decision: object) -> Decision:
        try:
            return cls(str(decision))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{decision!r} is not a decision.", hint=f"There are: {known}.") from None


AnyDecision = Decision | Literal["accepted", "modified", "rejected", "skipped"]
"""A decision, or its word."""


DECISIONS = {decision.kind: decision for decision in Decision}
"""By the kind of event."""

LEARNING_KINDS = (*DECISIONS, IMPORTED)
"""The kinds of events that what is learned about rules comes from."""

RETENTION_JOB = "learning.retention"
"""The name of the job that erases feedback that is too old or too much; each leads to one on the next day."""

RETENTION = JobRequest(RETENTION_JOB, key="now")
_NOW_AND_THEN = 100

SCRUB_JOB = "learning.scrub"
"""The name of the job that sees to it that what was cleared is gone from the disk."""

SCRUB = JobRequest(SCRUB_JOB, key="now", delay=timedelta(minutes=1), max_attempts=100)

PROJECTION = "suggestions"
"""The projection that derives it."""

SEPARATOR = "\x1f"
"""Between the names in a key: no name can hold it."""

PATTERN_BYTES = 240
"""As much is kept of a text that stands for a pattern: an index holds it."""

FOLDS = 4
"""People are dealt into this many groups, so that a calibration can be judged by people it was not made from."""

SPANS = (64, 8, 1)
"""Days are counted in spans of these lengths, so that a period is the sum of few of them."""

MILLION = 1_000_000
"""Confidences are summed in millionths: whole numbers can be taken away again without a trace."""


def joined(*names: str) -> str:
    return SEPARATOR.join(names)


def is_feedback(event: Event) -> bool:
    """Whether heedful wrote it down as feedback; another program may have used the same kind before."""
    if event.kind not in LEARNING_KINDS or event.entity is None or event.entity.kind != "rule":
        return False
    learned = event.meta.get("learned")
    return isinstance(learned, dict) and isinstance(learned.get("mark"), str)


def look_now_and_then(event: Event) -> JobRequest | None:
    """Should the daily looks have ended for whatever reason, this begins them again."""
    return RETENTION if event.seq % _NOW_AND_THEN == 0 else None

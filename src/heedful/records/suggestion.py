"""Feedback on a suggestion: a person's decision about a proposed fix, and how it is recorded."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from heedful.records.choice import Choice
from heedful.records.event import Event
from heedful.records.job import JobRequest

IMPORTED = "LEARNING_IMPORTED"
"""The kind of event that records another team's learnings about one rule."""


class Decision(Choice, noun="decision"):
    ACCEPTED = "accepted"
    """Unchanged."""
    MODIFIED = "modified"
    """Accepted, after a change."""
    REJECTED = "rejected"
    SKIPPED = "skipped"
    """Skipped: says nothing about the suggestion."""

    @property
    def kind(self) -> str:
        """The kind of event that records it."""
        return f"FIX_{self.name}"


AnyDecision = Decision | Literal["accepted", "modified", "rejected", "skipped"]


DECISIONS = {decision.kind: decision for decision in Decision}

LEARNING_KINDS = (*DECISIONS, IMPORTED)

RETENTION_JOB = "learning.retention"
"""The name of the job that applies retention; each run queues the next day's."""

RETENTION = JobRequest(RETENTION_JOB, key="now")
_NOW_AND_THEN = 100

SCRUB_JOB = "learning.scrub"

SCRUB = JobRequest(SCRUB_JOB, key="now", delay=timedelta(minutes=1), max_attempts=100)

PROJECTION = "suggestions"

SEPARATOR = "\x1f"
"""Separates the names in a key: no name can contain it."""

PATTERN_BYTES = 240
"""The stored length of a text that represents a pattern: it is indexed."""

FOLDS = 4
"""People are split into this many folds, so that a calibration can be scored on held-out people."""

SPANS = (64, 8, 1)
"""Days are counted in spans of these lengths, so that a period is the sum of few of them."""

MILLION = 1_000_000
"""Confidences are summed in millionths: integers can be subtracted without rounding errors."""


def joined(*names: str) -> str:
    return SEPARATOR.join(names)


def is_feedback(event: Event) -> bool:
    """Whether heedful recorded it as feedback; another program may have used the same kind before."""
    if event.kind not in LEARNING_KINDS or event.entity is None or event.entity.kind != "rule":
        return False
    learned = event.meta.get("learned")
    return isinstance(learned, dict) and isinstance(learned.get("mark"), str)


def look_now_and_then(event: Event) -> JobRequest | None:
    """Restarts the daily job if it has ended for any reason."""
    return RETENTION if event.seq % _NOW_AND_THEN == 0 else None

"""A job: work that an event causes and a worker does later, at least once, never twice at the same time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from heedful.model.json import Json

MAX_ATTEMPTS = 3
_FIRST_PAUSE = timedelta(seconds=2)
_LONGEST_PAUSE = timedelta(minutes=10)


class JobState(StrEnum):
    """queued → in_progress → completed, or failed (tried again after a pause), or dead_letter (given up)."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    DEAD_LETTER = "dead_letter"


@dataclass(frozen=True, slots=True)
class JobRequest:
    """Work to be queued. Two requests with the same name and key are one job while it is not finished."""

    name: str
    payload: Json = field(default_factory=dict)
    key: str | None = None
    priority: int = 0
    """Higher comes first."""
    delay: timedelta = timedelta(0)
    max_attempts: int = MAX_ATTEMPTS


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    org: str
    name: str
    payload: Json
    key: str | None
    state: JobState
    priority: int
    attempts: int
    max_attempts: int
    run_at: datetime
    created_at: datetime
    updated_at: datetime
    worker: str | None
    lease_until: datetime | None
    result: Json | None
    error: str | None


def pause_after(attempts: int) -> timedelta:
    """How long a job rests after its n-th failed attempt: 2 s, 4 s, 8 s, … at most 10 minutes."""
    doublings: int = 2 ** min(attempts - 1, 20)
    return min(_FIRST_PAUSE * doublings, _LONGEST_PAUSE)

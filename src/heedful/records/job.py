"""A job: work that an event triggers and a worker does later, at least once, never twice at the same time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from heedful.errors import InvalidInput
from heedful.records.choice import Choice
from heedful.records.json import Json
from heedful.records.names import identifier, whole
from heedful.records.record import Record

MAX_ATTEMPTS = 3
ERROR_LIMIT = 2_000
_FIRST_PAUSE = timedelta(seconds=2)
_LONGEST_PAUSE = timedelta(minutes=10)
_LONGEST_DELAY = timedelta(days=3_653)


class JobState(Choice, noun="state of jobs"):
    """queued → in_progress → completed, or failed (retried after a delay), or dead_letter (no attempts left)."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    DEAD_LETTER = "dead_letter"


AnyJobState = JobState | Literal["queued", "in_progress", "completed", "failed", "dead_letter"]


@dataclass(frozen=True, slots=True)
class JobRequest:
    """Work to queue. Two requests with the same name and key are one job until it is finished; the newer payload wins,
    and a job that is running right now runs once more with it."""

    name: str
    payload: Json = field(default_factory=dict)
    key: str | None = None
    priority: int = 0
    """Higher runs first."""
    delay: timedelta = timedelta(0)
    max_attempts: int = MAX_ATTEMPTS
    about: str | None = None
    """The entity it works on: jobs of the same name for the same entity run one at a time, so that a slow one blocks
    one worker, not all. (On PostgreSQL two that are claimed at the same moment may overlap.)"""

    def __post_init__(self) -> None:
        identifier(self.name, "job name")
        if self.key is not None:
            identifier(self.key, "job key")
        if self.about is not None:
            identifier(self.about, "about")
        whole(self.priority, "priority", 1_000_000, least=-1_000_000)
        whole(self.max_attempts, "max_attempts", 1_000)
        _sensible_delay(self.delay)


@dataclass(frozen=True, slots=True)
class Job(Record):
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
    about: str | None = None


def _sensible_delay(value: object) -> None:
    if not isinstance(value, timedelta) or not timedelta(0) <= value <= _LONGEST_DELAY:
        raise InvalidInput(f"delay is {value!r}.", hint="Pass a timedelta of up to ten years.")


def pause_after(attempts: int) -> timedelta:
    """The delay after the n-th failed attempt: 2 s, 4 s, 8 s, … at most 10 minutes."""
    doublings: int = 2 ** min(attempts - 1, 20)
    return min(_FIRST_PAUSE * doublings, _LONGEST_PAUSE)


def failure_text(error: BaseException) -> str:
    """The stored form of an error: short, and text that every database accepts."""
    text = f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode()
    return text.replace("\x00", "")[:ERROR_LIMIT]

"""A learning: what events taught. Every kind has these fields and adds its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from heedful.records.choice import Choice
from heedful.records.record import Record


class Status(Choice, noun="status"):
    ACTIVE = "active"
    POSSIBLE = "possible"
    """Not sure enough to be used: it waits until a person approves it, or until it is said again."""
    SUPERSEDED = "superseded"
    """Something newer contradicts it."""
    MERGED = "merged"
    """It says the same as another one, and counts as evidence for that one."""
    RETIRED = "retired"
    """It is no longer valid or useful."""


AnyStatus = Status | Literal["active", "possible", "superseded", "merged", "retired"]


class Audience(Choice, noun="kind of audience"):
    """Whom a learning is given to."""

    TEAM = "team"
    """Everyone in the organisation."""
    ME = "me"
    """Only its actor: contexts, searches and outputs of others do not get it. It is no secret from reviewers."""


AnyAudience = Audience | Literal["team", "me"]


@dataclass(frozen=True, slots=True)
class Learning(Record):
    id: str
    kind: str
    at: datetime
    about: str | None
    """The topic, project, agent or rule it belongs to; None if it applies everywhere."""
    audience: Audience
    category: str
    actor: str | None
    """The person or program it was learned from."""
    confidence: float
    """From 0 to 1. It decays with age: see `recency` of a match."""
    status: Status
    superseded_by: str | None
    """The learning that contradicts it, or that it was merged into."""
    contradicted_by: tuple[str, ...]
    """Learnings of other people that contradict it, while it is not decided which of them holds."""
    questioned_by: tuple[str, ...]
    """Learnings of other people that contradict it and wait for a decision. Meanwhile this one holds alone, because
    several people said it or somebody approved it."""
    approved: bool
    """A person with permission has approved exactly this wording."""
    digest: str
    """Identifies the wording: pass it to `approve` to approve nothing else."""
    version: int
    confirmed: int
    """How often it was learned again."""
    rated_up: int
    rated_down: int
    applied: int
    """How often it was used in a context or an output."""
    last_applied: datetime | None
    renewed_at: datetime

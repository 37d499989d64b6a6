"""A learning: what events taught. Every kind has these fields, and adds its own words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from heedful.errors import InvalidInput
from heedful.records.record import Record


class Status(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    """Something newer contradicts it."""
    MERGED = "merged"
    """It says the same as another one, and is evidence for that."""
    RETIRED = "retired"
    """It does not hold any more, or is of no use."""

    @classmethod
    def of(cls, status: object) -> Status:
        try:
            return cls(str(status))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{status!r} is not a status.", hint=f"There are: {known}.") from None


AnyStatus = Status | Literal["active", "superseded", "merged", "retired"]
"""A status, or its word."""


@dataclass(frozen=True, slots=True)
class Learning(Record):
    id: str
    kind: str
    at: datetime
    """When it was first said."""
    about: str | None
    """The topic, project, agent or rule it belongs to; None if it holds everywhere."""
    category: str
    actor: str | None
    """The person or program it was learned from."""
    confidence: float
    """From 0 to 1. It fades with age: see `recency` of a match."""
    status: Status
    superseded_by: str | None
    """The learning that contradicts it, or that it was merged into."""
    approved: bool
    """A person with the right to approve has approved exactly these words."""
    digest: str
    """Identifies the words: pass it to `approve` to approve nothing else."""
    version: int
    """Raised by each edit."""
    confirmed: int
    """How often it was said or learned again."""
    rated_up: int
    rated_down: int
    applied: int
    """How often it was used in a context or an output."""
    last_applied: datetime | None
    renewed_at: datetime
    """When it was last said, confirmed or used."""

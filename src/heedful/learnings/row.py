"""A stored learning: its state, and the events that contain its wording."""

from __future__ import annotations

from typing import NamedTuple

from heedful.records.event import Event
from heedful.records.learning import Status


class State(NamedTuple):
    """The derived state of a learning; its wording is in the event at position `said`."""

    no: int
    """The position of its first event."""
    id: str
    kind: str
    scope: str | None
    category: str | None
    status: str
    superseded_by: str | None
    confidence: float
    version: int
    confirmed: int
    applied: int
    applied_at: int | None
    renewed_at: int
    """When it was last learned, confirmed or applied to an output: its age counts from here."""
    said: int
    changed: int
    """The position of the last event about it."""
    rated_up: int = 0
    rated_down: int = 0
    contributor: str | None = None
    words: str = ""
    approval: str | None = None
    """The digest of the last approved wording."""
    owner: str | None = None
    """The pseudonym of the only person it is for; None if it is for everyone."""
    contradicted: str | None = None
    """A JSON list of the learnings that contradicted it."""

    @property
    def approved(self) -> bool:
        """Whether the current wording is the approved one: undoing an edit restores the approval."""
        return self.approval == self.words

    def is_opposed_by(self, other: State) -> bool:
        """Whether another one that contradicts it counts. Against what was approved, only what was approved too; and
        what was made for one person only since contradicts nobody else's."""
        return other.owner == self.owner and other.status == Status.ACTIVE and (other.approved or not self.approved)


class LearningRow(NamedTuple):
    state: State
    first: Event
    last: Event
    """The event that contains its wording."""
    contradicted_by: tuple[str, ...] = ()
    """The learnings among those that contradicted it that count. If it is not active but waits for a decision, those
    that hold meanwhile."""
    questioned_by: tuple[str, ...] = ()
    """The learnings that contradict it and wait for a decision, while it holds."""

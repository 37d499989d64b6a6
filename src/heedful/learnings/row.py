"""A learning as it is stored: its state, and the events that hold its words."""

from __future__ import annotations

from typing import NamedTuple

from heedful.records.event import Event


class State(NamedTuple):
    """What is derived of a learning; its words are in the event at position `said`."""

    no: int
    """The position of the event that began it."""
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
    """When it was last said, confirmed or used: age counts from here."""
    said: int
    changed: int
    """The position of the last event about it."""
    rated_up: int = 0
    rated_down: int = 0
    contributor: str | None = None
    """The actor it was learned from."""
    words: str = ""
    """The digest of what it says now."""
    approval: str | None = None
    """The digest of what was approved last."""

    @property
    def approved(self) -> bool:
        """Whether it says now exactly what was approved: an edit loses the approval, and undoing the edit restores
        it."""
        return self.approval == self.words


class LearningRow(NamedTuple):
    state: State
    first: Event
    """The event that began it."""
    last: Event
    """The event that holds its words."""

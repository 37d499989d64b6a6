"""Reputation: how often others confirm and approve a contributor's learnings."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.record import Record

UNKNOWN = 0.5


@dataclass(frozen=True, slots=True)
class Reputation(Record):
    contributor: str | None
    """None: events without an actor."""
    learnings: int
    approved: int
    confirmed: int
    """Other conversations that taught the same."""
    rated_up: int
    rated_down: int
    score: float
    """From 0 to 1; 0.5 for an unknown contributor."""


def reputation(
    contributor: str | None, learnings: int, approved: int, confirmed: int, rated_up: int, rated_down: int
) -> Reputation:
    """A mean with one positive and one negative vote as prior, so that few votes change it little."""
    good = approved + confirmed + rated_up
    score = (good + 1) / (good + rated_down + 2)
    return Reputation(contributor, learnings, approved, confirmed, rated_up, rated_down, score)

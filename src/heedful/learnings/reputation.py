"""Reputation: how what was learned from somebody fares with everybody else."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.record import Record

UNKNOWN = 0.5


@dataclass(frozen=True, slots=True)
class Reputation(Record):
    contributor: str | None
    """None: those who were not named."""
    learnings: int
    approved: int
    confirmed: int
    """Other conversations that taught the same."""
    rated_up: int
    rated_down: int
    score: float
    """From 0 to 1; a half for one of whom nothing is known."""


def reputation(
    contributor: str | None, learnings: int, approved: int, confirmed: int, rated_up: int, rated_down: int
) -> Reputation:
    """A mean with one voice for and one against to begin with, so that few voices move it little."""
    good = approved + confirmed + rated_up
    score = (good + 1) / (good + rated_down + 2)
    return Reputation(contributor, learnings, approved, confirmed, rated_up, rated_down, score)

"""Learnings for somebody else: what a person or a team approved, with the reputation of whom it was learned from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from heedful.records.insight import InsightCategory
from heedful.records.names import Rule
from heedful.records.record import Record

FORMAT = "heedful-shared-learnings"
VERSION = 1


@dataclass(frozen=True, slots=True)
class SharedLearning(Record):
    topic: InsightCategory
    title: str
    content: str
    tags: tuple[str, ...]
    rule: bool
    project: str | None
    at: datetime
    confidence: float
    conversations: int
    """In how many it was learned."""
    rated_up: int
    rated_down: int
    reputation: float
    """Of whom it was learned from, where it comes from."""


@dataclass(frozen=True, slots=True)
class SharedLearnings(Record):
    """No quotes are in it, and nobody's name: what people said stays where they said it."""

    format: str
    version: int
    shared_at: datetime
    learnings: tuple[SharedLearning, ...]
    checksum: str


@dataclass(frozen=True, slots=True)
class Adopted(Record):
    learnings: int
    """That are new here."""
    already_known: int


EXAMPLE: Mapping[str, Any] = {
    "format": FORMAT,
    "version": VERSION,
    "shared_at": "2026-01-05T09:00:00Z",
    "learnings": [],
    "checksum": "cf1cbb66a638b4860a516671fb74850e6ccf787fe6c4c8d29e9c04efe880bd05",
}
"""The smallest one there is."""

SharedFile = Annotated[
    SharedLearnings | Mapping[str, Any],
    Rule({"type": "object", "additionalProperties": True}, parse=lambda told: told),
]
"""What was shared, or what a file of it holds. What is wrong with it is told by whoever reads it."""

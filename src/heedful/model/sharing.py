"""A file of what a team learned, for another team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from heedful.model.names import Rule
from heedful.model.record import Record

FORMAT = "heedful-learnings"
VERSION = 1


@dataclass(frozen=True, slots=True)
class SharedPattern(Record):
    rule_id: str
    pattern_type: str
    """accepted, rejected, or mixed."""
    original_pattern: str
    suggested_pattern: str
    differences: tuple[tuple[str, str], ...] | None
    """For whole texts: the phrases in which they differ. None for a phrase."""
    count: int
    success_rate: float
    accepted: int
    modified: int
    rejected: int
    people: int


@dataclass(frozen=True, slots=True)
class SharedRule(Record):
    """All decisions about a rule, those without a pattern to share as well."""

    rule_id: str
    rule_name: str
    accepted: int
    modified: int
    rejected: int
    people: int


@dataclass(frozen=True, slots=True)
class Signature(Record):
    algorithm: str
    public_key: str
    value: str


@dataclass(frozen=True, slots=True)
class LearningExport(Record):
    format: str
    version: int
    exported_at: datetime
    min_people: int
    """Nothing in here was done by fewer different people."""
    patterns: tuple[SharedPattern, ...]
    statistics: tuple[SharedRule, ...]
    checksum: str
    signature: Signature | None = None


@dataclass(frozen=True, slots=True)
class Imported(Record):
    rules: int
    patterns: int
    already_known: int
    """Rules that this very file had brought before: they are not counted twice."""
    signed_by: str | None


EXAMPLE: Mapping[str, Any] = {
    "format": FORMAT,
    "version": VERSION,
    "exported_at": "2026-01-05T09:00:00Z",
    "min_people": 3,
    "patterns": [],
    "statistics": [],
    "checksum": "1e1335ef54d0186990d2289eab46b26b7831932b0bd7a1945366adb0d2c3b591",
}
"""The smallest one there is."""

Learnings = Annotated[
    LearningExport | Mapping[str, Any],
    Rule({"type": "object", "additionalProperties": True}, parse=lambda told: told),
]
"""An export, or what a file of one holds. What is wrong with it is told by whoever reads it."""

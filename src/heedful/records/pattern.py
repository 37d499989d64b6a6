"""A pattern: a suggested change that people accepted or rejected repeatedly."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from heedful.records.learning import Learning


class PatternCategory(StrEnum):
    WANTED = "wanted"
    UNWANTED = "unwanted"


@dataclass(frozen=True, slots=True)
class Pattern(Learning):
    """Counts decisions about the suggestions of one rule, which it is `about`. The counts are as of its last update."""

    kind: Literal["pattern"]
    category: PatternCategory
    original: str
    suggested: str
    accepted: int
    modified: int
    """Accepted after a change."""
    rejected: int
    people: int
    """Different people behind the decisions."""

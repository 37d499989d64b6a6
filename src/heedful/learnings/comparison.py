"""How two learnings relate."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Relation(Enum):
    SAME = "same"
    CONTRARY = "contrary"
    """About the same thing, but they cannot both be true."""
    DIFFERENT = "different"


class LearningComparison(NamedTuple):
    relation: Relation
    layer: str = "none"
    """The layer that matched: canonical, simhash, meaning, phrases or none."""
    similarity: float = 0.0
    reason: str = ""

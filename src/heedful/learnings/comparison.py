"""How two learnings relate."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Relation(Enum):
    SAME = "same"
    CONTRARY = "contrary"
    """About the same thing, and they cannot both hold."""
    DIFFERENT = "different"


class LearningComparison(NamedTuple):
    relation: Relation
    layer: str = "none"
    """What found them alike: canonical, simhash, meaning, phrases or none."""
    similarity: float = 0.0
    reason: str = ""

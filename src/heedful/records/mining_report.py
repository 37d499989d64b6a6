"""Statistics of mining."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class MiningReport(Record):
    conversations: int
    """How many were mined."""
    outcomes: Mapping[str, int]
    """How many of them had each outcome."""
    extraction_rate: float
    """The share that taught something new."""
    learnings: int
    """Found, without duplicates."""
    categories: Mapping[str, int]
    duplicates: Mapping[str, int]
    """Duplicates, by the layer that found them."""
    mean_confidence: float | None
    mean_seconds: float | None
    """Per conversation."""

"""How mining conversations fares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class MiningReport(Record):
    conversations: int
    """That were mined."""
    outcomes: Mapping[str, int]
    """How many of them taught something, or why not."""
    extraction_rate: float
    """The share that taught something new."""
    learnings: int
    """That were found, without those that were known."""
    categories: Mapping[str, int]
    duplicates: Mapping[str, int]
    """What said the same as another one, by what found it out."""
    mean_confidence: float | None
    mean_seconds: float | None
    """That a conversation took."""

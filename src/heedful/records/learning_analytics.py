"""Learning analytics of documents: what people had to correct, and whether it becomes less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date as Day  # noqa: N812 - `date` is the name of a field
from datetime import datetime

from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class EventsOfDay(Record):
    date: Day
    count: int


@dataclass(frozen=True, slots=True)
class FieldCount(Record):
    field: str
    count: int


@dataclass(frozen=True, slots=True)
class DayQuality(Record):
    """The extractions of a day."""

    date: Day
    extractions: int
    corrected: int
    """How many of them people corrected, then or later."""
    confidence: float
    """The mean confidence of extractions."""


@dataclass(frozen=True, slots=True)
class LayoutStatistics(Record):
    fingerprint: str
    """The first 8 characters."""
    seen_count: int
    example_count: int
    feedback_count: int
    """The same as `example_count`."""
    last_seen_at: datetime | None
    correction_rate: float | None
    """Corrected extractions / extractions; None if there were none."""
    layout: str
    """The whole fingerprint."""


@dataclass(frozen=True, slots=True)
class LearningAnalytics(Record):
    start_date: Day
    end_date: Day
    events_by_day: tuple[EventsOfDay, ...]
    events_by_type: Mapping[str, int]
    corrected_fields: tuple[FieldCount, ...]
    """Most corrected first."""
    layout_stats: tuple[LayoutStatistics, ...]
    """Most seen first; of all time."""
    quality_by_day: tuple[DayQuality, ...]
    documents: int
    extractions: int
    corrected: int
    correction_rate: float | None
    mean_confidence: float | None


TABLES: Mapping[str, type[Record]] = {
    "events_by_day": EventsOfDay,
    "corrected_fields": FieldCount,
    "layout_stats": LayoutStatistics,
    "quality_by_day": DayQuality,
}
"""The parts of `LearningAnalytics` that are tables, each with its records."""

"""Learning analytics of documents, from counters: their cost does not grow with the number of events."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta

from heedful.errors import InvalidTime
from heedful.learnings.documents import projection as counted
from heedful.learnings.documents.library import Library
from heedful.learnings.documents.projection import PROJECTION
from heedful.records.clock import When, day, to_day
from heedful.records.document import LayoutProfile
from heedful.records.learning_analytics import DayQuality, EventsOfDay, FieldCount, LayoutStatistics, LearningAnalytics
from heedful.store import Store

_DAYS = 30
_FIELDS = 10
_LAYOUTS = 50
_SHORT = 8  # characters of a fingerprint


def period(start_date: When | None, end_date: When | None, now: datetime) -> tuple[date, date]:
    """Both ends included; the last 30 days unless told."""
    last = now.date() if end_date is None else day(end_date, "end_date", now)
    first = last - timedelta(days=_DAYS - 1) if start_date is None else day(start_date, "start_date", now)
    if last < first:
        raise InvalidTime(f"The period ends ({last}) before it begins ({first}).", hint="Swap the two dates.")
    return first, last


def analytics(store: Store, first: date, last: date) -> LearningAnalytics:
    days = _Days(store, first, last)
    acts, fields = days.counts(counted.ACT), days.counts(counted.FIELD)
    by_day: Counter[date] = Counter()
    by_type: Counter[str] = Counter()
    by_field: Counter[str] = Counter()
    for (when, kind), value in acts.items():
        by_day[when] += value
        by_type[kind] += value
    for (_, field), value in fields.items():
        by_field[field] += value
    quality = days.quality()
    extractions, corrected = sum(one.extractions for one in quality), sum(one.corrected for one in quality)
    weighted = sum(one.confidence * one.extractions for one in quality)
    ranked = sorted(by_field.items(), key=lambda item: (-item[1], item[0]))
    return LearningAnalytics(
        start_date=first,
        end_date=last,
        events_by_day=tuple(EventsOfDay(when, count) for when, count in sorted(by_day.items()) if count),
        events_by_type=dict(sorted(by_type.items())),
        corrected_fields=tuple(FieldCount(field, count) for field, count in ranked[:_FIELDS]),
        layout_stats=tuple(_layout(profile) for profile in Library(store).profiles(_LAYOUTS)),
        quality_by_day=quality,
        documents=sum(days.counts(counted.DOCUMENTS_PER_DAY).values()),
        extractions=extractions,
        corrected=corrected,
        correction_rate=round(min(1.0, corrected / extractions), 4) if extractions else None,
        mean_confidence=round(weighted / extractions, 4) if extractions else None,
    )


class _Days:
    def __init__(self, store: Store, first: date, last: date) -> None:
        self._projections = store.projections
        self._first, self._last = to_day(first), to_day(last)

    def counts(self, name: str) -> dict[tuple[date, str], int]:
        found = self._projections.counts(PROJECTION, name, self._first, self._last)
        return {(count.day, count.key): count.value for count in found if count.day is not None}

    def quality(self) -> tuple[DayQuality, ...]:
        extractions, corrected = self._sums(counted.EXTRACTIONS), self._sums(counted.CORRECTED)
        confidence = self._sums(counted.CONFIDENCE)
        return tuple(
            DayQuality(
                when,
                extractions.get(when, 0),
                corrected.get(when, 0),
                _mean(confidence.get(when, 0), extractions.get(when, 0)),
            )
            for when in sorted({*extractions, *corrected})
        )

    def _sums(self, name: str) -> dict[date, int]:
        return {when: value for (when, _), value in self.counts(name).items()}


def _mean(total: int, count: int) -> float:
    return round(total / counted.MILLION / count, 4) if count else 0.0


def _layout(profile: LayoutProfile) -> LayoutStatistics:
    return LayoutStatistics(
        fingerprint=profile.layout[:_SHORT],
        seen_count=profile.seen_count,
        example_count=profile.example_count,
        feedback_count=profile.example_count,
        last_seen_at=profile.last_seen_at,
        correction_rate=profile.correction_rate,
        layout=profile.layout,
    )

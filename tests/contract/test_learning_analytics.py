"""Learning analytics: what people had to correct, by day, type, field and layout, and whether it becomes less; on every
database.

The scenarios are those of story 5 of the specification "Feedback & Learning Loop".
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.errors import InvalidInput
from heedful.learnings.documents.projection import corrected_fields
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.extracting import FEEDBACK, added, check_sound, extracted, feedback, received
from tests.examples import examples

TODAY = date(2026, 1, 5)  # where the clock stands


def _corrected(loop: heedful.Loop, count: int, field: str = "qty", **told: Any) -> None:
    """Corrections that a program records."""
    act = {"kind": "EXTRACTION_LINE_CORRECTED", "before": {field: 1}, "after": {field: 2}, **told}
    loop.capture.events([act] * count)


def _by_day(loop: heedful.Loop, *period: Any) -> list[tuple[date, int]]:
    return [(one.date, one.count) for one in loop.measure.learning(*period).events_by_day]


def test_feedback_per_day_of_the_last_thirty_days(loop: heedful.Loop, clock: FrozenClock) -> None:
    """Story 5, scenario 1: events per day, last 30 days, top corrected fields, layout coverage."""
    for ago, count in ((40, 9), (30, 5), (29, 1), (10, 3), (0, 2)):
        _corrected(loop, count, at=clock() - timedelta(days=ago))
    draft = extracted(loop)
    shown = loop.measure.learning()

    assert (shown.start_date, shown.end_date) == (TODAY - timedelta(days=29), TODAY)
    assert [(one.date, one.count) for one in shown.events_by_day] == [
        (TODAY - timedelta(days=29), 1), (TODAY - timedelta(days=10), 3), (TODAY, 2)
    ]  # fmt: skip
    assert [(one.field, one.count) for one in shown.corrected_fields] == [("qty", 6)]
    assert [(one.layout, one.seen_count) for one in shown.layout_stats] == [(draft.layout, 1)]
    assert shown.documents == 1


def test_one_hundred_corrections_by_field(loop: heedful.Loop) -> None:
    """Story 5, scenario 2; FR-017: qty 40 times, sku 30, uom 20, price 10."""
    for field, count in (("uom", 20), ("qty", 40), ("price", 10), ("sku", 30)):
        _corrected(loop, count, field)
    shown = loop.measure.learning()

    assert [(one.field, one.count) for one in shown.corrected_fields] == [
        ("qty", 40), ("sku", 30), ("uom", 20), ("price", 10)
    ]  # fmt: skip
    assert shown.events_by_type == {"EXTRACTION_LINE_CORRECTED": 100}


def test_corrections_in_drafts_are_counted_by_the_fields_that_changed(loop: heedful.Loop) -> None:
    """FR-017: header fields by their name, columns of lines by theirs, and no field for what stayed."""
    draft = extracted(loop)
    draft, line = added(loop, draft, sku="A-1", qty=10)
    loop.capture.line_corrected(draft, line=line, qty=12, sku="A-1")
    loop.capture.field_corrected(draft, "order_number", "PO-1")
    loop.capture.field_corrected(draft, "order_number", "PO-2")
    counted = {one.field: one.count for one in loop.measure.learning().corrected_fields}

    assert counted == {"order_number": 2, "qty": 2, "sku": 1}


def test_only_the_most_corrected_fields_are_shown(loop: heedful.Loop) -> None:
    """Top corrected fields: ten of them, as in the specification's own query."""
    for number in range(15):
        _corrected(loop, number + 1, f"field_{number}")

    shown = loop.measure.learning().corrected_fields
    assert [one.field for one in shown] == [f"field_{number}" for number in range(14, 4, -1)]


def test_the_coverage_of_ten_layouts(loop: heedful.Loop, clock: FrozenClock) -> None:
    """Story 5, scenario 3; FR-017: fingerprint, seen_count, feedback_count, last_seen_at."""
    expected = []
    for number in range(10):
        clock.advance(hours=1)
        for _ in range(number + 1):
            draft = extracted(loop, size=(500.0 + number, 842.0))
        for _ in range(number % 3):
            loop.capture.field_corrected(draft, "currency", "EUR")
        expected.append((draft.layout[:8], number + 1, number % 3, clock()))

    found = [
        (one.fingerprint, one.seen_count, one.feedback_count, one.last_seen_at)
        for one in loop.measure.learning().layout_stats
    ]
    assert found == expected[::-1]
    assert all(one.example_count == one.feedback_count for one in loop.measure.learning().layout_stats)


def test_the_confidence_of_extractions_day_by_day(loop: heedful.Loop, clock: FrozenClock) -> None:
    """Story 5, scenario 4: the average extraction_confidence over time."""
    expected: dict[date, list[float]] = {}
    for number in range(4):
        for lines in (0, number):
            draft = extracted(loop, lines=[(f"A-{n}", "Screw", n + 1, 1.0) for n in range(lines)])
            expected.setdefault(clock().date(), []).append(draft.confidence)
        clock.advance(days=1)

    shown = loop.measure.learning()
    assert [one.date for one in shown.quality_by_day] == sorted(expected)
    for one in shown.quality_by_day:
        confidences = expected[one.date]
        assert one.extractions == len(confidences)
        assert one.confidence == pytest.approx(sum(confidences) / len(confidences), abs=1e-4)
    everything = [one for day in expected.values() for one in day]
    assert shown.mean_confidence == pytest.approx(sum(everything) / len(everything), abs=1e-3)


def test_the_corrections_of_one_layout_with_before_and_after(loop: heedful.Loop) -> None:
    """Story 5, scenario 5: filtered by fingerprint, newest first, page by page."""
    draft, other = extracted(loop), extracted(loop, size=(500.0, 842.0))
    for number in range(5):
        loop.capture.field_corrected(draft, "order_number", f"PO-{number}")
        loop.capture.field_corrected(other, "order_number", "other")

    first = loop.learn.layouts.page(draft.layout, limit=3)
    rest = loop.learn.layouts.page(draft.layout, limit=3, cursor=first.next)
    found = [*first.items, *rest.items]
    assert [event.after["order_number"] for event in found] == [f"PO-{number}" for number in range(4, -1, -1)]
    assert [event.before["order_number"] for event in found][:-1] == [f"PO-{number}" for number in range(3, -1, -1)]
    assert list(loop.learn.layouts.all(draft.layout)) == found
    assert rest.next is None


def test_feedback_is_counted_by_type(loop: heedful.Loop) -> None:
    """FR-017."""
    draft, _ = added(loop, extracted(loop), qty=1)
    loop.capture.field_corrected(draft, "currency", "EUR")
    loop.capture.customer_selected(draft, "C-9")
    loop.capture.mapping_confirmed("A", "B")
    loop.capture.mapping_confirmed("A", "B")
    loop.capture.mapping_rejected("A", "C")
    loop.capture.draft_confirmed(draft)

    assert loop.measure.learning().events_by_type == {
        "CUSTOMER_SELECTED": 1,
        "EXTRACTION_FIELD_CORRECTED": 1,
        "EXTRACTION_LINE_CORRECTED": 1,
        "MAPPING_CONFIRMED": 2,
        "MAPPING_REJECTED": 1,
    }


def test_the_correction_rate_of_a_layout(loop: heedful.Loop) -> None:
    """FR-018: corrected extractions / all extractions, however often each was corrected."""
    drafts = [extracted(loop, 4711 + number) for number in range(4)]
    for value in ("EUR", "USD", "GBP"):
        loop.capture.field_corrected(drafts[0], "currency", value)
    loop.capture.customer_selected(drafts[1], "C-9")  # corrects nothing that was extracted
    loop.capture.draft_confirmed(drafts[2])
    untouched = extracted(loop, size=(500.0, 842.0))

    assert loop.learn.layouts.get(drafts[0].layout).correction_rate == 0.25
    assert loop.learn.layouts.get(untouched.layout).correction_rate == 0.0
    shown = loop.measure.learning()
    assert {one.layout: one.correction_rate for one in shown.layout_stats} == {
        drafts[0].layout: 0.25, untouched.layout: 0.0
    }  # fmt: skip
    assert (shown.extractions, shown.corrected, shown.correction_rate) == (5, 1, 0.2)


def test_without_extractions_there_is_no_correction_rate(loop: heedful.Loop) -> None:
    """FR-018: not a division by nothing."""
    document = received(loop)
    shown = loop.measure.learning()

    assert loop.learn.layouts.get(document.layout).correction_rate is None
    assert (shown.correction_rate, shown.mean_confidence) == (None, None)


def test_the_correction_rate_of_a_period_is_never_above_one(loop: heedful.Loop, clock: FrozenClock) -> None:
    """FR-018, if people correct on the day after: each extraction counts at most once."""
    drafts = [extracted(loop, 4711 + number) for number in range(3)]
    clock.advance(days=1)
    extracted(loop, 4800)
    for draft in drafts:
        loop.capture.field_corrected(draft, "currency", "EUR")

    tomorrow = TODAY + timedelta(days=1)
    for period in ((TODAY, TODAY), (tomorrow, tomorrow), (TODAY, tomorrow)):
        rate = loop.measure.learning(*period).correction_rate
        assert rate is not None
        assert 0 <= rate <= 1, period
    assert loop.measure.learning(TODAY, tomorrow).correction_rate == 0.75
    assert [one.corrected for one in loop.measure.learning(TODAY, tomorrow).quality_by_day] == [3, 0]


def test_both_ends_of_a_period_are_included(loop: heedful.Loop) -> None:
    """FR-016: start_date and end_date, in UTC."""
    for moment in ("2025-12-31T23:59:59", "2026-01-01T00:00:00", "2026-01-02T23:59:59", "2026-01-03T00:00:00"):
        _corrected(loop, 1, at=datetime.fromisoformat(moment).replace(tzinfo=UTC))

    both = [(date(2026, 1, 1), 1), (date(2026, 1, 2), 1)]
    assert _by_day(loop, "2026-01-01", "2026-01-02") == both
    assert _by_day(loop, date(2026, 1, 1), date(2026, 1, 2)) == both
    assert _by_day(loop, "2026-01-02", "2026-01-02") == both[1:]
    assert _by_day(loop, "2026-01-04", "2026-01-05") == []


def test_a_period_that_cannot_be_is_refused(loop: heedful.Loop) -> None:
    for period in (("2026-01-02", "2026-01-01"), ("nonsense", None), (None, "2026-13-01"), (5, None)):
        with pytest.raises(InvalidInput):
            loop.measure.learning(*period)


def test_organisations_see_their_own_numbers_only(open_loop: OpenLoop) -> None:
    acme, globex = open_loop("acme"), open_loop("globex")
    acme.capture.field_corrected(extracted(acme), "currency", "EUR")
    shown = globex.measure.learning()

    assert (shown.events_by_day, shown.corrected_fields, shown.layout_stats, shown.documents) == ((), (), (), 0)


def test_ninety_days_of_an_empty_log_are_empty(loop: heedful.Loop) -> None:
    shown = loop.measure.learning("2025-10-01", "2025-12-30")

    assert (shown.events_by_day, shown.quality_by_day, dict(shown.events_by_type)) == ((), (), {})


_KINDS = [*sorted(FEEDBACK), "OUTPUT_APPROVED"]
_PAYLOADS = st.dictionaries(st.sampled_from(["qty", "sku", "price", "field", "line"]), st.integers(1, 2), max_size=3)
_EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(_KINDS),
            "at": st.integers(0, 200).map(lambda hours: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)),
            "before": _PAYLOADS,
            "after": _PAYLOADS,
            "layout": st.sampled_from([None, "abc123", "def456"]),
        }
    ),
    max_size=30,
)


@examples(15)
@given(events=_EVENTS, first=st.integers(1, 9), last=st.integers(1, 9))
def test_the_sums_are_those_of_the_events_in_the_log(
    database: str, events: list[dict[str, Any]], first: int, last: int
) -> None:
    """FR-017, for whatever was recorded and whatever period is asked for."""
    first, last = sorted((first, last))
    clock = FrozenClock(datetime(2026, 1, 20, tzinfo=UTC))
    with heedful.open(database, org=f"o{hash(str((events, first, last)))}", clock=clock) as loop:
        loop.capture.events(events)
        shown = loop.measure.learning(date(2026, 1, first), date(2026, 1, last))

        logged = [event for event in feedback(loop) if first <= event.at.day <= last]
        days = Counter(event.at.date() for event in logged)
        assert [(one.date, one.count) for one in shown.events_by_day] == sorted(days.items())
        assert dict(shown.events_by_type) == Counter(event.kind for event in logged)
        fields = Counter(field for event in logged if "CORRECTED" in event.kind for field in corrected_fields(event))
        assert {one.field: one.count for one in shown.corrected_fields} == fields
        layouts = Counter(event.layout for event in feedback(loop) if event.layout)
        assert {name: loop.learn.layouts.get(name).example_count for name in layouts} == layouts
        check_sound(loop)

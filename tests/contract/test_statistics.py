"""How suggestions fare: rates, trends and filters, from counts by day, on every database."""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import heedful
from heedful.errors import InvalidId, InvalidInput, InvalidTime
from heedful.learnings.patterns.acceptance_rates import spans
from heedful.records.period import Period
from heedful.records.statistics import Statistics
from heedful.records.suggestion import DECISIONS
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.deciding import decide
from tests.examples import examples

TODAY = date(2026, 1, 5)  # as the frozen clock has it
NOON = time(12, tzinfo=UTC)


def _on(day: date) -> datetime:
    return datetime.combine(day, NOON)


def _ago(days: int) -> datetime:
    return _on(TODAY - timedelta(days=days))


def test_without_feedback_everything_is_nought(loop: heedful.Loop) -> None:
    found = loop.measure.statistics()

    assert (found.total_feedback, found.rules_with_feedback) == (0, 0)
    assert (found.overall_acceptance_rate, found.modification_rate, found.skip_rate) == (0.0, 0.0, 0.0)
    assert (found.overall_acceptance_interval.low, found.overall_acceptance_interval.high) == (0.0, 1.0)
    assert (found.acceptance_rate_trend, found.by_rule, found.by_category) == (0.0, {}, {})
    assert found.period == Period()
    assert list(loop.events()) == []


def test_rates_leave_out_what_was_skipped(loop: heedful.Loop) -> None:
    for decision, times in (("accepted", 5), ("modified", 1), ("rejected", 2), ("skipped", 2)):
        decide(loop, "units", decision, times, final="x")

    found = loop.measure.statistics()

    assert (found.total_feedback, found.rules_with_feedback) == (10, 1)
    assert found.overall_acceptance_rate == 6 / 8
    assert found.modification_rate == 1 / 8
    assert found.skip_rate == 2 / 10
    rule = found.by_rule["units"]
    assert (rule.feedback_count, rule.acceptance_rate, rule.modification_rate) == (10, 6 / 8, 1 / 8)
    category = found.by_category["general"]
    assert (category.feedback_count, category.acceptance_rate) == (10, 6 / 8)
    for rate, interval in (
        (found.overall_acceptance_rate, found.overall_acceptance_interval),
        (found.modification_rate, found.modification_interval),
        (found.skip_rate, found.skip_interval),
        (rule.acceptance_rate, rule.acceptance_interval),
        (rule.modification_rate, rule.modification_interval),
        (category.acceptance_rate, category.acceptance_interval),
    ):
        assert 0 <= interval.low < rate < interval.high <= 1


# Which feedback is looked at


def test_a_period_ends_today_and_counts_whole_days(loop: heedful.Loop) -> None:
    for days in (0, 6, 7, 27, 29, 30, 400, 10_000):
        decide(loop, "units", "accepted", at=_ago(days))
    decide(loop, "units", "accepted", at=_ago(-1))  # tomorrow is in none of them, unless all is
    totals = {"1d": 1, "6d": 1, "7d": 2, "1w": 2, "8d": 3, "4w": 4, "30d": 5, "31d": 6, "999w": 7, "9999d": 7, "all": 9}

    assert {period: loop.measure.statistics(period).total_feedback for period in totals} == totals
    assert loop.measure.statistics("7d").period == Period(date(2025, 12, 30), TODAY)
    assert loop.measure.statistics("all").period == Period()


def test_since_and_until_are_both_included(loop: heedful.Loop) -> None:
    day = date(2025, 3, 10)
    moments = [
        datetime(2025, 3, 9, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2025, 3, 10, tzinfo=UTC),
        datetime(2025, 3, 11, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2025, 3, 12, tzinfo=UTC),
        datetime(2025, 3, 12, 1, tzinfo=timezone(timedelta(hours=2))),  # the 11th, in UTC
    ]
    for moment in moments:
        decide(loop, "units", "accepted", at=moment)

    def total(**wanted: Any) -> int:
        return loop.measure.statistics(**wanted).total_feedback

    assert total(since=day, until=date(2025, 3, 11)) == 3
    assert total(since=day, until=day) == 1
    assert total(since=day) == 4
    assert total(until=day) == 2
    assert total(since=date.min, until=date.max) == 5


def test_rules_and_categories_are_chosen(loop: heedful.Loop) -> None:
    for rule, category, times in (("a", "style", 1), ("a", "units", 2), ("b", "style", 4), ("c", "units", 8)):
        decide(loop, rule, "accepted", times, category=category)

    def found(**wanted: Any) -> tuple[int, list[str], list[str]]:
        told = loop.measure.statistics(**wanted)
        return told.total_feedback, list(told.by_rule), list(told.by_category)

    assert found() == (15, ["a", "b", "c"], ["style", "units"])
    assert found(rules=["a"]) == (3, ["a"], ["style", "units"])
    assert found(rules=("b", "c", "unknown")) == (12, ["b", "c"], ["style", "units"])
    assert found(categories=["style"]) == (5, ["a", "b"], ["style"])
    assert found(rules=["a"], categories=["units"]) == (2, ["a"], ["units"])
    assert found(rules=["b"], categories=["units"]) == found(rules=[]) == found(categories=[]) == (0, [], [])


def test_skipped_and_bulk_can_be_left_out(loop: heedful.Loop) -> None:
    decide(loop, "a", "accepted", 1)
    decide(loop, "a", "skipped", 2)
    decide(loop, "b", "skipped", 4)
    decide(loop, "a", "rejected", 8, bulk=True)
    decide(loop, "c", "skipped", 16, bulk=True)

    def found(**wanted: Any) -> tuple[int, list[str], float]:
        told = loop.measure.statistics(**wanted)
        return told.total_feedback, list(told.by_rule), told.skip_rate

    assert found() == (31, ["a", "b", "c"], 22 / 31)
    assert found(exclude_skipped=True) == (9, ["a"], 0.0)
    assert found(exclude_bulk=True) == (7, ["a", "b"], 6 / 7)
    assert found(exclude_skipped=True, exclude_bulk=True) == (1, ["a"], 0.0)


def test_a_period_that_is_none_is_refused(loop: heedful.Loop) -> None:
    for period in ("", "d", "0d", "-1d", "30", "30 d", "1.5d", "10000d", "1000w", "1m", "ALL", "３d", 7):
        with pytest.raises(InvalidInput, match="period is") as refused:
            loop.measure.statistics(period)  # type: ignore[arg-type]
        assert "30d or 4w" in refused.value.hint
    with pytest.raises(InvalidTime, match=r"ends .2025-01-01. before it begins .2025-01-02."):
        loop.measure.statistics(since=date(2025, 1, 2), until=date(2025, 1, 1))
    both: list[dict[str, Any]] = [{"since": TODAY}, {"until": TODAY}, {"since": TODAY, "until": TODAY}]
    for wanted in both:
        with pytest.raises(InvalidInput, match="either a period, or since and until"):
            loop.measure.statistics("all", **wanted)
    odd: list[Any] = ["2025-13-01", datetime(2025, 1, 1), 7]  # noqa: DTZ001
    for day in odd:
        with pytest.raises(InvalidTime, match=r"since (is not a|must be a|has no) time"):
            loop.measure.statistics(since=day)
        with pytest.raises(InvalidTime, match=r"until (is not a|must be a|has no) time"):
            loop.measure.statistics(until=day)


def test_rules_and_categories_must_be_lists_of_names(loop: heedful.Loop) -> None:
    odd: list[Any] = ["units", 7]
    for names in odd:
        with pytest.raises(InvalidInput, match="rules must be a list"):
            loop.measure.statistics(rules=names)
        with pytest.raises(InvalidInput, match="categories must be a list"):
            loop.measure.statistics(categories=names)
    with pytest.raises(InvalidId, match="rules is empty"):
        loop.measure.statistics(rules=[""])


def test_today_is_the_day_in_utc_whatever_the_zone_of_the_clock(open_loop: OpenLoop) -> None:
    west = timezone(timedelta(hours=-5))
    loop = open_loop(clock=lambda: datetime(2026, 1, 1, 22, tzinfo=west))
    decide(loop, "units", "accepted")

    assert loop.measure.statistics("1d").total_feedback == 1
    assert loop.govern.clearing(period="1d").records == 1


# Trend, names, tops, confidences


def test_the_trend_compares_seven_days_with_the_seven_before(loop: heedful.Loop, clock: FrozenClock) -> None:
    for decision, days, times in (
        ("accepted", 0, 2), ("accepted", 6, 1), ("rejected", 3, 1),  # three of four
        ("accepted", 7, 1), ("rejected", 13, 3),  # one of four
        ("accepted", 14, 50), ("accepted", -1, 50), ("skipped", 8, 50),
    ):  # fmt: skip
        decide(loop, "units", decision, times, at=_ago(days))

    found = loop.measure.statistics()

    assert found.acceptance_rate_trend == 0.5
    interval = found.acceptance_rate_trend_interval
    assert interval is not None
    assert -1 <= interval.low < 0.5 < interval.high <= 1
    assert loop.measure.statistics("30d").acceptance_rate_trend == 0.5
    clock.advance(days=7)  # now it is 50 of 50 against three of four
    assert loop.measure.statistics().acceptance_rate_trend == 0.25
    clock.advance(days=14)
    assert loop.measure.statistics().acceptance_rate_trend == 0.0


def test_there_is_no_trend_without_decisions_in_both_weeks(loop: heedful.Loop) -> None:
    decide(loop, "new", "accepted", 5, at=_ago(1))
    decide(loop, "new", "skipped", 5, at=_ago(8))
    decide(loop, "gone", "rejected", 5, at=_ago(8))

    for rule in ("new", "gone"):
        found = loop.measure.statistics(rules=[rule])
        assert found.acceptance_rate_trend == 0.0
        assert found.acceptance_rate_trend_interval is None
    assert loop.measure.statistics().acceptance_rate_trend == 1.0


def test_the_trend_is_about_the_same_feedback(loop: heedful.Loop) -> None:
    for rule, bulk, now, before in (("a", False, "accepted", "rejected"), ("b", True, "rejected", "accepted")):
        decide(loop, rule, now, 4, at=_ago(0), bulk=bulk, category=rule.upper())
        decide(loop, rule, before, 4, at=_ago(9), bulk=bulk, category=rule.upper())

    assert loop.measure.statistics().acceptance_rate_trend == 0.0
    assert loop.measure.statistics(rules=["b"]).acceptance_rate_trend == -1.0
    assert loop.measure.statistics(categories=["A"]).acceptance_rate_trend == 1.0
    assert loop.measure.statistics(exclude_bulk=True).acceptance_rate_trend == 1.0


def test_rules_have_the_names_that_most_people_give_them(loop: heedful.Loop) -> None:
    for rule, name, times in (("a", "Alpha", 1), ("a", "Aleph", 2), ("b", "Zeta", 2), ("b", "Beta", 2), ("c", None, 1)):
        decide(loop, rule, "accepted", times, rule_name=name)

    named = {rule: told.rule_name for rule, told in loop.measure.statistics().by_rule.items()}

    assert named == {"a": "Aleph", "b": "Beta", "c": "c"}
    assert named == {rule: loop.apply.rule_context(rule).rule_name for rule in named}


def test_a_category_tells_its_surest_rules(loop: heedful.Loop) -> None:
    for rule, accepted, rejected in (
        ("once", 1, 0), ("loved", 90, 10), ("liked", 30, 10), ("split", 10, 10), ("hated", 0, 40), ("no", 0, 1),
    ):  # fmt: skip
        decide(loop, rule, "accepted", accepted, category="style")
        decide(loop, rule, "rejected", rejected, category="style")
    decide(loop, "elsewhere", "accepted", 5)
    decide(loop, "skipped", "skipped", 5, category="style")

    style = loop.measure.statistics().by_category["style"]

    assert style.top_accepted_rules == ("loved", "liked", "split")
    assert style.top_rejected_rules == ("hated", "split", "no")
    assert style.feedback_count == 207


FORETOLD: list[tuple[float | None, str, float | None]] = [
    (0.8, "accepted", 1), (0.8, "modified", 1), (0.8, "rejected", 0), (1, "accepted", 1), (0.95, "rejected", 0),
    (0.79, "accepted", 0), (0.79, "modified", 0), (0.79, "rejected", 1), (0, "rejected", 1), (0.8, "skipped", None),
    (None, "accepted", None),
]  # fmt: skip


def test_a_confidence_of_four_fifths_foretells_acceptance(loop: heedful.Loop) -> None:
    for confidence, decision, right in FORETOLD:
        rule = f"{decision} at {confidence}"
        decide(loop, rule, decision, confidence=confidence, final="x")

        assert loop.measure.statistics().by_rule[rule].confidence_accuracy == right


def test_confidence_accuracy_is_the_share_of_stated_ones_that_were_right(loop: heedful.Loop) -> None:
    decide(loop, "units", "accepted", 3, confidence=0.9)
    decide(loop, "units", "accepted", 1, confidence=0.5)
    decide(loop, "units", "rejected", 5)

    told = loop.measure.statistics().by_rule["units"]

    assert told.confidence_accuracy == 0.75
    assert told.confidence_accuracy_interval.low < 0.75 < told.confidence_accuracy_interval.high


def test_calibration_tells_what_was_stated_and_what_came_of_it(loop: heedful.Loop) -> None:
    assert loop.measure.calibration().scores is None
    decide(loop, "units", "accepted", 10, confidence=0.95)
    decide(loop, "units", "rejected", 30, confidence=0.95)

    report = loop.measure.calibration("units")

    assert report.rule_id == "units"
    (row,) = report.reliability
    assert (row.low, row.high, row.count, row.accepted) == (0.9, 1.0, 40, 0.25)
    assert row.accepted_low < 0.25 < row.accepted_high
    assert report.scores is not None
    assert report.scores.sample_count == 40
    assert report.scores.brier < report.scores.brier_raw
    assert loop.measure.calibration("other").scores is None


# Sums over any period

DAYS = st.integers(-4_000, 22_000).map(lambda number: date(1970, 1, 1) + timedelta(days=number))
NEAR = st.integers(-200, 200).map(lambda number: date(1970, 1, 1) + timedelta(days=number))
ENDS = st.one_of(st.none(), DAYS, NEAR)
HAPPENED = st.lists(
    st.tuples(
        st.one_of(DAYS, NEAR),
        st.sampled_from(["accepted", "modified", "rejected", "skipped"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["style", "units"]),
    ),
    max_size=40,
)


def _totals(found: Statistics) -> tuple[int, dict[str, int], dict[str, int], float]:
    return (
        found.total_feedback,
        {rule: told.feedback_count for rule, told in found.by_rule.items()},
        {category: told.feedback_count for category, told in found.by_category.items()},
        found.overall_acceptance_rate,
    )


def _recounted(loop: heedful.Loop, since: date | None, until: date | None) -> tuple[Any, ...]:
    inside = [
        event
        for event in loop.events()
        if event.kind in DECISIONS and (since or date.min) <= event.at.date() <= (until or date.max)
    ]
    kinds = Counter(event.kind for event in inside)
    decided = len(inside) - kinds["FIX_SKIPPED"]
    return (
        len(inside),
        dict(Counter(event.entity.id for event in inside if event.entity)),
        dict(Counter(str(event.meta["category"]) for event in inside)),
        (kinds["FIX_ACCEPTED"] + kinds["FIX_MODIFIED"]) / decided if decided else 0.0,
    )


@examples(30)
@given(happened=HAPPENED, periods=st.lists(st.tuples(ENDS, ENDS), min_size=1, max_size=8))
def test_sums_over_any_period_equal_a_recount(
    loop: heedful.Loop,
    happened: list[tuple[date, str, str, str]],
    periods: list[tuple[date | None, date | None]],
) -> None:
    own = loop.org(str(uuid.uuid4()))  # every example has an organisation of its own
    own.capture.fixes(
        {"rule": rule, "decision": decision, "category": category, "final": "x", "at": _on(day)}
        for day, decision, rule, category in happened
    )
    days = sorted({day for day, *_ in happened})
    periods = [*periods, *((day, day) for day in days[:2]), *zip(days[:3], reversed(days), strict=False)]
    for one, other in periods:
        since, until = (other, one) if one and other and one > other else (one, other)
        found = own.measure.statistics(since=since, until=until)
        assert _totals(found) == _recounted(own, since, until)
        assert found.period == Period(since, until)


@given(first=st.integers(-3_000, 3_000), length=st.integers(-2, 3_000))
@example(first=-64, length=64)
@example(first=0, length=1)
@example(first=-1, length=2)
def test_a_period_falls_into_few_spans_that_cover_each_day_once(first: int, length: int) -> None:
    last = first + length - 1

    found = spans(first, last)

    covered = [
        day
        for width, begin, end in found
        for start in range(-(-begin // width) * width, end + 1, width)
        for day in range(start, start + width)
    ]
    assert sorted(covered) == list(range(first, last + 1))
    assert len(found) <= 5
    assert sum(end - begin + 1 for width, begin, end in found if width < 64) <= 2 * (7 + 64)

"""Acceptance statistics of suggestions from daily counts: the cost does not depend on the number of events."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.learnings.patterns.tallies import DayCounts
from heedful.records.clock import to_day
from heedful.records.interval import Interval, wilson
from heedful.records.period import Period
from heedful.records.statistics import CategoryStatistics, RuleStatistics, Statistics
from heedful.records.suggestion import SEPARATOR, SPANS
from heedful.store.counting import TallyRow

_TOP = 3
_HALF = 0.5
_WEEK = 7
_BEGINNING, _END = -(2**30), 2**30


@dataclass(frozen=True, slots=True)
class FeedbackFilter:
    period: Period
    rules: frozenset[str] | None
    categories: frozenset[str] | None
    exclude_skipped: bool
    exclude_bulk: bool


def statistics(tallies: SuggestionTallies, wanted: FeedbackFilter, today: date) -> Statistics:
    rules: dict[str, DayCounts] = defaultdict(DayCounts)
    categories: dict[str, dict[str, DayCounts]] = defaultdict(lambda: defaultdict(DayCounts))
    overall = DayCounts()
    for rule, category, counted in _fitting(_rows(tallies, wanted.period), wanted):
        overall = overall.plus(counted)
        rules[rule] = rules[rule].plus(counted)
        categories[category][rule] = categories[category][rule].plus(counted)
    names = tallies.rule_names()
    trend, trend_interval = _trend(tallies, wanted, today)
    return Statistics(
        total_feedback=overall.total,
        overall_acceptance_rate=overall.acceptance,
        overall_acceptance_interval=overall.acceptance_interval,
        acceptance_rate_trend=trend,
        acceptance_rate_trend_interval=trend_interval,
        rules_with_feedback=len(rules),
        modification_rate=_share(overall.modified, overall.decided),
        modification_interval=wilson(overall.modified, overall.decided),
        skip_rate=_share(overall.skipped, overall.total),
        skip_interval=wilson(overall.skipped, overall.total),
        by_rule={rule: _of_rule(rule, names.get(rule, rule), rules[rule]) for rule in sorted(rules)},
        by_category={category: _of_category(category, categories[category]) for category in sorted(categories)},
        period=wanted.period,
    )


def all_days(tallies: SuggestionTallies, period: Period) -> Iterator[tuple[str, int, DayCounts]]:
    """The counts of each day by rule, category and bulk."""
    first, last = _ends(period)
    yield from tallies.each_day(first, last)


def _ends(period: Period) -> tuple[int, int]:
    first = _BEGINNING if period.start is None else to_day(period.start)
    return first, _END if period.end is None else to_day(period.end)


def _rows(tallies: SuggestionTallies, period: Period) -> Iterable[TallyRow[DayCounts]]:
    first, last = _ends(period)
    for length, begin, end in spans(first, last):
        yield from tallies.spans(length, begin, end)


def spans(first: int, last: int) -> list[tuple[int, int, int]]:
    """Covers the days from first to last with few spans: (length, first beginning, last beginning)."""
    found: list[tuple[int, int, int]] = []
    lengths = list(reversed(SPANS))
    for length, longer in zip(lengths, [*lengths[1:], None], strict=True):
        if first > last:
            break
        if longer is None:
            found.append((length, first, last))
            break
        begin, end = -(-first // longer) * longer, (last + 1) // longer * longer  # what whole longer spans cover
        if begin >= end:
            found.append((length, first, last))
            break
        if first < begin:
            found.append((length, first, begin - 1))
        if end <= last:
            found.append((length, end, last))
        first, last = begin, end - 1
    return found


def _fitting(rows: Iterable[TallyRow[DayCounts]], wanted: FeedbackFilter) -> Iterable[tuple[str, str, DayCounts]]:
    for key, counted in rows:
        rule, category, bulk = key.split(SEPARATOR)
        if not (_among(rule, wanted.rules) and _among(category, wanted.categories)):
            continue
        if wanted.exclude_bulk and bulk == "1":
            continue
        kept = counted._replace(skipped=0) if wanted.exclude_skipped else counted
        if kept.total:
            yield rule, category, kept


def _among(name: str, names: Collection[str] | None) -> bool:
    return names is None or name in names


def _trend(tallies: SuggestionTallies, wanted: FeedbackFilter, today: date) -> tuple[float, Interval | None]:
    """The last seven days against the seven before, with an interval for the difference (Newcombe)."""
    weeks = [_week(tallies, wanted, end) for end in (today, today - timedelta(days=_WEEK))]
    recent, before = weeks
    if not recent.decided or not before.decided:
        return 0.0, None
    (p, of_recent), (q, of_before) = ((tally.acceptance, tally.acceptance_interval) for tally in (recent, before))
    low = p - q - math.hypot(p - of_recent.low, of_before.high - q)
    high = p - q + math.hypot(of_recent.high - p, q - of_before.low)
    return p - q, Interval(max(low, -1.0), min(high, 1.0))


def _week(tallies: SuggestionTallies, wanted: FeedbackFilter, end: date) -> DayCounts:
    """The seven days up to one; from the totals, if there is no filter of rules or categories."""
    found = DayCounts()
    if wanted.rules is None and wanted.categories is None:
        for bulk, counted in tallies.totals(to_day(end) - _WEEK + 1, to_day(end)):
            if not (wanted.exclude_bulk and bulk == "1"):
                found = found.plus(counted)
        return found
    for _, _, counted in _fitting(_rows(tallies, Period(end - timedelta(days=_WEEK - 1), end)), wanted):
        found = found.plus(counted)
    return found


def _of_rule(rule: str, name: str, counted: DayCounts) -> RuleStatistics:
    return RuleStatistics(
        rule_id=rule,
        rule_name=name,
        feedback_count=counted.total,
        accepted=counted.accepted,
        modified=counted.modified,
        rejected=counted.rejected,
        skipped=counted.skipped,
        acceptance_rate=counted.acceptance,
        acceptance_interval=counted.acceptance_interval,
        modification_rate=_share(counted.modified, counted.decided),
        modification_interval=wilson(counted.modified, counted.decided),
        confidence_accuracy=counted.correct / counted.stated if counted.stated else None,
        confidence_accuracy_interval=wilson(counted.correct, counted.stated),
    )


def _of_category(category: str, rules: dict[str, DayCounts]) -> CategoryStatistics:
    whole = DayCounts()
    for counted in rules.values():
        whole = whole.plus(counted)
    liked = [rule for rule, counted in rules.items() if counted.welcome and counted.acceptance >= _HALF]
    disliked = [rule for rule, counted in rules.items() if counted.rejected and counted.acceptance <= _HALF]
    # By the lower bound: one acceptance out of one does not rank above ninety out of a hundred.
    liked.sort(key=lambda rule: (-rules[rule].acceptance_interval.low, rule))
    disliked.sort(key=lambda rule: (rules[rule].acceptance_interval.high, rule))
    return CategoryStatistics(
        category=category,
        feedback_count=whole.total,
        acceptance_rate=whole.acceptance,
        acceptance_interval=whole.acceptance_interval,
        top_accepted_rules=tuple(liked[:_TOP]),
        top_rejected_rules=tuple(disliked[:_TOP]),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

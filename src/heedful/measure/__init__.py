"""Measure: activity per day, acceptance rates of suggestions, mining outcomes, and calibration of confidences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from heedful.errors import InvalidInput
from heedful.learnings.patterns.acceptance_rates import FeedbackFilter, statistics
from heedful.learnings.patterns.calibration import fit, merge, reliability, scores
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.learnings.reputation import Reputation
from heedful.measure import conversations as mining
from heedful.measure.activity import ACTIVITY
from heedful.measure.documents import analytics, period
from heedful.measure.rules import RuleMeasures
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records.clock import When, to_day
from heedful.records.learning_analytics import LearningAnalytics
from heedful.records.mining import MiningReport
from heedful.records.names import Name, Span, identifier, listed
from heedful.records.period import Period
from heedful.records.statistics import CalibrationReport, Statistics
from heedful.records.tier import Tier
from heedful.records.variant import VariantComparison
from heedful.store import Store
from heedful.store.audit import PREFIX
from heedful.store.counting import TIMELESS
from heedful.store.projection import Count

_LAST_DAY = 2**31 - 1


class Measure:
    """`loop.measure`: statistics whose cost does not grow with the number of events."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def _counts(self) -> SuggestionTallies:  # not before it is used: a client has none
        return SuggestionTallies(self._store)

    @cached_property
    def rules(self) -> RuleMeasures:
        return RuleMeasures(self._store)

    @operation(
        "GET /activity",
        policy.AnalyticsPolicy.read,
        example={"by": "kind", "since": "2026-01-01"},
        errors=(InvalidInput,),
        tool="activity",
    )
    def activity(
        self, by: Literal["kind", "layout"] = "kind", *, since: When | None = None, until: When | None = None
    ) -> list[Count]:
        """Count the events of each kind (or layout) per day in UTC, both ends included.

        The audit trail (kinds that begin with AUDIT_) is counted for admins.
        """
        if by not in ("kind", "layout"):
            raise InvalidInput(f"Activity is not counted by {by!r}.", hint="Ask for 'kind' or 'layout'.")
        days = Period.of(None, since, until, self._store.clock())
        first = TIMELESS + 1 if days.start is None else to_day(days.start)
        last = _LAST_DAY if days.end is None else to_day(days.end)
        counts = self._store.projections.counts(ACTIVITY.name, by, first, last)
        if by == "kind" and not caller.allows(policy.AuditPolicy.read):
            return [count for count in counts if not count.key.startswith(PREFIX)]
        return counts

    @operation(
        "GET /statistics",
        policy.AnalyticsPolicy.read,
        example={"period": "30d", "exclude_bulk": True},
        errors=(InvalidInput,),
        tier=Tier.TEAMS,
        tool="suggestion_statistics",
    )
    def statistics(
        self,
        period: Span | None = None,
        *,
        since: When | None = None,
        until: When | None = None,
        rules: Sequence[Name] | None = None,
        categories: Sequence[Name] | None = None,
        exclude_skipped: bool = False,
        exclude_bulk: bool = False,
    ) -> Statistics:
        """Show acceptance rates for suggestions with intervals and the trend, by rule and by category.

        `period` is a number of days up to today (`30d`, `4w`), or `all`; or pass `since` and `until`, both included.
        Days are in UTC.
        """
        now = self._store.clock()
        wanted = FeedbackFilter(
            Period.of(period, since, until, now),
            None if rules is None else listed(rules, "rules"),
            None if categories is None else listed(categories, "categories"),
            exclude_skipped=exclude_skipped,
            exclude_bulk=exclude_bulk,
        )
        return statistics(self._counts, wanted, now.date())

    @operation(
        "GET /calibration",
        policy.AnalyticsPolicy.read,
        example={"rule": "no-passive"},
        tier=Tier.TEAMS,
        tool="calibration",
    )
    def calibration(self, rule: Name | None = None) -> CalibrationReport:
        """Show how well stated confidences are calibrated, for a rule or for all rules.

        Brier score and expected calibration error, of the stated and of the calibrated confidence, each measured on
        people whose decisions were held out; and a reliability table.
        """
        tallies = self._counts
        wider = [] if rule is None else [tallies.confidences("")]
        groups = tallies.confidences("" if rule is None else identifier(rule, "rule"))
        bins = merge(groups)
        curve = fit([*(merge(level) for level in wider), bins])
        return CalibrationReport(rule, scores(groups, wider), tuple(reliability(bins, curve)))

    @operation(
        "GET /analytics/learning",
        policy.AnalyticsPolicy.read,
        example={"start_date": "2026-01-01"},
        errors=(InvalidInput,),
        tool="learning_analytics",
    )
    def learning(self, start_date: When | None = None, end_date: When | None = None) -> LearningAnalytics:
        """Show what people corrected in extracted documents: by day, by type, by field and by layout.

        Both dates are included, in UTC; without them, the last 30 days. Layouts are those of all time.
        """
        return analytics(self._store, *period(start_date, end_date, self._store.clock()))

    @operation("GET /analytics/mining", policy.AnalyticsPolicy.read)
    def mining(self) -> MiningReport:
        """Show statistics of mining: outcomes of conversations, learnings, confidence and duration."""
        return mining.report(self._store)

    @operation("GET /analytics/contributors", policy.AnalyticsPolicy.read)
    def reputations(self) -> list[Reputation]:
        """List contributors by reputation, best first: how often others confirm and approve their learnings."""
        return mining.reputations(self._store)

    @operation("GET /analytics/variants", policy.AnalyticsPolicy.read)
    def variants(self) -> list[VariantComparison]:
        """Compare the prompt variants for language models: yield, ratings, and the winner."""
        return mining.variants(self._store)

"""Measure: outcomes of contexts, the lift of learnings, the repeat-correction rate; and activity per day, acceptance
rates of suggestions, outcomes of mining, and calibration of confidences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

from heedful.errors import Conflict, InvalidInput, NotFound
from heedful.learnings.patterns.acceptance_rates import FeedbackFilter, statistics
from heedful.learnings.patterns.calibration import fit, merge, reliability, scores
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.learnings.reputation import Reputation
from heedful.measure import conversations as mining
from heedful.measure import lift as lifts
from heedful.measure import outcomes
from heedful.measure.activity import ACTIVITY
from heedful.measure.documents import analytics, period
from heedful.measure.repeats import GROUPINGS, RepeatGrouping, repeats
from heedful.measure.rules import RuleMeasures
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.operations.toolset import ToolSet
from heedful.records.clock import Time, When, to_day
from heedful.records.learning_analytics import LearningAnalytics
from heedful.records.lift import Lift
from heedful.records.mining import MiningReport
from heedful.records.names import WEEKS_LIMIT, Name, Share, Span, Weeks, identifier, listed, whole
from heedful.records.outcome import Outcome
from heedful.records.period import Period
from heedful.records.repeats import Repeats
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
        "POST /outcomes",
        policy.EventPolicy.record,
        example={"context": "ctx-2026-01-05-17", "success": True, "note": "The order went through unchanged."},
        errors=(Conflict, InvalidInput, NotFound),
        creates=True,
        tool="report_outcome",
        tools=ToolSet.AGENTS,
    )
    def outcome(
        self,
        context: Name | None,
        *,
        success: bool | None = None,
        score: Share | None = None,
        accepted: bool | None = None,
        output: str | None = None,
        edited_to: str | None = None,
        note: str | None = None,
        actor: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Outcome | None:
        """Report what came of a context: success, a score from 0 to 1, or what a person made of the output.

        `context` is the id of a context; an empty one has none, and nothing is recorded for it. Pass one of `success`,
        `score`, `accepted`, or `output` with `edited_to`, which gives the share of words that stayed. An `output`, also
        alone, is checked for learnings of the context that it follows or breaks; the texts are not stored. Report as
        late and as often as you like: the latest outcome of a context counts. `at` is not in the future.
        """
        checked = outcomes.checked(
            context,
            success=success,
            score=score,
            accepted=accepted,
            output=output,
            edited_to=edited_to,
            note=note,
            actor=actor,
            at=at,
            id=id,
        )
        return outcomes.record(self._store, checked)

    @operation("GET /lift", policy.AnalyticsPolicy.read, errors=(NotFound,))
    def lift(self, learning: Name | None = None) -> list[Lift]:
        """Show whether outcomes are better with each learning than without it, those that do harm first.

        Every learning that has outcomes, or one. The interval of 95% holds however often you look. The verdict is
        "helps", "harms", "no effect yet", or "not measured" if it was never withheld; then `needed` says about how many
        more outcomes would show a difference of ten points.
        """
        return lifts.lifts(self._store) if learning is None else [lifts.lift(self._store, identifier(learning, "id"))]

    @operation(
        "GET /repeats", policy.AnalyticsPolicy.read, example={"weeks": 12, "by": "about"}, errors=(InvalidInput,)
    )
    def repeats(self, weeks: Weeks = 12, by: RepeatGrouping | None = None, about: Name | None = None) -> Repeats:
        """Show the repeat-correction rate: how often people had to say again what they had said before.

        Of the last weeks with this one (from Monday, in UTC), in total, by week, and by `teacher`, `about` (the topic,
        project, agent, rule or layout), `user`, or `agent`: of reviews, and of corrections in a session in which an
        agent was given a context. With `about`, only of that one. Without `by` it is that of the whole team.
        """
        if by is not None and by not in GROUPINGS:
            raise InvalidInput(f"Repeats are not grouped by {by!r}.", hint=f"Pass one of: {', '.join(GROUPINGS)}.")
        only = None if about is None else identifier(about, "about")
        return repeats(self._store, whole(weeks, "weeks", WEEKS_LIMIT), by, only)

    def tend(self) -> dict[str, int]:
        """Suspend learnings that do harm, and propose to retire rules that do not help. Workers call it once a day."""
        caller.owner_only("tend learnings")
        done = self.rules.tend()
        return {**done, "suspended": done["suspended"] + lifts.suspend_harmful(self._store)}

    @operation(
        "GET /statistics",
        policy.AnalyticsPolicy.read,
        example={"period": "30d", "exclude_bulk": True},
        errors=(InvalidInput,),
        tier=Tier.TEAMS,
        tool="suggestion_statistics",
        tools=ToolSet.SUGGESTIONS,
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
        tools=ToolSet.SUGGESTIONS,
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

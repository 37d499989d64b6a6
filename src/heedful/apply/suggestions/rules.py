"""The context of a rule: accepted and rejected patterns, rates and calibration."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import NamedTuple, TypeVar

from heedful.apply.suggestions.prompt import prompt
from heedful.learnings.patterns.calibration import fit
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.learnings.patterns.tallies import DecisionCounts
from heedful.learnings.patterns.wanted_patterns import DecidedPattern, DecisionEvidence, Verdicts, pattern_id
from heedful.records.calibration import Calibration
from heedful.records.privacy import Privacy
from heedful.records.rule_context import ENOUGH, AcceptedPattern, Modification, RejectedPattern, RuleContext
from heedful.store import Store

T = TypeVar("T")
_NEUTRAL = 0.5  # how likely acceptance is where nothing at all is known
_SHRINKAGE = 5.0  # so many decisions weigh as much as what is known of the organisation's other rules


class _Learned(NamedTuple):
    accepted: tuple[AcceptedPattern, ...]
    rejected: tuple[RejectedPattern, ...]
    modifications: tuple[Modification, ...]
    name: str


class RuleContexts:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._tallies = SuggestionTallies(store)

    def of(self, rule: str) -> RuleContext:
        counted = self._tallies.rule(rule)
        everything = self._tallies.rule("")
        privacy = self._store.privacy()
        known = self._cached(("rule", rule), (counted, privacy), lambda: self._learned(rule, privacy))
        calibration = self._cached(("curve", rule), (counted, everything), lambda: fit(self._tallies.curves(rule)))
        return _context(rule, counted, everything, known, calibration)

    def _cached(self, name: tuple[str, str], version: Hashable, make: Callable[[], T]) -> T:
        database = self._store.database
        if database.in_transaction():
            return make()  # what is rolled back must not be cached
        return database.cache.get_or_make((self._store.org, *name), version, make)

    def _learned(self, rule: str, privacy: Privacy) -> _Learned:
        verdicts = Verdicts(self._tallies, rule, privacy)
        return _Learned(
            tuple(_accepted(rule, found) for found in verdicts.accepted()),
            tuple(_rejected(rule, found, verdicts.reason(found)) for found in verdicts.rejected()),
            tuple(verdicts.modifications()),
            self._tallies.rule_name(rule),
        )


def _context(
    rule: str, counted: DecisionCounts, everything: DecisionCounts, known: _Learned, calibration: Calibration
) -> RuleContext:
    evidence = DecisionEvidence.of(counted)
    samples = round(evidence.total) + counted.skipped
    context = RuleContext(
        rule_id=rule,
        rule_name=known.name,
        acceptance_rate=evidence.rate,
        acceptance_interval=evidence.interval,
        sample_count=samples,
        imported_count=round(evidence.imported),
        accepted_patterns=known.accepted,
        rejected_patterns=known.rejected,
        useful_modifications=known.modifications,
        prompt="",
        adjusted_confidence_baseline=_baseline(evidence, counted, everything),
        has_sufficient_data=samples >= ENOUGH,
        calibration=calibration,
    )
    return replace(context, prompt=prompt(context, round(evidence.total))) if context.has_sufficient_data else context


def _baseline(evidence: DecisionEvidence, counted: DecisionCounts, everything: DecisionCounts) -> float | None:
    """The acceptance rate; with few decisions, shrunk towards that of the organisation's other rules."""
    if not evidence.total:
        return None
    wanted = everything.accepted - counted.accepted + everything.modified - counted.modified
    usual = (wanted + _SHRINKAGE * _NEUTRAL) / (everything.decided - counted.decided + _SHRINKAGE)
    return (evidence.successes + _SHRINKAGE * usual) / (evidence.total + _SHRINKAGE)


def _accepted(rule: str, found: DecidedPattern) -> AcceptedPattern:
    evidence = found.evidence
    return AcceptedPattern(
        pattern_id(rule, found),
        *found.text,
        accept_count=round(evidence.successes),
        modified_count=found.counts.modified,
        sample_count=round(evidence.total),
        success_rate=evidence.rate,
        interval=evidence.interval,
        people=found.people,
        readable=found.readable,
    )


def _rejected(rule: str, found: DecidedPattern, reason: str | None) -> RejectedPattern:
    evidence = found.evidence
    return RejectedPattern(
        pattern_id(rule, found),
        *found.text,
        reject_count=round(evidence.total - evidence.successes),
        sample_count=round(evidence.total),
        success_rate=evidence.rate,
        interval=evidence.interval,
        people=found.people,
        readable=found.readable,
        common_rejection_reason=reason,
    )

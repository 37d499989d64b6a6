"""What feedback on suggestions teaches: counts of patterns, reasons, improvements and confidences, per rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from heedful.learnings.patterns import tallies
from heedful.learnings.patterns.calibration import bin_of
from heedful.learnings.patterns.tallies import ConfidenceCounts, DayCounts, DecisionCounts, NameCounts, Times
from heedful.records.clock import to_day
from heedful.records.event import Event
from heedful.records.json import encode
from heedful.records.suggestion import (
    DECISIONS,
    FOLDS,
    IMPORTED,
    LEARNING_KINDS,
    MILLION,
    PROJECTION,
    Decision,
    is_feedback,
    joined,
)
from heedful.store.counting import CountingProjection, Counts

_CONFIDENT = 0.8


def _fold(events: Sequence[Event], counts: Counts) -> None:
    for event in events:
        if not is_feedback(event) or event.entity is None:
            continue
        if event.kind == IMPORTED:
            _fold_import(event, event.entity.id, counts)
        else:
            _fold_fix(event, event.entity.id, event.meta, counts)


SUGGESTIONS = CountingProjection(PROJECTION, version=2, count=_fold, kinds=LEARNING_KINDS)


def _fold_fix(event: Event, rule: str, meta: Mapping[str, Any], counts: Counts) -> None:
    decision = DECISIONS[event.kind]
    confidence = meta.get("confidence") if decision is not Decision.SKIPPED else None
    one = {decision.value: 1}
    for part in (rule, ""):
        counts.tally(tallies.RULE, "", DecisionCounts(**one, version=event.seq), part=part)
    if "rule_name" in meta:
        counts.tally(tallies.NAME, meta["rule_name"], NameCounts(1), part=rule)
    person = meta["learned"].get("by", event.actor)
    voice = meta["learned"].get("voice", person)
    if voice is not None:
        counts.tally(tallies.PERSON, voice, tallies.ONCE, part=rule)
    right = confidence is not None and (confidence >= _CONFIDENT) == (decision is not Decision.REJECTED)
    on_day = DayCounts(**one, stated=int(confidence is not None), correct=int(right))
    _fold_day(to_day(event.at.date()), rule, meta["category"], "1" if meta.get("bulk") else "0", on_day, counts)
    if confidence is not None:
        fold = crc32((person or event.id).encode("utf-8", "surrogatepass")) % FOLDS
        _fold_confidence(rule, confidence, fold, accepted=decision is not Decision.REJECTED, counts=counts)
    if decision is not Decision.SKIPPED:
        _fold_learned(rule, meta["learned"], voice, DecisionCounts(**one), counts)


def _fold_day(day: int, rule: str, category: str, bulk: str, decided: DayCounts, counts: Counts) -> None:
    counts.tally(tallies.TOTAL, bulk, decided, day=day)
    key = joined(rule, category, bulk)
    for length, span in tallies.SPAN.items():
        counts.tally(span, key, decided, day=day - day % length)


def _fold_confidence(rule: str, confidence: float, fold: int, *, accepted: bool, counts: Counts) -> None:
    stated, squared = round(confidence * MILLION), round(confidence * confidence * MILLION)
    values = ConfidenceCounts(1, int(accepted), stated, squared, stated * accepted)
    for part in (rule, ""):
        counts.tally(tallies.CONFIDENCE, f"{bin_of(confidence):02}.{fold}", values, part=part)


def _fold_learned(
    rule: str, learned: Mapping[str, Any], voice: str | None, one: DecisionCounts, counts: Counts
) -> None:
    for pattern in learned.get("patterns", ()):
        counts.tally(tallies.PATTERN, _pattern_key(pattern), one, part=rule)
        _fold_said(rule, pattern, voice, counts)
    if learned.get("texts"):
        voice = None  # how many people said or did the same matters where it cannot be read otherwise
    if (edit := learned.get("edit")) is not None:
        counts.tally(tallies.EDIT, joined(edit["kind"], edit["id"]), tallies.ONCE, part=rule)
        _fold_said(rule, edit, voice, counts)
    if (reason := learned.get("reason")) is not None and one.rejected:
        meant = " ".join(reason["gist"])
        for pattern in learned.get("patterns", ()):
            counts.tally(tallies.REASON, joined(meant, reason["id"]), tallies.ONCE, part=joined(rule, pattern["id"]))
        _fold_said(rule, reason, voice, counts)


def _fold_said(rule: str, said: Mapping[str, Any], voice: str | None, counts: Counts) -> None:
    part = joined(rule, said["id"])
    counts.tally(tallies.TEXT, encode(said["text"]), tallies.ONCE, part=part)
    if voice is not None:
        counts.tally(tallies.PERSON, voice, tallies.ONCE, part=part)


def _fold_import(event: Event, rule: str, counts: Counts) -> None:
    brought = event.after
    if "own" in brought:
        _fold_moved(event, rule, brought, counts)
        return
    for part in (rule, ""):
        counts.tally(tallies.RULE, "", _imported(brought["decisions"])._replace(version=event.seq), part=part)
    if "rule_name" in brought:
        counts.tally(
            tallies.NAME, brought["rule_name"], NameCounts(imported=1), part=rule
        )  # the team's own name comes first
    for pattern in brought["patterns"]:
        counts.tally(tallies.PATTERN, _pattern_key(pattern), _imported(pattern["decisions"]), part=rule)
        counts.tally(tallies.TEXT, encode(pattern["text"]), tallies.ONCE, part=joined(rule, pattern["id"]))


def _imported(decisions: Sequence[int]) -> DecisionCounts:
    accepted, modified, rejected = decisions
    return DecisionCounts(imported_accepted=accepted, imported_modified=modified, imported_rejected=rejected)


def _fold_moved(event: Event, rule: str, brought: Mapping[str, Any], counts: Counts) -> None:
    """What the organisation learned in another place, and counts as if it had been decided here."""
    for part in (rule, ""):
        counts.tally(tallies.RULE, "", DecisionCounts(*brought["own"])._replace(version=event.seq), part=part)
    if "rule_name" in brought:
        counts.tally(tallies.NAME, brought["rule_name"], NameCounts(1), part=rule)
    for pattern in brought["patterns"]:
        decided = DecisionCounts(*pattern["decisions"])
        counts.tally(tallies.PATTERN, _pattern_key(pattern), decided, part=rule)
        part = joined(rule, pattern["id"])
        counts.tally(tallies.TEXT, encode(pattern["text"]), Times(decided.decided), part=part)
        if (reason := pattern.get("reason")) is not None:
            counts.tally(tallies.REASON, joined(reason["gist"], reason["id"]), Times(decided.rejected), part=part)
            counts.tally(tallies.TEXT, encode([reason["text"]]), tallies.ONCE, part=joined(rule, reason["id"]))
    for day, category, bulk, *decisions in brought["days"]:
        _fold_day(day, rule, category, bulk, DayCounts(*decisions), counts)
    for number, group, *sums in brought["confidences"]:
        for part in (rule, ""):
            counts.tally(tallies.CONFIDENCE, f"{number:02}.{group}", ConfidenceCounts(*sums), part=part)
    for edit in brought["edits"]:
        counts.tally(tallies.EDIT, joined(edit["kind"], edit["id"]), Times(edit["count"]), part=rule)
        counts.tally(tallies.TEXT, encode(edit["text"]), Times(edit["count"]), part=joined(rule, edit["id"]))


def _pattern_key(pattern: Mapping[str, Any]) -> str:
    """Two whole texts name the phrases in which they differ."""
    return joined(pattern["id"], *pattern["of"], "") if "of" in pattern else str(pattern["id"])

"""What feedback on suggestions teaches: counts of patterns, reasons, improvements and confidences, per rule.

The tallies, and what their numbers are:

    name        part             key                          numbers
    rule        rule, or "":all  ""                           accepted, modified, rejected, skipped,
                                                              the first three again as imported, a change mark
    name        rule             what people call it          times, and times as imported
    total       ""  (with day)   bulk                         as the next
    span1 8 64  ""  (with day)   rule, category, bulk         accepted, modified, rejected, skipped, confidences, right
    confidence  rule, or "":all  bin and group of people      decisions, accepted, Σc, Σc², Σc of accepted (millionths)
    pattern     rule             id, and those of its phrases accepted, modified, rejected, –, the same as imported
    text        rule and id      how it reads, as JSON        times
    person      rule, or with id who, as one is counted       times
    reason      rule and id      what was meant, in digests   times
    edit        rule             how, and its id              times
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from heedful.learnings.patterns.calibration import bin_of
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
    SPANS,
    Decision,
    is_feedback,
    joined,
)
from heedful.store.counting import CountingProjection, Counts

_CONFIDENT = 0.8
_PLACES = {Decision.ACCEPTED: 0, Decision.MODIFIED: 1, Decision.REJECTED: 2, Decision.SKIPPED: 3}


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
    place = _PLACES[decision]
    confidence = meta.get("confidence") if decision is not Decision.SKIPPED else None
    one = [0, 0, 0, 0]
    one[place] = 1
    for part in (rule, ""):
        counts.tally("rule", "", (*one, 0, 0, 0, event.seq), part=part)
    if "rule_name" in meta:
        counts.tally("name", meta["rule_name"], (1,), part=rule)
    person = meta["learned"].get("by", event.actor)
    voice = meta["learned"].get("voice", person)
    if voice is not None:
        counts.tally("person", voice, (1,), part=rule)
    _fold_spans(event, rule, meta, one, counts)
    if confidence is not None:
        fold = crc32((person or event.id).encode("utf-8", "surrogatepass")) % FOLDS
        _fold_confidence(rule, confidence, fold, accepted=decision is not Decision.REJECTED, counts=counts)
    if decision is not Decision.SKIPPED:
        _fold_learned(rule, meta["learned"], voice, one, counts)


def _fold_spans(event: Event, rule: str, meta: Mapping[str, Any], one: list[int], counts: Counts) -> None:
    day = to_day(event.at.date())
    stated, right = 0, 0
    if (confidence := meta.get("confidence")) is not None and not one[3]:
        stated, right = 1, int((confidence >= _CONFIDENT) == (not one[2]))
    key = joined(rule, meta["category"], "1" if meta.get("bulk") else "0")
    counts.tally("total", key[-1], (*one, stated, right), day=day)
    for length in SPANS:
        counts.tally(f"span{length}", key, (*one, stated, right), day=day - day % length)


def _fold_confidence(rule: str, confidence: float, fold: int, *, accepted: bool, counts: Counts) -> None:
    stated = round(confidence * MILLION)
    squared = round(confidence * confidence * MILLION)
    values = (1, int(accepted), stated, squared, stated * accepted)
    for part in (rule, ""):
        counts.tally("confidence", f"{bin_of(confidence):02}.{fold}", values, part=part)


def _fold_learned(rule: str, learned: Mapping[str, Any], voice: str | None, one: list[int], counts: Counts) -> None:
    for pattern in learned.get("patterns", ()):
        counts.tally("pattern", _pattern_key(pattern), one[:3], part=rule)
        _fold_said(rule, pattern, voice, counts)
    if learned.get("texts"):
        voice = None  # how many people said or did the same matters where it cannot be read otherwise
    if (edit := learned.get("edit")) is not None:
        counts.tally("edit", joined(edit["kind"], edit["id"]), (1,), part=rule)
        _fold_said(rule, edit, voice, counts)
    if (reason := learned.get("reason")) is not None and one[2]:
        meant = " ".join(reason["gist"])
        for pattern in learned.get("patterns", ()):
            counts.tally("reason", joined(meant, reason["id"]), (1,), part=joined(rule, pattern["id"]))
        _fold_said(rule, reason, voice, counts)


def _fold_said(rule: str, said: Mapping[str, Any], voice: str | None, counts: Counts) -> None:
    part = joined(rule, said["id"])
    counts.tally("text", encode(said["text"]), (1,), part=part)
    if voice is not None:
        counts.tally("person", voice, (1,), part=part)


def _fold_import(event: Event, rule: str, counts: Counts) -> None:
    brought = event.after
    if "own" in brought:
        _fold_moved(event, rule, brought, counts)
        return
    for part in (rule, ""):
        counts.tally("rule", "", (0, 0, 0, 0, *brought["decisions"], event.seq), part=part)
    if "rule_name" in brought:
        counts.tally("name", brought["rule_name"], (0, 1), part=rule)  # what the team itself calls it comes first
    for pattern in brought["patterns"]:
        counts.tally("pattern", _pattern_key(pattern), (0, 0, 0, 0, *pattern["decisions"]), part=rule)
        counts.tally("text", encode(pattern["text"]), (1,), part=joined(rule, pattern["id"]))


def _fold_moved(event: Event, rule: str, brought: Mapping[str, Any], counts: Counts) -> None:
    """What the organisation learned in another place, and counts as if it had been decided here."""
    for part in (rule, ""):
        counts.tally("rule", "", (*brought["own"], 0, 0, 0, event.seq), part=part)
    if "rule_name" in brought:
        counts.tally("name", brought["rule_name"], (1,), part=rule)
    for pattern in brought["patterns"]:
        counts.tally("pattern", _pattern_key(pattern), pattern["decisions"], part=rule)
        part = joined(rule, pattern["id"])
        counts.tally("text", encode(pattern["text"]), (sum(pattern["decisions"]),), part=part)
        if (reason := pattern.get("reason")) is not None:
            counts.tally("reason", joined(reason["gist"], reason["id"]), (pattern["decisions"][2],), part=part)
            counts.tally("text", encode([reason["text"]]), (1,), part=joined(rule, reason["id"]))
    for day, category, bulk, *decisions in brought["days"]:
        key = joined(rule, category, bulk)
        counts.tally("total", bulk, decisions, day=day)
        for length in SPANS:
            counts.tally(f"span{length}", key, decisions, day=day - day % length)
    for number, group, *sums in brought["confidences"]:
        for part in (rule, ""):
            counts.tally("confidence", f"{number:02}.{group}", sums, part=part)
    for edit in brought["edits"]:
        counts.tally("edit", joined(edit["kind"], edit["id"]), (edit["count"],), part=rule)
        counts.tally("text", encode(edit["text"]), (edit["count"],), part=joined(rule, edit["id"]))


def _pattern_key(pattern: Mapping[str, Any]) -> str:
    """Two whole texts name the phrases in which they differ."""
    return joined(pattern["id"], *pattern["of"], "") if "of" in pattern else str(pattern["id"])

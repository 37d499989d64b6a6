"""The categories of insight that a conversation may contain: at most two.

A candidate that the extractors find and keep is the surest sign. The passages show the rest, and what a language model
may find beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Final

from heedful.learn.conversations.local.cues import Cue
from heedful.learn.conversations.local_extraction import everything
from heedful.learn.conversations.selection import Passage, selected
from heedful.records.insight import InsightCategory
from heedful.records.transcript import Speaker, Transcript

MOST: Final = 2
LEAST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Detected:
    category: InsightCategory
    confidence: float
    signals: tuple[str, ...]


# Evidence for a category: cues that must occur in one passage, their weight, and their description.
_SIGNS: dict[InsightCategory, tuple[tuple[int, float, str], ...]] = {
    InsightCategory.BUG_FIX: (
        (Cue.CAUSE | Cue.FIX, 0.8, "a cause with its fix"),
        (Cue.SYMPTOM | Cue.CAUSE, 0.5, "a symptom with its cause"),
        (Cue.SYMPTOM | Cue.FIX, 0.4, "a symptom with its fix"),
    ),
    InsightCategory.DECISION: (
        (Cue.CHOICE | Cue.REASON, 0.5, "a choice with its reason"),
        (Cue.CHOICE | Cue.OPTION, 0.5, "options to choose from"),
        (Cue.CHOICE | Cue.TRADE_OFF, 0.5, "a choice with its price"),
    ),
    InsightCategory.OPTIMIZATION: (
        (Cue.MEASURE | Cue.PERFORMANCE, 0.5, "measured performance"),
        (Cue.PERFORMANCE | Cue.TRADE_OFF, 0.4, "performance at a price"),
    ),
    InsightCategory.TOOL_USAGE: (
        (Cue.FACT | Cue.REASON, 0.6, "how a tool behaves, and why"),
        (Cue.FACT | Cue.CONDITION, 0.4, "when a tool behaves so"),
    ),
    InsightCategory.ANTI_PATTERN: (
        (Cue.WARNING | Cue.SYMPTOM, 0.5, "a warning and what happens"),
        (Cue.WARNING | Cue.REASON, 0.4, "a warning with its reason"),
    ),
    InsightCategory.BEST_PRACTICE: ((Cue.ADVICE | Cue.REASON, 0.25, "advice with its reason"),),
    InsightCategory.PATTERN: ((Cue.TECHNIQUE | Cue.REASON, 0.4, "a technique and what it is for"),),
    InsightCategory.WORKFLOW: (),
}
_EXTRACTED = 2.5
_STEPS = (
    "steps",
    "step by step",
    "how do i",
    "how do we",
    "how can i",
    "how to",
    "commands to",
    "workflow",
    "walk me through",
)


def detected(transcript: Transcript) -> tuple[Detected, ...]:
    passages = selected(transcript)
    extracted = frozenset(candidate.category for candidate in everything(transcript))
    weighed = (_weighed(topic, passages, judged_candidate=topic in extracted) for topic in InsightCategory)
    found = [one for one in weighed if one.confidence >= LEAST]
    found.sort(key=lambda one: -one.confidence)
    return tuple(found[:MOST])


def _weighed(topic: InsightCategory, passages: tuple[Passage, ...], *, judged_candidate: bool) -> Detected:
    """The more passages speak for it, the surer, and never quite sure."""
    weight, signals = 0.0, dict[str, None]()
    if judged_candidate:
        weight, signals["it was extracted"] = _EXTRACTED, None
    before = None
    for passage in passages:
        near = before.cues if before and before.message == passage.message else Cue.NONE
        for cues, counts, signal in _SIGNS[topic]:
            if passage.role != Speaker.USER and (passage.cues | near) & cues == cues and passage.cues & cues:
                weight += counts if passage.cues & cues == cues else counts / 2
                signals[signal] = None
        before = passage
        if (
            topic == InsightCategory.WORKFLOW
            and passage.role == Speaker.USER
            and any(step in passage.text.lower() for step in _STEPS)
        ):
            weight += 0.9
            signals["somebody asked for the steps"] = None
        if topic == InsightCategory.TOOL_USAGE and passage.role == Speaker.USER and passage.text.rstrip().endswith("?"):
            weight += 0.7
            signals["somebody asked how it is"] = None
    return Detected(topic, 1 - exp(-weight), tuple(signals))

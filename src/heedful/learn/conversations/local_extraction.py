"""Extraction without a language model: what a conversation teaches on a topic, the best first.

Precision comes before recall: an agent tells what it does all day, and hardly any of it is worth keeping. A sentence
belongs to one topic only, the one that it serves best, so no two candidates of a conversation say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from heedful.learn.conversations.local import (
    anti_pattern,
    best_practice,
    bug_fix,
    commands,
    decision,
    optimization,
    pattern,
    tool_usage,
    workflow,
)
from heedful.learn.conversations.local.annotation import AnnotatedTranscript, annotated
from heedful.learn.conversations.local.composing import composed
from heedful.learn.conversations.local.finding_parts import InsightFinding
from heedful.learn.conversations.quality import judged_candidate
from heedful.learnings.content import content_text
from heedful.records.insight import CONTENT_LEAST, InsightCandidate, InsightCategory
from heedful.records.transcript import Transcript

_WORD = re.compile(r"\w+")
_FINDERS = (bug_fix, decision, optimization, tool_usage, commands, workflow, anti_pattern, best_practice, pattern)
_LEAST_SCORE = 1.2
_MOST = 3  # of a conversation
_MOST_TRIED = 60
_ALIKE = 0.4  # of the words of the shorter one


def extracted(transcript: Transcript, topic: InsightCategory) -> list[InsightCandidate]:
    return [candidate for candidate in everything(transcript) if candidate.category == topic]


def distinct(candidates: Iterable[InsightCandidate], most: int = _MOST) -> list[InsightCandidate]:
    """The first of those that say the same, in order."""
    kept: list[tuple[InsightCandidate, frozenset[str]]] = []
    for candidate in candidates:
        words = _words(candidate)
        if len(kept) < most and not any(_alike(words, others) for _, others in kept):
            kept.append((candidate, words))
    return [candidate for candidate, _ in kept]


@lru_cache(maxsize=2)  # asked once for every topic of a conversation
def everything(transcript: Transcript) -> tuple[InsightCandidate, ...]:
    """On all topics, the best first; at most three."""
    sentences = annotated(transcript)
    judged: list[tuple[float, InsightCandidate]] = []
    used: set[int] = set()
    for finding in _ranked(sentences):
        orders = {sentence.order for sentence in finding.sentences}
        if len(orders & used) * 2 > len(orders) or finding.parts[0].sentences[0].order in used:
            continue
        candidate = composed(finding, sentences)
        if candidate is None or len(content_text(candidate.content)) < CONTENT_LEAST:
            continue
        judgement = judged_candidate(candidate, transcript)
        if not judgement.kept:
            continue
        used |= orders
        judged.append((judgement.confidence + 0.15 * finding.score, candidate))
    judged.sort(key=lambda pair: -pair[0])
    return tuple(distinct(candidate for _, candidate in judged))


def _ranked(transcript: AnnotatedTranscript) -> list[InsightFinding]:
    found = [finding for finder in _FINDERS for finding in finder.found(transcript) if finding.score >= _LEAST_SCORE]
    return sorted(found, key=lambda finding: -finding.score)[:_MOST_TRIED]


def _words(candidate: InsightCandidate) -> frozenset[str]:
    text = f"{candidate.title} {content_text(candidate.content)}".lower()
    return frozenset(word for word in _WORD.findall(text) if len(word) > 3)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) > _ALIKE * min(len(one), len(other))

"""How much a learning matters here and now: similarity x confidence x recency x success.

Confidence is what was believed when it was last renewed: said, confirmed or used. Recency lets it fade with a half-life
that depends on what it is about: a fact or a piece of code goes out of date sooner than a taste.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from heedful.records.correction import Category, Correction, Match
from heedful.records.insight import Insight, InsightMatch, Topic

THRESHOLD = 0.6
"""From this relevance on, a correction is applied."""

MOST = 5
"""So many corrections are applied at once."""

HALF_LIFE = {
    Category.CODE: timedelta(days=120),
    Category.FACTUAL: timedelta(days=180),
    Category.LOGIC: timedelta(days=180),
    Category.DOMAIN: timedelta(days=365),
    Category.STYLE: timedelta(days=365),
    Category.PREFERENCE: timedelta(days=365),
}

TOPIC_HALF_LIFE = {
    Topic.BUG_FIX: timedelta(days=270),
    Topic.TOOL_USAGE: timedelta(days=270),
    Topic.OPTIMIZATION: timedelta(days=365),
    Topic.DECISION: timedelta(days=365),
    Topic.WORKFLOW: timedelta(days=365),
    Topic.PATTERN: timedelta(days=540),
    Topic.BEST_PRACTICE: timedelta(days=540),
    Topic.ANTI_PATTERN: timedelta(days=540),
}

_PER_USE = 0.1
_MOST_SUCCESS = 1.5
_LEAST_STANDING = 0.5
_PER_VOICE = 0.1  # a thumb, or another conversation that taught the same
_APPROVED = 0.2
_REPUTATION = 0.4  # between a contributor whom everybody contradicts and one whom everybody confirms


def recency(correction: Correction, now: datetime) -> float:
    """1 when it was just renewed, a half after one half-life."""
    return _faded(correction.renewed_at, HALF_LIFE[correction.category], now)


def freshness(insight: Insight, now: datetime) -> float:
    """The same of an insight. What a person approved, or asked for as a rule, does not go out of date by itself."""
    if insight.approved or insight.rule:
        return 1.0
    return _faded(insight.renewed_at, TOPIC_HALF_LIFE[insight.topic], now)


def standing(insight: Insight, reputation: float) -> float:
    """What others made of it: thumbs, confirmations, approval, and the reputation of whom it was learned from."""
    voices = insight.confirmed + insight.rated_up - insight.rated_down
    trust = 1 + _PER_VOICE * voices + _APPROVED * insight.approved + _REPUTATION * (reputation - 0.5)
    return min(_MOST_SUCCESS, max(_LEAST_STANDING, trust))


def insight_match(
    insight: Insight, *, similarity: float, score: float, now: datetime, reputation: float
) -> InsightMatch:
    similarity = min(1.0, max(0.0, similarity))
    fresh, trust = freshness(insight, now), standing(insight, reputation)
    relevance = similarity * insight.confidence * fresh * trust
    return InsightMatch(insight, score, similarity, fresh, trust, relevance)


def _faded(since: datetime, half_life: timedelta, now: datetime) -> float:
    return float(0.5 ** (max(timedelta(0), now - since) / half_life))


def success(correction: Correction) -> float:
    """What was applied often has proved itself."""
    return min(_MOST_SUCCESS, 1 + _PER_USE * correction.applied)


def match(correction: Correction, *, similarity: float, score: float, now: datetime) -> Match:
    similarity = min(1.0, max(0.0, similarity))
    recent, proven = recency(correction, now), success(correction)
    return Match(
        correction=correction,
        score=score,
        similarity=similarity,
        recency=recent,
        success=proven,
        relevance=similarity * correction.confidence * recent * proven,
    )

"""How much a learning matters here and now: similarity x confidence x recency x success.

Confidence is what was believed when it was last renewed: said, confirmed or used. Recency lets it fade with a half-life
that depends on what it is about: a fact or a piece of code goes out of date sooner than a taste.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from heedful.model.correction import Category, Correction, Match

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

_PER_USE = 0.1
_MOST_SUCCESS = 1.5


def recency(correction: Correction, now: datetime) -> float:
    """1 when it was just renewed, a half after one half-life."""
    age = max(timedelta(0), now - correction.renewed_at)
    return float(0.5 ** (age / HALF_LIFE[correction.category]))


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

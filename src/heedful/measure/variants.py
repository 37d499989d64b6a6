"""Compares prompt variants: by the ratings of their learnings first, then by how much they find.

The numbers are looked at repeatedly, which gives chance many tries, so 99 % intervals decide; 95 % are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot

from heedful.records.interval import Interval, wilson
from heedful.records.variant import STANDARD, Tally, VariantComparison, VariantResult

_Z99 = 2.575829
_RATINGS = 20  # of a variant, before they decide
_CONVERSATIONS = 50  # of a variant, before its yield decides
_LESS_SURE = 0.05  # of mean confidence: who finds more but is less sure by more than this finds worse


def compared(prompt: str, tallies: Sequence[Tally]) -> VariantComparison:
    ordered = sorted(tallies, key=lambda one: (one.variant != STANDARD, one.variant))
    winner, reason = _winner(ordered)
    return VariantComparison(prompt, tuple(map(_result, ordered)), winner, reason)


def difference(one: tuple[int, int], other: tuple[int, int], z: float = _Z99) -> Interval:
    """The interval of the difference between two rates, each as successes out of a total (Newcombe)."""
    (p, of_one), (q, of_other) = ((_share(*counted), wilson(*counted, z)) for counted in (one, other))
    low = p - q - hypot(p - of_one.low, of_other.high - q)
    high = p - q + hypot(of_one.high - p, q - of_other.low)
    return Interval(max(low, -1.0), min(high, 1.0))


def _winner(tallies: Sequence[Tally]) -> tuple[str | None, str]:
    if len(tallies) < 2:
        return None, "There is only one variant, and nothing to compare it with."
    liked = _best(tallies, _approval)
    if liked is not None and _enough(tallies, _approval, _RATINGS):
        return liked.variant, f"People approve of {_in_words(liked, tallies, _approval, 'its learnings')}."
    fruitful = _best(tallies, _yield)
    if fruitful is None or not _enough(tallies, _yield, _CONVERSATIONS):
        return None, _undecided(tallies)
    if any(_worse(fruitful, other) for other in tallies):
        return None, f"{_named(fruitful)} finds more, but people approve of it less, or it is less sure of it."
    return fruitful.variant, f"It finds something in {_in_words(fruitful, tallies, _yield, 'the conversations')}."


def _best(tallies: Sequence[Tally], rate: Callable[[Tally], tuple[int, int]]) -> Tally | None:
    """The one whose rate is higher than all others, beyond chance."""
    best = max(tallies, key=lambda one: _share(*rate(one)))
    surely = all(difference(rate(best), rate(other)).low > 0 for other in tallies if other is not best)
    return best if surely else None


def _enough(tallies: Sequence[Tally], rate: Callable[[Tally], tuple[int, int]], least: int) -> bool:
    return all(rate(one)[1] >= least for one in tallies)


def _worse(one: Tally, other: Tally) -> bool:
    """Whether the data shows that one is worse than the other."""
    if difference(_approval(one), _approval(other)).high < 0:
        return True
    return (
        one.confidence is not None and other.confidence is not None and one.confidence < other.confidence - _LESS_SURE
    )


def _undecided(tallies: Sequence[Tally]) -> str:
    fewest = min(tallies, key=lambda one: one.conversations)
    if fewest.conversations < _CONVERSATIONS:
        return (
            f"Not enough data yet: {_named(fewest)} was asked about {_conversations(fewest.conversations)}, "
            f"{_CONVERSATIONS} are needed of each."
        )
    rated = min(tallies, key=lambda one: one.up + one.down)
    if rated.up + rated.down < _RATINGS:
        return (
            f"They find about as much, and there are too few ratings to tell them apart: {_named(rated)} has "
            f"{rated.up + rated.down}, {_RATINGS} are needed of each."
        )
    return "No variant is better than all others beyond chance."


def _in_words(best: Tally, others: Sequence[Tally], rate: Callable[[Tally], tuple[int, int]], of: str) -> str:
    rest = ", ".join(
        f"{_share(*rate(other)):.0%} for {_named(other)}" for other in others if other.variant != best.variant
    )
    return f"{_share(*rate(best)):.0%} of {of}, against {rest}"


def _result(tally: Tally) -> VariantResult:
    up, ratings = _approval(tally)
    return VariantResult(
        variant=tally.variant,
        conversations=tally.conversations,
        learnings=tally.learnings,
        yield_rate=_share(*_yield(tally)),
        yield_interval=wilson(*_yield(tally)),
        ratings=ratings,
        approval_rate=_share(up, ratings) if ratings else None,
        approval_interval=wilson(up, ratings),
        mean_confidence=tally.confidence,
    )


def _approval(tally: Tally) -> tuple[int, int]:
    return tally.up, tally.up + tally.down


def _yield(tally: Tally) -> tuple[int, int]:
    return tally.fruitful, tally.conversations


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _named(tally: Tally) -> str:
    return f"“{tally.variant}”"


def _conversations(count: int) -> str:
    return "one conversation" if count == 1 else f"{count} conversations"

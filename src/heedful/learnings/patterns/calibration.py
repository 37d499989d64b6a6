"""Calibration: what a stated confidence has really meant, learned from what people accepted.

Decisions arrive as tallies per bin of stated confidence, which add up in any order. The curve through them is fitted
level by level, from the widest to the narrowest: each level starts from the curve of the one before it and moves away
as far as its own decisions ask for. In log-odds, how far it has moved is a Gaussian process whose neighbouring bins
move together, so a handful of decisions shifts the whole curve a little, hundreds tilt it, and thousands may give it
any shape that does not fall.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, log, sqrt
from operator import add, le, mul, sub
from typing import NamedTuple

from heedful.errors import InvalidInput
from heedful.records.calibration import Calibration, Knot, Reliability, Scores, check_confidence
from heedful.records.interval import Z95, wilson

BINS = 20
_ROWS = 10  # of the reliability table and of the calibration error


class Bin(NamedTuple):
    """The decisions about suggestions of nearly the same stated confidence."""

    count: int  # type: ignore[assignment]  # tuples have a method of that name, which is not used here
    accepted: int
    stated: float
    stated_squared: float
    stated_accepted: float


Bins = Mapping[int, Bin]


def bin_of(confidence: float) -> int:
    check_confidence(confidence)
    return min(int(confidence * BINS + 1e-9), BINS - 1)  # 0.29 * 100 is 28.999999999999996


def tally(decisions: Iterable[tuple[float, bool]]) -> dict[int, Bin]:
    """Bins stated confidences and whether they were accepted."""
    return merge(
        {bin_of(stated): Bin(1, int(accepted), stated, stated * stated, stated if accepted else 0.0)}
        for stated, accepted in decisions
    )


def merge(several: Iterable[Bins]) -> dict[int, Bin]:
    merged: dict[int, Bin] = {}
    for bins in several:
        for number, bin in bins.items():
            merged[number] = _add(merged[number], bin) if number in merged else bin
    return merged


def fit(levels: Sequence[Bins]) -> Calibration:
    """The curve of the narrowest level, shrunk towards the wider ones; without decisions, the prior."""
    places = _places(levels)
    curve = _Curve(_USUAL_LOGITS, [_USUAL_VARIANCE] * BINS)
    counts, accepted = [0] * BINS, [0] * BINS
    for depth, bins in enumerate(levels):
        if depth:
            curve = _Curve(_rising_logits(curve, counts), [known + _NARROWER_VARIANCE for known in curve.variances])
        counts, accepted = _columns(bins)
        curve = _learn(curve, _stiffness(places, curve.variances), counts, accepted)
    return Calibration(sum(counts), _knots(places, curve, counts))


def scores(folds: Sequence[Bins], wider: Sequence[Sequence[Bins]] = ()) -> Scores | None:
    """Scores each fold by a fit on the others. `wider` has the folds of the wider levels, widest first."""
    levels = [*wider, folds]
    if any(len(level) != len(folds) for level in levels):
        raise InvalidInput(
            f"The levels have different numbers of folds: {', '.join(str(len(level)) for level in levels)}.",
            hint="Use the same folds of people for every level; pass an empty fold where there are no decisions.",
        )
    calibrated: list[_Point] = []
    raw: list[_Point] = []
    for held_out, bins in enumerate(folds):
        if not bins:
            continue
        calibration = fit([merge(fold for number, fold in enumerate(level) if number != held_out) for level in levels])
        for bin in filter(_counted, bins.values()):
            calibrated.append(_Point(bin.count, bin.accepted, calibration.at(_mean(bin)).value))
            raw.append(_Point(bin.count, bin.accepted, _mean(bin)))
    samples = sum(point.samples for point in raw)
    if not samples:
        return None
    return Scores(
        sample_count=samples,
        brier=sum(map(_squared_error, calibrated)) / samples,
        brier_raw=sum(_raw_squared_error(bin) for bins in folds for bin in bins.values()) / samples,
        ece=_calibration_error(calibrated),
        ece_raw=_calibration_error(raw),
    )


def reliability(bins: Bins, calibration: Calibration) -> list[Reliability]:
    """Stated, accepted and calibrated in tenths of stated confidence, without empty tenths."""
    rows: list[Reliability] = []
    for row in range(_ROWS):
        inside = [bin for number, bin in bins.items() if number * _ROWS // BINS == row and bin.count]
        count, accepted = sum(bin.count for bin in inside), sum(bin.accepted for bin in inside)
        if not count:
            continue
        interval = wilson(accepted, count)
        rows.append(
            Reliability(
                low=row / _ROWS,
                high=(row + 1) / _ROWS,
                count=count,
                stated=sum(bin.stated for bin in inside) / count,
                accepted=accepted / count,
                accepted_low=interval.low,
                accepted_high=interval.high,
                calibrated=sum(calibration.at(_mean(bin)).value * bin.count for bin in inside) / count,
            )
        )
    return rows


def _shares(logits: Iterable[float]) -> list[float]:
    return [1.0 / (1.0 + exp(-logit)) for logit in logits]


def _logit(share: float) -> float:
    within = min(max(share, 1e-12), 1.0 - 1e-12)
    return log(within / (1.0 - within))


# What is usual before anything is known, in log-odds: suggestions are accepted less often than stated, and a rising
# confidence means less than it says. It weighs as much as two decisions, for it is no more than a guess.
_USUAL_LEVEL, _USUAL_SLOPE = -0.3, 0.5
_MIDDLES = [(number + 0.5) / BINS for number in range(BINS)]
_USUAL_LOGITS = [
    _USUAL_LEVEL + _USUAL_SLOPE * _logit(min(max(middle, 0.05), 0.95))  # models say 0.99 rather lightly
    for middle in _MIDDLES
]
_USUAL_VARIANCE = 2.0

# How far a narrower level is from the wider one, whose curve is worth some eight decisions to it.
_NARROWER_VARIANCE = 0.5

_REACH = 1.0  # the distance of confidence over which bins move together: longer is smoother, and surer of itself

_STEADY = 0.01  # Newton's method doubles its digits with each step, so the step after this one is not worth taking
_MOST_STEPS = 50
_LONGEST_STEP = 2.0  # in log-odds; from the far side of the curve it would otherwise overshoot
_CLOSEST = 1e-4  # bins that touch would have to move as one, which cannot be divided by


class _Point(NamedTuple):
    samples: int
    accepted: int
    value: float


class _Curve(NamedTuple):
    """Log-odds at each bin, and their variances."""

    logits: list[float]
    variances: list[float]


class _Stiffness(NamedTuple):
    """The inverse covariance of a curve in which each bin knows only its neighbours: a diagonal, and links between."""

    diagonal: list[float]
    links: list[float]


def _learn(prior: _Curve, stiffness: _Stiffness, counts: list[int], accepted: list[int]) -> _Curve:
    """The most likely curve given the prior and the decisions, and its uncertainty (Laplace's approximation)."""
    logits = prior.logits
    moves = [_first_move(logits, counts, accepted)] * BINS
    for _ in range(_MOST_STEPS):
        wanted, pivots = _newton(logits, moves, stiffness, counts, accepted)
        furthest = max(map(abs, map(sub, wanted, moves)))
        if furthest > _LONGEST_STEP:
            wanted = [move + (want - move) * _LONGEST_STEP / furthest for want, move in zip(wanted, moves, strict=True)]
        moves = wanted
        if furthest < _STEADY:
            break
    return _Curve(list(map(add, logits, moves)), _variances(pivots, stiffness.links))


def _first_move(logits: list[float], counts: list[int], accepted: list[int]) -> float:
    """The offset of the whole curve, as a starting point."""
    total = sum(counts)
    if not total:
        return 0.0
    expected = sum(map(mul, counts, _shares(logits))) / total
    return _logit((sum(accepted) + 2.0 * expected) / (total + 2.0)) - _logit(expected)


def _newton(
    logits: list[float], moves: list[float], stiffness: _Stiffness, counts: list[int], accepted: list[int]
) -> tuple[list[float], list[float]]:
    """The next point of Newton's method after `moves`, and the pivots of the tridiagonal system it solved for that."""
    pivots: list[float] = []
    sums: list[float] = []
    pivot, right = 1.0, 0.0
    for logit, move, diagonal, link, count, taken in zip(
        logits, moves, stiffness.diagonal, stiffness.links, counts, accepted, strict=True
    ):
        carried = link / pivot
        pivot, right = diagonal - carried * link, carried * right
        if count:
            expected = count / (1.0 + exp(-logit - move))
            weight = expected - expected * expected / count
            pivot += weight
            right += weight * move + taken - expected
        pivots.append(pivot)
        sums.append(right)
    wanted: list[float] = []
    move = link = 0.0
    for pivot, right, next_link in zip(reversed(pivots), reversed(sums), reversed(stiffness.links), strict=True):
        move = (right + link * move) / pivot
        link = next_link
        wanted.append(move)
    wanted.reverse()
    return wanted, pivots


def _variances(pivots: list[float], links: list[float]) -> list[float]:
    """The diagonal of the inverse of the system."""
    variances: list[float] = []
    variance = link = 0.0
    for pivot, next_link in zip(reversed(pivots), reversed(links), strict=True):
        carried = link / pivot
        variance = 1.0 / pivot + carried * carried * variance
        link = next_link
        variances.append(variance)
    variances.reverse()
    return variances


def _stiffness(places: list[float], variances: list[float]) -> _Stiffness:
    """The correlation of bins decreases with their distance over the reach."""
    diagonal = [1.0 / variance for variance in variances]
    links = [0.0]
    for right in range(1, BINS):
        left = right - 1
        correlation = exp(-max(places[right] - places[left], _CLOSEST) / _REACH)
        free = 1.0 - correlation * correlation
        shared = correlation * correlation / free
        diagonal[left] += shared / variances[left]
        diagonal[right] += shared / variances[right]
        links.append(correlation / (free * sqrt(variances[left] * variances[right])))
    return _Stiffness(diagonal, links)


def _knots(places: list[float], curve: _Curve, counts: list[int]) -> tuple[Knot, ...]:
    """The curve in shares. Its bounds rise by the same weights as its values, which keeps them below and above."""
    reaches = [Z95 * sqrt(variance) for variance in curve.variances]
    values = _rising(_shares(curve.logits), counts)
    lows = _rising(_shares(map(sub, curve.logits, reaches)), counts)
    highs = _rising(_shares(map(add, curve.logits, reaches)), counts)
    return tuple(
        Knot(place, value, min(low, value), max(high, value))  # rounding may have put them a hair beyond
        for place, value, low, high in zip(places, values, lows, highs, strict=True)
    )


def _rising_logits(curve: _Curve, counts: list[int]) -> list[float]:
    """The curve, made monotonic if it falls anywhere."""
    if all(map(le, curve.logits, curve.logits[1:])):
        return curve.logits
    return list(map(_logit, _rising(_shares(curve.logits), counts)))


def _rising(values: list[float], counts: list[int]) -> list[float]:
    """The closest monotonic values: falling neighbours are pooled, weighted by their decisions."""
    if all(map(le, values, values[1:])):
        return values
    pools: list[tuple[float, int, int]] = []
    for value, count in zip(values, counts, strict=True):
        mean, weight, size = value, count + 1, 1
        while pools and pools[-1][0] > mean:
            before, heavy, many = pools.pop()
            mean = (before * heavy + mean * weight) / (heavy + weight)
            weight, size = weight + heavy, size + many
        pools.append((mean, weight, size))
    return [mean for mean, _, size in pools for _ in range(size)]


def _places(levels: Sequence[Bins]) -> list[float]:
    """The position of each bin: the mean stated confidence at the widest level that has any, else the middle."""
    places = list(_MIDDLES)
    for bins in reversed(levels):
        for number, bin in bins.items():
            if bin.count:
                places[number] = min(max(bin.stated / bin.count, number / BINS), (number + 1) / BINS)
    return places


def _columns(bins: Bins) -> tuple[list[int], list[int]]:
    counts, accepted = [0] * BINS, [0] * BINS
    for number, bin in bins.items():
        counts[number], accepted[number] = bin.count, bin.accepted
    return counts, accepted


def _calibration_error(points: Sequence[_Point]) -> float:
    """The expected calibration error: the distance between prediction and outcome, in ten bins of predictions."""
    gaps, total = [0.0] * _ROWS, 0
    for point in points:
        gaps[min(int(point.value * _ROWS + 1e-9), _ROWS - 1)] += point.samples * point.value - point.accepted
        total += point.samples
    return sum(map(abs, gaps)) / total


def _squared_error(point: _Point) -> float:
    return point.samples * point.value * point.value - 2.0 * point.value * point.accepted + point.accepted


def _raw_squared_error(bin: Bin) -> float:
    return bin.stated_squared - 2.0 * bin.stated_accepted + bin.accepted


def _counted(bin: Bin) -> bool:
    return bin.count > 0


def _mean(bin: Bin) -> float:
    return min(max(bin.stated / bin.count, 0.0), 1.0)  # sums of fractions may be a hair beyond


def _add(one: Bin, other: Bin) -> Bin:
    return Bin(*map(add, one, other))

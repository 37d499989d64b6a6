"""Whether lift can be believed: simulations with a known truth, looked at after every single outcome.

Each learning gets 5,000 units with an outcome, one in ten withheld. A false alarm is any verdict, at any look, where
the truth is no effect; or the wrong verdict where there is one. Beside it: an exact construction for bounded outcomes,
and an ordinary interval of 95%, which is made for one look.
"""

from __future__ import annotations

import sys

sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]  # it holds a http.py

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from heedful.learnings import lifts
from heedful.learnings.exposures import WHOLE, Exposure, ExposureCounts
from heedful.learnings.lifts import LEAST
from heedful.records.interval import Z95

Numbers = NDArray[np.float64]
Look = tuple[Numbers, Numbers]
"""After each unit: the low and the high end of the interval."""

UNITS = 5_000
HELD_OUT = 0.1
AT_ONCE = 100  # learnings, so that it stays within the memory of a small machine
NEVER = 10**9
EFFECTS = (0.0, 0.05, -0.05, 0.1, -0.1, 0.2, -0.2)


class Sums(NamedTuple):
    """After each unit, for many learnings: how many, their total and the total of their squares, on both sides."""

    shown: Numbers
    shown_total: Numbers
    shown_squares: Numbers
    withheld: Numbers
    withheld_total: Numbers
    withheld_squares: Numbers


class Outcomes(NamedTuple):
    """A kind of outcomes: their mean without the learning, and how they are drawn."""

    name: str
    mean: float
    draw: Callable[[np.random.Generator, Numbers], Numbers]


def success(chance: np.random.Generator, mean: Numbers) -> Numbers:
    return (chance.random(mean.shape) < mean).astype(float)


def graded(chance: np.random.Generator, mean: Numbers) -> Numbers:
    """Such as the share of words that stayed."""
    return chance.beta(4 * mean, 4 * (1 - mean))


def clustered(chance: np.random.Generator, mean: Numbers) -> Numbers:
    """Units of one to five successes or failures that are alike within a unit; the mean of each unit counts."""
    rate = chance.beta(2 * mean, 2 * (1 - mean))
    several = chance.integers(1, 6, mean.shape)
    found: Numbers = chance.binomial(several, rate) / several
    return found


KINDS = (
    Outcomes("success in 10%", 0.1, success),
    Outcomes("success in 50%", 0.5, success),
    Outcomes("success in 90%", 0.9, success),
    Outcomes("graded, 0.6 on average", 0.6, graded),
    Outcomes("several per unit, 0.6", 0.6, clustered),
)


def drawn(chance: np.random.Generator, kind: Outcomes, effect: float, learnings: int) -> Sums:
    away = chance.random((learnings, UNITS)) < HELD_OUT
    values = kind.draw(chance, np.where(away, kind.mean, kind.mean + effect))
    squares = values * values
    withheld = np.cumsum(away, axis=1, dtype=float)
    total, square = np.cumsum(values * away, axis=1), np.cumsum(squares * away, axis=1)
    shown = np.arange(1.0, UNITS + 1) - withheld
    return Sums(shown, np.cumsum(values, 1) - total, np.cumsum(squares, 1) - square, withheld, total, square)


# Ways to look


def sequence(sums: Sums) -> Look:
    """What heedful does (`learnings/lifts.py`), for many at once; `agrees` compares the two."""
    means, noise = _smoothed(sums)
    grown = np.arange(1.0, UNITS + 1) * lifts._MIXTURE
    reach = np.sqrt(noise) * np.sqrt(2 * (1 + 1 / grown) * np.log(np.sqrt(grown + 1) / lifts.ERROR))
    lift = _raw(sums)
    return _decided(sums, np.minimum(lift, means - reach), np.maximum(lift, means + reach))


def ordinary(sums: Sums) -> Look:
    """The interval for one look, with the same smoothing and the same least number."""
    means, noise = _smoothed(sums)
    return _decided(sums, means - Z95 * np.sqrt(noise), means + Z95 * np.sqrt(noise))


def exact(sums: Sums) -> Look:
    """A mixture over both rates of Bernoulli likelihoods, divided by the largest likelihood of a common rate. It is
    above 20 at any time with a chance of 5% at most, for all outcomes between 0 and 1. Only whether it contains 0."""
    shown, shown_total, _, withheld, withheld_total, _ = sums
    mixed = _log_beta(shown_total, shown - shown_total) + _log_beta(withheld_total, withheld - withheld_total)
    units, total = shown + withheld, shown_total + withheld_total
    common = _times_log(total, total / units) + _times_log(units - total, (units - total) / units)
    certain = mixed - common > np.log(1 / lifts.ERROR)
    lift = _raw(sums)
    return np.where(certain & (lift > 0), 1.0, -1.0), np.where(certain & (lift < 0), -1.0, 1.0)


WAYS: dict[str, Callable[[Sums], Look]] = {"heedful": sequence, "exact": exact, "one look": ordinary}


def _smoothed(sums: Sums) -> tuple[Numbers, Numbers]:
    shown, withheld = _side(*sums[:3]), _side(*sums[3:])
    noise = shown[1] / np.maximum(sums.shown, 1) + withheld[1] / np.maximum(sums.withheld, 1)
    return shown[0] - withheld[0], noise


def _side(units: Numbers, total: Numbers, squares: Numbers) -> tuple[Numbers, Numbers]:
    mean = (total + 1) / (units + 2)
    return mean, (squares + 1) / (units + 2) - mean * mean


def _raw(sums: Sums) -> Numbers:
    return sums.shown_total / np.maximum(sums.shown, 1) - sums.withheld_total / np.maximum(sums.withheld, 1)


def _decided(sums: Sums, low: Numbers, high: Numbers) -> Look:
    enough = np.minimum(sums.shown, sums.withheld) >= LEAST
    return np.where(enough, low, -1.0), np.where(enough, high, 1.0)


def _log_beta(successes: Numbers, failures: Numbers) -> Numbers:
    """The logarithm of B(successes + 1, failures + 1)."""
    return _log_gamma(successes + 1) + _log_gamma(failures + 1) - _log_gamma(successes + failures + 2)


def _log_gamma(x: Numbers) -> Numbers:
    """Stirling's series, from 1 on, four steps further where it is accurate to ten digits."""
    z = x + 4
    series = (z - 0.5) * np.log(z) - z + 0.5 * np.log(2 * np.pi) + 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5)
    found: Numbers = series - np.log(x * (x + 1) * (x + 2) * (x + 3))
    return found


def _times_log(x: Numbers, y: Numbers) -> Numbers:
    return np.where(x > 1e-9, x * np.log(np.maximum(y, 1e-300)), 0.0)


# Results


class Verdicts(NamedTuple):
    """For each learning, after how many units it was found to help and to harm."""

    helps: NDArray[Any]
    harms: NDArray[Any]

    @property
    def first(self) -> NDArray[Any]:
        found: NDArray[Any] = np.minimum(self.helps, self.harms)
        return found

    def found(self, effect: float) -> float:
        right, wrong = (self.helps, self.harms) if effect > 0 else (self.harms, self.helps)
        return float(np.mean(right < wrong))

    def alarms(self, effect: float) -> float:
        return (
            float(np.mean(self.first < NEVER))
            if effect == 0
            else float(np.mean(self.first < NEVER)) - self.found(effect)
        )

    def median(self) -> str:
        middle = float(np.median(self.first))
        return f"{middle:,.0f}" if middle < NEVER else "more"


def simulated(chance: np.random.Generator, kind: Outcomes, effect: float, learnings: int) -> dict[str, Verdicts]:
    found: dict[str, list[Verdicts]] = {name: [] for name in WAYS}
    at_once = min(AT_ONCE, learnings)
    for _ in range(learnings // at_once):
        sums = drawn(chance, kind, effect, at_once)
        agrees(sums)
        for name, way in WAYS.items():
            low, high = way(sums)
            found[name].append(Verdicts(_first(low > 0), _first(high < 0)))
    return {name: Verdicts(*map(np.concatenate, zip(*some, strict=True))) for name, some in found.items()}


def _first(true: NDArray[np.bool_]) -> NDArray[Any]:
    return np.where(true.any(axis=1), true.argmax(axis=1) + 1, NEVER)


def agrees(sums: Sums) -> None:
    """What is simulated is what heedful computes, from whole numbers."""
    low, high = sequence(sums)
    for place in (300, UNITS - 1):
        shown, shown_total, shown_squares, *other = (float(column[0, place]) for column in sums)
        sides = [(shown, shown_total, shown_squares), tuple(other)]
        counts = [
            ExposureCounts(int(units), round(total * WHOLE), round(squares * WHOLE**2))
            for units, total, squares in sides
        ]
        effect = lifts.effect(Exposure(*counts))
        assert effect.low is not None
        assert effect.high is not None
        if min(counts[0].units, counts[1].units) >= LEAST:
            assert abs(effect.low - low[0, place]) < 1e-3
            assert abs(effect.high - high[0, place]) < 1e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learnings", type=int, default=1_000, help="simulated without an effect; a quarter with one")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.learnings < 1:
        parser.error("--learnings must be at least 1")
    console, begun = Console(width=110), time.perf_counter()
    table = Table(title=f"{UNITS:,} units, {HELD_OUT:.0%} withheld, looked at after each one")
    table.add_column("outcomes", no_wrap=True)
    for heading in ("effect", "false", "found", "units", "exact:\nfalse", "found", "units", "one look:\nfalse"):
        table.add_column(heading, justify="right")
    chance = np.random.default_rng(chosen.seed)
    for kind in KINDS:
        for effect in EFFECTS:
            if 0 <= kind.mean + effect <= 1:
                learnings = chosen.learnings if effect == 0 else max(1, chosen.learnings // 4)
                table.add_row(*cells(kind, effect, simulated(chance, kind, effect, learnings)))
        table.add_section()
    console.print(table)
    console.print("false: a wrong verdict at any look. found: the right one. units: the median until the verdict.")
    console.print(f"{time.perf_counter() - begun:.0f} s")


def cells(kind: Outcomes, effect: float, results: dict[str, Verdicts]) -> Iterator[str]:
    yield kind.name if effect == 0 else ""
    yield f"{effect * 100:+.0f}" if effect else "none"
    for name, one in results.items():
        yield f"{one.alarms(effect):.1%}"
        if name != "one look":
            yield from ("", "") if effect == 0 else (f"{one.found(effect):.0%}", one.median())


if __name__ == "__main__":
    main()

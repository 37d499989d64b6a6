"""What is concluded from outcomes with and without a learning."""

from __future__ import annotations

import random

import pytest

from heedful.learnings.exposures import WHOLE, Exposure, ExposureCounts
from heedful.learnings.lifts import LEAST, LEAST_BENEFIT, MOST_BENEFIT, benefit, effect


def side(units: int, mean: float) -> ExposureCounts:
    """Successes and failures."""
    successes = round(units * mean)
    return ExposureCounts(units, successes * WHOLE, successes * WHOLE**2)


def exposure(shown: tuple[int, float], withheld: tuple[int, float]) -> Exposure:
    return Exposure(side(*shown), side(*withheld))


def test_without_outcomes_on_both_sides_nothing_is_measured() -> None:
    for one in (Exposure(), exposure((500, 0.9), (0, 0.0)), exposure((0, 0.0), (500, 0.9))):
        assert effect(one) == (None, None, None, "not measured", None)
        assert benefit(one) == 1.0


def test_a_clear_difference_is_a_verdict_in_either_direction() -> None:
    better, worse = effect(exposure((900, 0.8), (100, 0.5))), effect(exposure((900, 0.5), (100, 0.8)))
    assert (better.verdict, worse.verdict) == ("helps", "harms")
    assert better.lift == pytest.approx(0.3)
    assert better.low is not None
    assert worse.high is not None
    assert better.low > 0 > worse.high
    assert better.needed is worse.needed is None


def test_a_few_units_decide_nothing_however_different_they_are() -> None:
    few = effect(exposure((LEAST - 1, 1.0), (500, 0.0)))
    assert few.lift == 1.0
    assert few.verdict == "no effect yet"
    assert few.needed is not None
    assert effect(exposure((LEAST, 1.0), (500, 0.0))).verdict == "helps"


def test_the_interval_holds_the_lift_and_narrows() -> None:
    widths = []
    for units in (100, 1_000, 10_000):
        found = effect(exposure((9 * units, 0.95), (units, 0.95)))
        assert found.lift is not None
        assert found.low is not None
        assert found.high is not None
        assert -1 <= found.low <= found.lift <= found.high <= 1
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)


def test_so_many_more_outcomes_would_show_ten_points() -> None:
    """With as many more in the same share, an interval of that width excludes zero."""
    found = effect(exposure((270, 0.5), (30, 0.5)))
    assert found.needed is not None
    units = 300 + found.needed
    assert 1_500 < units < 4_000
    assert effect(exposure((round(0.9 * units), 0.615), (round(0.1 * units), 0.5))).verdict == "helps"
    assert effect(exposure((round(0.9 * units), 0.585), (round(0.1 * units), 0.5))).verdict == "no effect yet"
    assert effect(exposure((9_000, 0.5), (1_000, 0.5))).needed == 0  # ten points would have been seen


def test_half_withheld_needs_fewer_outcomes() -> None:
    tenth, half = effect(exposure((360, 0.5), (40, 0.5))), effect(exposure((200, 0.5), (200, 0.5)))
    assert tenth.needed is not None
    assert half.needed is not None
    assert half.needed < tenth.needed / 2


def test_an_uncertain_lift_changes_the_rank_little_and_a_certain_one_within_bounds() -> None:
    doubtful, certain = benefit(exposure((9, 1.0), (1, 0.0))), benefit(exposure((9_000, 0.7), (1_000, 0.5)))
    assert 1 < doubtful < 1.05
    assert certain == pytest.approx(1.2, abs=0.02)
    assert benefit(exposure((9_000, 1.0), (1_000, 0.0))) == MOST_BENEFIT
    assert benefit(exposure((9_000, 0.0), (1_000, 1.0))) == LEAST_BENEFIT


def test_looking_after_every_outcome_seldom_finds_what_is_not_there() -> None:
    """A small one of the simulations in `benchmarks/lift.py`; the seed is fixed, so this does not depend on luck."""
    chance, alarms, learnings = random.Random(7), 0, 40
    for _ in range(learnings):
        counts = [[0, 0], [0, 0]]
        for _ in range(500):
            arm = chance.random() < 0.1
            counts[arm][0] += 1
            counts[arm][1] += chance.random() < 0.9
            sides = (ExposureCounts(units, good * WHOLE, good * WHOLE**2) for units, good in counts)
            if min(counts[0][0], counts[1][0]) >= LEAST and effect(Exposure(*sides)).verdict != "no effect yet":
                alarms += 1
                break
    assert alarms <= 0.05 * learnings

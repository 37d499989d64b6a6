"""Calibration: stated confidences become what they have meant, as surely as the decisions allow."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import InvalidInput
from heedful.learnings.patterns.calibration import (
    BINS,
    Bin,
    bin_of,
    fit,
    merge,
    reliability,
    scores,
    tally,
)
from heedful.records.calibration import Calibration, Estimate, Knot
from tests.examples import examples

Truth = Callable[[float], float]
_PLACES = [0.02, 0.1, 0.25, 0.4, 0.5, 0.55, 0.7, 0.8, 0.9, 0.98]

_decisions = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60)


def _decided(count: int, truth: Truth, seed: int = 1) -> dict[int, Bin]:
    chance = Random(seed)
    stated = [chance.random() for _ in range(count)]
    return tally((confidence, chance.random() < truth(confidence)) for confidence in stated)


def _values(calibration: Calibration) -> list[float]:
    return [calibration.at(place).value for place in _PLACES]


def _modest(confidence: float) -> float:
    return 0.6 * confidence


def _never(_: float) -> float:
    return 0.0


def _always(_: float) -> float:
    return 1.0


def test_without_decisions_it_is_a_modest_guess_with_a_wide_interval() -> None:
    for nothing in (fit([]), fit([{}]), fit([{}, {}])):
        guess = nothing.at(0.5)

        assert nothing.sample_count == 0
        assert 0.4 <= guess.value <= 0.5
        assert guess.margin > 0.35
        assert nothing.at(0.9).value < 0.9


@pytest.mark.parametrize(
    "truth",
    [
        pytest.param(lambda c: c, id="calibrated"),
        pytest.param(lambda c: 0.6 * c * c, id="over-confident"),
        pytest.param(lambda _: 0.3, id="flat"),
        pytest.param(lambda c: 1 / (1 + 2.718 ** (-14 * (c - 0.6))), id="S-curve"),
        pytest.param(lambda c: 0.1 if c < 0.6 else 0.85, id="step"),
    ],
)
def test_many_decisions_find_the_truth_whatever_its_shape(truth: Truth) -> None:
    found = fit([_decided(30_000, truth)])

    assert _values(found) == pytest.approx([truth(place) for place in _PLACES], abs=0.04)


def test_confidence_that_misleads_becomes_the_base_rate() -> None:
    bins = _decided(2_000, lambda confidence: 0.8 - 0.6 * confidence)
    rate = sum(bin.accepted for bin in bins.values()) / 2_000

    assert _values(fit([bins])) == pytest.approx([rate] * len(_PLACES), abs=0.02)


def test_a_rule_with_few_decisions_is_like_its_organisation() -> None:
    organisation = _decided(2_000, _modest)
    wide = fit([organisation])

    narrow = fit([organisation, _decided(2, _always)])

    assert narrow.sample_count == 2
    assert _values(narrow) == pytest.approx(_values(wide), abs=0.15)
    assert narrow.at(0.5).margin > wide.at(0.5).margin


def test_a_rule_without_decisions_is_its_organisation_but_less_sure() -> None:
    organisation = _decided(2_000, _modest)
    wide, narrow = fit([organisation]), fit([organisation, {}])

    assert _values(narrow) == pytest.approx(_values(wide))
    assert narrow.at(0.5).margin > 2 * wide.at(0.5).margin


def test_a_rule_that_is_always_rejected_ends_near_nought() -> None:
    rejected = fit([_decided(2_000, _modest), _decided(300, _never)])

    assert max(_values(rejected)) < 0.1
    assert rejected.at(0.5).high < 0.1


def test_a_rule_that_is_always_accepted_ends_near_one() -> None:
    organisation = _decided(2_000, lambda confidence: 0.2 + 0.5 * confidence)

    assert min(_values(fit([organisation, _decided(300, _always)]))) > 0.9


def test_a_rule_with_many_decisions_of_its_own_leaves_its_organisation_behind() -> None:
    found = fit([_decided(20_000, _modest), _decided(20_000, lambda confidence: 0.5 + 0.4 * confidence)])

    assert _values(found) == pytest.approx([0.5 + 0.4 * place for place in _PLACES], abs=0.05)


@given(wide=_decisions, narrow=_decisions)
@examples(60)
def test_the_curve_never_falls_and_its_interval_surrounds_it(
    wide: list[tuple[float, bool]], narrow: list[tuple[float, bool]]
) -> None:
    found = fit([tally(wide), tally(narrow)])

    estimates = [found.at(step / 101) for step in range(102)]
    assert all(0.0 <= one.low <= one.value <= one.high <= 1.0 for one in estimates)
    for before, after in pairwise(estimates):
        assert before.value <= after.value + 1e-12
        assert before.low <= after.low + 1e-12
        assert before.high <= after.high + 1e-12


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
@examples(40)
def test_decisions_that_come_suddenly_in_millions_do_not_break_it(decisions: list[tuple[float, bool]]) -> None:
    many = tally(decisions)
    for _ in range(23):
        many = merge([many, many])

    found = fit([tally(decisions), many])

    assert all(0.0 <= knot.low <= knot.value <= knot.high <= 1.0 for knot in found.knots)


@pytest.mark.parametrize("truth", [_modest, lambda _: 0.5, lambda confidence: confidence])
def test_more_decisions_make_the_interval_narrower(truth: Truth) -> None:
    margins = [fit([_decided(count, truth)]).at(0.5).margin for count in (0, 20, 200, 2_000, 20_000)]

    assert margins == sorted(margins, reverse=True)
    assert margins[-1] < 0.05


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = [
        estimate.low <= _modest(place) <= estimate.high
        for seed in range(60)
        for calibration in [fit([_decided(400, _modest, seed)])]
        for place in _PLACES
        for estimate in [calibration.at(place)]
    ]

    assert 0.9 < sum(covered) / len(covered) < 0.995


def test_a_confidence_that_is_always_the_same_is_known_there_and_less_elsewhere() -> None:
    found = fit([tally([(0.9, True)] * 300 + [(0.9, False)] * 700)])

    assert found.at(0.9).value == pytest.approx(0.3, abs=0.02)
    assert found.at(0.2).margin / found.at(0.2).value > found.at(0.9).margin / found.at(0.9).value


def test_beyond_the_outer_knots_the_curve_is_level() -> None:
    curve = Calibration(7, (Knot(0.2, 0.1, 0.0, 0.3), Knot(0.6, 0.5, 0.4, 0.7)))

    assert curve.at(0.0) == curve.at(0.2) == Estimate(0.1, 0.0, 0.3)
    assert curve.at(1.0) == curve.at(0.6) == Estimate(0.5, 0.4, 0.7)
    assert curve.at(0.4).value == pytest.approx(0.3)


def test_it_can_be_made_again_from_json() -> None:
    found = fit([_decided(100, _modest)])

    plain = json.loads(json.dumps(asdict(found)))

    assert Calibration(plain["sample_count"], tuple(Knot(**knot) for knot in plain["knots"])) == found


@pytest.mark.parametrize("confidence", [float("nan"), -0.01, 1.01, float("inf")])
def test_what_is_no_confidence_is_refused(confidence: float) -> None:
    for refuse in (bin_of, fit([]).at):
        with pytest.raises(InvalidInput, match="confidence is") as refused:
            refuse(confidence)
        assert refused.value.hint


def test_an_estimate_reads_as_people_write_it() -> None:
    estimate = Estimate(0.61, 0.54, 0.68)

    assert str(estimate) == "0.61 ± 0.07"
    assert float(estimate) == 0.61
    assert estimate.margin == pytest.approx(0.07)


def test_bins_are_closed_below_and_the_last_one_above_too() -> None:
    assert [bin_of(number / BINS) for number in range(BINS + 1)] == [*range(BINS), BINS - 1]
    assert bin_of(0.5 - 1e-6) == BINS // 2 - 1


def test_bins_divide_into_the_ten_rows_of_the_table() -> None:
    assert BINS % 10 == 0


@given(one=_decisions, other=_decisions)
def test_merging_tallies_is_tallying_all(one: list[tuple[float, bool]], other: list[tuple[float, bool]]) -> None:
    merged, together = merge([tally(one), tally(other)]), tally(one + other)

    assert merged.keys() == together.keys()
    assert all(merged[number] == pytest.approx(together[number]) for number in merged)


def test_scores_are_of_people_the_fit_has_not_seen() -> None:
    """Two people who always differ: a fit that had seen whom it is scored on would do better than chance."""
    folds = [tally([(0.5, True)] * 50), tally([(0.5, False)] * 50)]

    scored = scores(folds)

    assert scored is not None
    assert scored.brier > 0.9
    assert scored.brier_raw == pytest.approx(0.25)


def test_calibration_scores_better_than_confidence_that_boasts() -> None:
    scored = scores([_decided(300, _modest, seed) for seed in range(4)])

    assert scored is not None
    assert scored.sample_count == 1_200
    assert scored.brier < scored.brier_raw - 0.03
    assert scored.ece < 0.06 < scored.ece_raw
    assert scored.ece_raw == pytest.approx(0.2, abs=0.04)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
@examples(30)
def test_the_raw_brier_score_is_exact(decisions: list[tuple[float, bool]]) -> None:
    scored = scores([tally(decisions[::2]), tally(decisions[1::2])])

    assert scored is not None
    exact = sum((stated - accepted) ** 2 for stated, accepted in decisions) / len(decisions)
    assert scored.brier_raw == pytest.approx(exact, abs=1e-9)


def test_a_rule_is_scored_with_its_organisation_behind_it() -> None:
    organisation = [_decided(500, lambda _: 0.05, seed) for seed in range(3)]
    rule = [tally([(0.5, False), (0.7, False)]) for _ in range(3)]

    alone, backed = scores(rule), scores(rule, wider=[organisation])

    assert alone is not None
    assert backed is not None
    assert backed.sample_count == alone.sample_count == 6
    assert backed.brier < alone.brier


def test_without_decisions_there_is_nothing_to_score() -> None:
    assert scores([]) is None
    assert scores([{}, {3: Bin(0, 0, 0.0, 0.0, 0.0)}]) is None


def test_levels_must_be_divided_among_the_same_folds() -> None:
    with pytest.raises(InvalidInput, match="1, 2"):
        scores([{}, {}], wider=[[{}]])


def test_the_reliability_table_leaves_out_what_nobody_stated() -> None:
    bins = tally([(0.31, True), (0.36, False), (0.39, False), (0.95, True), (1.0, True)])

    low, high = reliability(bins, fit([bins]))

    assert (low.low, low.high, low.count) == (0.3, 0.4, 3)
    assert low.stated == pytest.approx(0.3533, abs=1e-4)
    assert low.accepted == pytest.approx(1 / 3)
    assert low.accepted_low < low.accepted < low.accepted_high
    assert (high.low, high.high, high.count, high.accepted) == (0.9, 1.0, 2, 1.0)
    assert low.calibrated < high.calibrated

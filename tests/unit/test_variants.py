"""A variant of a prompt wins when people or numbers say so beyond chance, and not before."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.measure.variants import compared, difference
from heedful.records.interval import wilson
from heedful.records.variant import Tally


def _tally(
    variant: str, *, asked: int = 100, fruitful: int = 25, up: int = 0, down: int = 0, confidence: float | None = 0.8
) -> Tally:
    return Tally(variant, asked, fruitful, 2 * fruitful, up, down, confidence)


def test_the_numbers_of_each_come_with_their_intervals() -> None:
    standard = compared("bug_fix", [_tally("standard", asked=40, fruitful=10, up=6, down=2)]).variants[0]

    assert standard.yield_rate == 0.25
    assert standard.yield_interval == wilson(10, 40)
    assert standard.learnings == 20
    assert standard.approval_rate == 0.75
    assert standard.approval_interval == wilson(6, 8)
    assert standard.mean_confidence == 0.8


def test_a_single_variant_has_nothing_to_win_against() -> None:
    found = compared("bug_fix", [_tally("standard")])

    assert found.winner is None
    assert "only one variant" in found.reason
    assert compared("bug_fix", []).winner is None


def test_the_one_that_people_approve_of_wins_even_if_it_finds_less() -> None:
    found = compared("rules", [_tally("standard", fruitful=60, up=30, down=30), _tally("short", up=38, down=2)])

    assert found.winner == "short"
    assert found.reason == "People approve of 95% of its learnings, against 50% for “standard”."


def test_without_ratings_the_one_that_finds_more_wins() -> None:
    found = compared("rules", [_tally("short", fruitful=45), _tally("standard", fruitful=15)])

    assert found.winner == "short"
    assert found.reason == "It finds something in 45% of the conversations, against 15% for “standard”."
    assert [one.variant for one in found.variants] == ["standard", "short"]


@pytest.mark.parametrize(
    "greedy",
    [_tally("greedy", fruitful=60, confidence=0.7), _tally("greedy", fruitful=60, up=1, down=15)],
    ids=["less sure", "disliked by the few who rated"],
)
def test_finding_more_of_what_is_worse_does_not_win(greedy: Tally) -> None:
    found = compared("rules", [_tally("standard", fruitful=15, up=19), greedy])

    assert found.winner is None
    assert "finds more, but" in found.reason


def test_few_data_decide_nothing_and_say_how_many_are_missing() -> None:
    found = compared("rules", [_tally("standard", asked=80), _tally("short", asked=1, fruitful=1, up=1)])

    assert found.winner is None
    assert found.reason == "Not enough data yet: “short” was asked about one conversation, 50 are needed of each."


def test_a_small_difference_decides_nothing() -> None:
    equal = compared("rules", [_tally("standard", fruitful=20, up=5), _tally("short", fruitful=24, up=30)])
    rated = compared("rules", [_tally("standard", up=20, down=10), _tally("short", up=24, down=6)])

    assert equal.winner is rated.winner is None
    assert "too few ratings to tell them apart: “standard” has 5, 20 are needed" in equal.reason
    assert rated.reason == "No variant is better than all others beyond chance."


def test_the_best_of_three_must_be_better_than_both() -> None:
    third = _tally("long", fruitful=42)

    assert compared("rules", [_tally("standard", fruitful=15), _tally("short", fruitful=45), third]).winner is None
    assert compared("rules", [_tally("standard", fruitful=15), _tally("short", fruitful=75), third]).winner == "short"


def test_chance_hardly_ever_makes_a_winner_of_equals() -> None:
    random_ = random.Random(4)

    def drawn(variant: str) -> Tally:
        return _tally(variant, fruitful=sum(random_.random() < 0.3 for _ in range(100)))

    assert sum(compared("rules", [drawn("standard"), drawn("short")]).winner is not None for _ in range(500)) <= 10


COUNTS = st.integers(0, 10**6)


@given(one=st.tuples(COUNTS, COUNTS), other=st.tuples(COUNTS, COUNTS))
def test_a_difference_is_the_same_from_either_side(one: tuple[int, int], other: tuple[int, int]) -> None:
    (a, b), (c, d) = one, other

    there, back = difference((a, a + b), (c, c + d)), difference((c, c + d), (a, a + b))

    assert there.low <= there.high
    assert there.low == pytest.approx(-back.high)
    assert there.low >= -1
    assert there.high <= 1

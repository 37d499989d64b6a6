"""A counted rate comes with an interval that says how sure it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.records.interval import Interval, wilson


def test_without_samples_everything_is_possible() -> None:
    assert wilson(0, 0) == Interval(0.0, 1.0)


def test_it_is_the_textbook_interval() -> None:
    interval = wilson(8, 10)

    assert interval.low == pytest.approx(0.4902, abs=1e-4)
    assert interval.high == pytest.approx(0.9433, abs=1e-4)


def test_nothing_out_of_ten_may_still_be_a_quarter() -> None:
    interval = wilson(0, 10)

    assert interval.low == 0.0
    assert interval.high == pytest.approx(0.2775, abs=1e-4)


@given(total=st.floats(1e-6, 1e9), share=st.floats(0, 1))
def test_it_surrounds_the_rate_and_stays_within_nought_and_one(total: float, share: float) -> None:
    successes = share * total

    interval = wilson(successes, total)

    assert 0.0 <= interval.low <= successes / total <= interval.high <= 1.0


@given(total=st.floats(0.5, 1e6), share=st.floats(0, 1), times=st.floats(1.5, 100))
def test_more_samples_of_the_same_rate_make_it_narrower(total: float, share: float, times: float) -> None:
    few, many = wilson(share * total, total), wilson(share * total * times, total * times)

    assert many.high - many.low < few.high - few.low


def test_a_sum_of_fractions_that_is_a_hair_beyond_its_total_is_all_of_it() -> None:
    assert wilson(1.0000000002, 1.0).high == 1.0

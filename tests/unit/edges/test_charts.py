"""Charts: sensible axes, and shapes that stay on the plot."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest

from heedful.edges.spreadsheet import spreadsheet
from heedful.edges.web.charts import Point, axis, bar_chart, line_chart, ranked_chart, time_slots, unit

_FIRST = date(2026, 1, 5)


def _slots(days: int) -> list[tuple[date, date]]:
    return [(slot.first, slot.last) for slot in time_slots(_FIRST, _FIRST + timedelta(days=days - 1))]


@pytest.mark.parametrize(
    ("least", "most", "ticks"),
    [
        (0, 0, [0, 1]),
        (0, 3, [0, 1, 2, 3]),
        (0, 7, [0, 2, 4, 6, 8]),
        (0, 24, [0, 5, 10, 15, 20, 25]),
        (0, 1234, [0, 500, 1000, 1500]),
        (76, 100, [75, 80, 85, 90, 95, 100]),
        (100, 100, [100, 101]),
    ],
)
def test_an_axis_has_round_steps_around_all_values(least: float, most: float, ticks: list[float]) -> None:
    assert list(axis(least, most).values) == ticks


@pytest.mark.parametrize(("days", "parts"), [(1, "day"), (92, "day"), (93, "week"), (731, "week"), (3_660, "month")])
def test_a_period_is_cut_without_gaps(days: int, parts: str) -> None:
    slots = _slots(days)
    assert unit(_FIRST, slots[-1][1]) == parts
    assert (slots[0][0], slots[-1][1]) == (_FIRST, _FIRST + timedelta(days=days - 1))
    assert all(after[0] - before[1] == timedelta(days=1) for before, after in pairwise(slots))
    assert len(slots) <= 125


@pytest.mark.parametrize("days", [1, 7, 30, 90, 400, 3_660])
def test_there_are_a_few_labels_for_any_period(days: int) -> None:
    slots = time_slots(_FIRST, _FIRST + timedelta(days=days - 1))
    ticks = bar_chart(slots, [1] * len(slots), [""] * len(slots)).x_ticks
    assert 1 <= len(ticks) <= 8
    assert sum(not tick.minor for tick in ticks) <= 4
    assert all(0 <= tick.at <= 100 for tick in ticks)


def test_bars_reach_as_high_as_their_values() -> None:
    slots = time_slots(_FIRST, _FIRST + timedelta(days=2))
    assert [mark.y for mark in bar_chart(slots, [0, 5, 10], ["a", "b", "c"]).marks] == [100, 50, 0]


def test_a_line_breaks_where_there_is_no_value() -> None:
    slots = time_slots(_FIRST, _FIRST + timedelta(days=3))
    points = [Point(10, "a"), Point(20, "b"), Point(None, "c"), Point(0, "d")]
    assert line_chart(slots, points, axis(0, 20)).lines == ("12.5,50.0 37.5,0.0", "87.5,100.0")


def test_horizontal_bars_keep_their_order() -> None:
    chart = ranked_chart([("qty", 40), ("sku", 10)], lambda field, count: f"{field}: {count}")
    assert [(bar.label, bar.width, bar.text) for bar in chart.bars] == [("qty", 100, "qty: 40"), ("sku", 25, "sku: 10")]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\t=1", " =1", "＝1"])
def test_no_text_of_a_file_for_spreadsheets_is_a_formula(text: str) -> None:
    assert f"'{text}" in spreadsheet(["a"], [[text]]).decode("utf-8-sig")


def test_a_file_for_spreadsheets_keeps_numbers_days_and_letters() -> None:
    assert spreadsheet(["a", "b", "c"], [[-1.5, _FIRST, "für, x"]]).decode("utf-8-sig").split("\r\n")[1] == (
        '-1.5,2026-01-05,"für, x"'
    )

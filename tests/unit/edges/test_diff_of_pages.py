"""The difference that pages show, and times in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.edges.web.diff import DiffLine, diff
from heedful.edges.web.times import exact, relative

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
TEXTS = st.lists(st.sampled_from(["a", "b", "one two", "one three", ""]), max_size=8).map("\n".join)


def _side(lines: list[DiffLine], *kinds: str) -> list[str]:
    return [line.start + line.changed + line.end for line in lines if line.kind in kinds]


@given(TEXTS, TEXTS)
def test_a_diff_has_both_texts_in_it(before: str, after: str) -> None:
    lines = diff(before, after)
    if not lines:
        assert before.splitlines() == after.splitlines()
    elif not _side(lines, "more"):
        assert _side(lines, "same", "gone") == before.splitlines()
        assert _side(lines, "same", "come") == after.splitlines()


def test_whole_words_are_marked() -> None:
    assert diff("we utilise it", "we use it") == [
        DiffLine("gone", "we ", "utilise", " it"),
        DiffLine("come", "we ", "use", " it"),
    ]


def test_equal_lines_far_from_a_change_are_counted() -> None:
    many = [f"line {number}" for number in range(100)]
    lines = diff("\n".join(many), "\n".join([*many[:50], "changed", *many[51:]]))
    assert [line.start for line in lines if line.kind == "more"] == ["47", "46"]
    assert len(lines) == 10
    assert diff("\n".join(many), "", most=10)[-1] == DiffLine("more", "90")


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        ({"seconds": 59}, "just now"),
        ({"minutes": 1}, "1 minute ago"),
        ({"minutes": 60}, "1 hour ago"),
        ({"hours": 35}, "1 day ago"),
        ({"days": 13}, "13 days ago"),
        ({"days": 30}, "4 weeks ago"),
        ({"days": 90}, "3 months ago"),
        ({"days": 800}, "2 years ago"),
        ({"days": -3}, "in 3 days"),
    ],
)
def test_times_are_told_as_people_do(passed: dict[str, int], told: str) -> None:
    assert relative(NOW - timedelta(**passed), NOW) == told


def test_the_exact_time_is_in_utc() -> None:
    assert exact(NOW) == "2026-01-05 09:00:00 UTC"

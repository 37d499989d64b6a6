"""A person at a terminal who asks whether it is learning, and what of it helps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import heedful
from heedful.edges.cli import main
from tests.contract.test_lift import outcomes


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[heedful.Loop]:
    monkeypatch.setenv("HEEDFUL_DATABASE", str(tmp_path / "heedful.db"))
    monkeypatch.setenv("COLUMNS", "140")
    with heedful.open() as opened:
        yield opened


def said(*words: str) -> str:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_rate_of_repeats_is_one_sentence_a_plot_and_a_table(loop: heedful.Loop) -> None:
    assert "Nobody corrected anything in the last 12 weeks" in said("repeats")
    for _ in range(2):
        loop.capture.correction("clients", "guests", about="shop", actor="dana")
    loop.capture.correction("colour", "color")

    shown = said("repeats", "--by", "about")
    assert "People had to say again 1 of 3 things (33%) in the last 12 weeks." in shown
    assert "1 of 2" in next(line for line in shown.splitlines() if "shop" in line)
    assert "(nothing in particular)" in shown
    assert "██" in shown
    assert json.loads(said("repeats", "--about", "shop", "--json"))["again"] == 1
    assert "this week" in said("repeats", "--weeks", "1", "--by", "user")


def test_lift_names_what_helps_and_what_is_missing(loop: heedful.Loop) -> None:
    assert "heedful outcome" in said("lift")
    helps, early = (loop.capture.correction(f"not {word}", word).id for word in ("guests", "color"))
    outcomes(loop, early, shown=(9, 9), withheld=(1, 0))
    outcomes(loop, helps, shown=(180, 160), withheld=(40, 15))

    first, second, *hints = [line for line in said("lift").splitlines() if line.strip()][2:]
    assert "helps" in first
    assert "89% of 180, 38% of 40" in first
    assert "no effect yet" in second
    assert "ten points" in hints[0]
    (one,) = map(json.loads, said("lift", helps[-12:], "--json").splitlines())
    assert (one["learning"], one["verdict"]) == (helps, "helps")


def test_what_always_holds_is_listed_with_its_outcomes_and_how_often_it_was_followed(loop: heedful.Loop) -> None:
    always = loop.capture.correction("clients", "guests", always=True).id
    loop.govern.learnings.approve(always)
    for number in range(3):
        context = loop.apply.context("Write to the guests", unit=f"s{number}")
        loop.measure.outcome(context.id, output="Dear guests" if number else "Dear clients")
        loop.measure.outcome(context.id, success=number > 0)

    shown = said("lift")
    (line,) = [line for line in shown.splitlines() if "guests" in line]
    assert "not measured" in line
    assert "67% of 3, none" in line
    assert "2 of 3" in line
    assert "what always holds never are" in shown

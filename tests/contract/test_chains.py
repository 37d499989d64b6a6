"""A correction of a correction: what was right yesterday is wrong today; on every database."""

from __future__ import annotations

import pytest

import heedful
from tests.conftest import OpenLoop
from tests.contract.correcting import report

QUESTION = "Who leads the shop team?"


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop()


def _leads(loop: heedful.Loop, wrong: str, right: str) -> str:
    return report(loop, wrong, right, query=QUESTION, sentence=f"{wrong} leads the shop team.")


def test_a_chain_ends_at_its_last_word(loop: heedful.Loop) -> None:
    _leads(loop, "Anna", "Bea")
    _leads(loop, "Bea", "Carla")
    last = _leads(loop, "Carla", "Dora")

    for outdated in ("Anna", "Bea", "Carla"):
        improved = loop.apply.improve(f"{outdated} leads the shop team.", query=QUESTION)
        assert improved.text == "Dora leads the shop team."
        assert [one.learning.id for one in improved.applied] == [last]
    assert [piece.id for piece in loop.apply.context(QUESTION).pieces] == [last]


def test_what_was_right_at_first_may_be_right_again(loop: heedful.Loop) -> None:
    _leads(loop, "Anna", "Bea")
    _leads(loop, "Bea", "Anna")

    assert loop.apply.improve("Anna leads the shop team.", query=QUESTION).text == "Anna leads the shop team."
    assert loop.apply.improve("Bea leads the shop team.", query=QUESTION).text == "Anna leads the shop team."


def test_a_chain_that_ends_in_nothing_changes_nothing(loop: heedful.Loop) -> None:
    _leads(loop, "Anna", "Bea")
    loop.govern.learnings.retire(_leads(loop, "Bea", "Carla"))

    assert loop.apply.improve("Anna leads the shop team.", query=QUESTION).text == "Anna leads the shop team."

"""Corrections are put right by hand, and by reporting them again; on every database."""

from __future__ import annotations

from typing import Any

import pytest

import heedful
from heedful.errors import InvalidInput
from heedful.learnings.events import APPROVED, CONFIRMED, EDITED, REPORTED
from heedful.operations.caller import Caller, acting
from heedful.records.correction import Category
from heedful.records.role import Role
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check, vectors
from tests.contract.living import QuickReader
from tests.typed import corrections

SAID = "No, it is green, not red."


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder(), reader=QuickReader())


def _kinds(loop: heedful.Loop) -> list[str]:
    return [event.kind for event in loop.events()]


# By hand


def test_an_edit_may_not_make_wrong_and_right_the_same_words(loop: heedful.Loop) -> None:
    heard = loop.capture.message(SAID, last_output="It is red.").correction
    assert heard is not None
    reported = loop.capture.correction("a1", "a2")
    with pytest.raises(InvalidInput, match="the same words"):
        corrections(loop).edit(heard.id, wrong="red", right="red")
    for words in ({"right": "a1"}, {"wrong": " a2 "}, {"wrong": "x  y", "right": "x y"}):
        with pytest.raises(InvalidInput, match="the same words"):
            corrections(loop).edit(reported.id, **words)

    assert corrections(loop).get(reported.id) == reported
    assert corrections(loop).edit(reported.id, right="A1").right == "A1"  # it may be about the case
    assert corrections(loop).edit(reported.id, wrong="", right="a1").wrong == ""


# By reporting it again


def test_what_is_new_in_a_report_of_a_known_correction_is_taken_over(loop: heedful.Loop) -> None:
    made = loop.capture.correction("red", "green", query="Which colour?", category="factual", actor="ann")
    new: dict[str, Any] = {"why": "the brand changed", "category": "style", "always": True}
    again = loop.capture.correction("red", "green", query="Which colour?", actor="ben", **new)

    assert (again.id, again.confirmed, again.version) == (made.id, 1, 2)
    assert (again.always, again.why, again.category) == (True, "the brand changed", Category.STYLE)
    assert (again.query, again.audience, again.actor) == (made.query, made.audience, made.actor)
    edit = list(loop.events())[-1]
    assert (edit.kind, edit.actor) == (EDITED, loop.store.secret.person("ben"))
    assert "edited it, version 2: because “the brand changed”, it always holds, category style" in (
        loop.govern.why(made.id).text
    )
    assert list(loop.jobs.all(name="learning.embed")) == []  # its situation has a vector already
    assert [said for said, _ in vectors(loop).values()] == [edit.seq]
    check(loop)


def test_the_same_report_twice_changes_nothing_more(loop: heedful.Loop) -> None:
    loop.capture.correction("red", "green", actor="ann")
    for _ in range(2):
        said = loop.capture.correction("red", "green", why="the brand changed", always=True, actor="ben")

    assert (said.confirmed, said.version) == (2, 2)
    assert _kinds(loop) == [REPORTED, CONFIRMED, EDITED, CONFIRMED]
    silent = loop.capture.correction("red", "green", actor="cy")  # what is not said takes nothing back
    assert (silent.why, silent.always, silent.version) == ("the brand changed", True, 2)


def test_a_category_that_nobody_named_is_not_taken_over(loop: heedful.Loop) -> None:
    made = loop.capture.correction("red", "green", category="style", actor="ann")

    assert loop.capture.correction("red", "green", actor="ben").category is made.category
    assert loop.capture.corrections([{"wrong": "red", "right": "green", "category": "domain"}]) == 1
    assert corrections(loop).get(made.id).category is Category.DOMAIN


def test_what_is_heard_in_a_message_edits_nothing(loop: heedful.Loop) -> None:
    made = loop.capture.correction("red", "green", category="style", actor="ann")
    heard = loop.capture.message(f"{SAID} The brand changed.", last_output="It is red.", actor="ben")

    assert (heard.known, heard.correction) == (True, corrections(loop).get(made.id))
    assert _kinds(loop) == [REPORTED, CONFIRMED]


def test_what_was_approved_is_changed_only_by_who_may_approve(loop: heedful.Loop) -> None:
    made = loop.capture.correction("red", "green", actor="ann")
    loop.govern.learnings.approve(made.id)
    with acting(Caller("acme", Role.INTEGRATOR, "desk", "desk")):
        said = loop.capture.correction("red", "green", why="the brand changed", always=True, actor="ben")
    assert (said.confirmed, said.version, said.always, said.approved) == (1, 1, False, True)

    with acting(Caller("acme", Role.REVIEWER, "rita", "rita")):
        said = loop.capture.correction("red", "green", why="the brand changed", always=True, actor="rita")
    assert (said.version, said.always, said.approved) == (2, True, True)
    assert _kinds(loop)[-3:] == [CONFIRMED, EDITED, APPROVED]
    check(loop)


def test_to_forget_who_reported_it_again_takes_back_what_they_added(loop: heedful.Loop) -> None:
    made = loop.capture.correction("red", "green", category="factual", why="it is", actor="ann")
    loop.capture.correction("red", "green", why="the brand changed", always=True, category="style", actor="ben")
    loop.govern.forget(user="ben")

    one = corrections(loop).get(made.id)
    assert (one.why, one.always, one.category, one.confirmed) == ("it is", False, Category.FACTUAL, 0)
    check(loop)


def test_to_forget_who_reported_it_first_keeps_what_was_added(loop: heedful.Loop) -> None:
    made = loop.capture.correction("red", "green", why="it is", actor="ann")
    loop.capture.correction("red", "green", why="the brand changed", always=True, actor="ben")
    loop.govern.forget(user="ann")

    one = corrections(loop).get(made.id)
    assert (one.why, one.always, one.actor) == ("the brand changed", True, loop.store.secret.person("ben"))
    check(loop)


def test_with_an_id_a_report_that_is_sent_again_edits_nothing(loop: heedful.Loop) -> None:
    loop.capture.correction("red", "green", actor="ann")
    told: dict[str, Any] = {"why": "the brand changed", "actor": "ben", "id": "b-1"}
    first, second = (loop.capture.correction("red", "green", **told) for _ in range(2))

    assert first == second
    assert _kinds(loop) == [REPORTED, CONFIRMED, EDITED]

"""What people may have meant to last: nothing uses it until somebody approves it, or it is said again."""

from __future__ import annotations

import pytest

import heedful
from heedful.edges.worker import Worker
from heedful.records.insight import Insight
from heedful.records.learning import Status
from tests.conftest import OpenLoop
from tests.contract import mining
from tests.contract.mining import OTHER_TASK, PlainReader, talk


def _less_plain(rule: str) -> str:
    """Who says `from now on` means it."""
    return rule.replace("From now on", "In this repo we")


LINT, LINT_TOO, NO_LINT = map(_less_plain, (mining.LINT, mining.LINT_TOO, mining.NO_LINT))
RULES = tuple(map(_less_plain, mining.RULES))


class SureReader(PlainReader):
    sign = "In this repo "
    chance = 0.95


class DoubtfulReader(SureReader):
    """Is not sure of what it hears."""

    chance = 0.6


class FaintReader(SureReader):
    """Hardly hears it."""

    chance = 0.12


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(reader=DoubtfulReader())


def _mined(loop: heedful.Loop, *rules: str, id: str, task: str = OTHER_TASK) -> None:
    loop.capture.conversation(talk(*rules, task=task), id=id, tool="claude-code", project="shop")
    Worker(loop).run_all()


def _all(loop: heedful.Loop, status: Status) -> list[Insight]:
    return list(loop.govern.learnings.all(kind="insight", status=status))


def _only(loop: heedful.Loop) -> Insight:
    (one,) = _all(loop, Status.POSSIBLE)
    return one


def test_what_is_not_sure_is_kept_and_not_used(loop: heedful.Loop) -> None:
    _mined(loop, LINT, id="a")
    one = _only(loop)
    mined = loop.govern.conversations.get("a")
    assert (mined.possible, mined.learned, mined.outcome) == ((one.id,), (), "low_quality")
    assert one.confidence < 0.6
    assert _all(loop, Status.ACTIVE) == []
    assert loop.apply.context("Which command runs before a commit: make lint?", about="shop").pieces == ()
    assert list(loop.apply.search("run make lint before a commit")) == []


def test_said_again_elsewhere_it_is_used(loop: heedful.Loop) -> None:
    _mined(loop, LINT, id="a")
    first = _only(loop)
    _mined(loop, LINT_TOO, id="b")
    (one,) = _all(loop, Status.ACTIVE)
    assert (one.id, one.confirmed, one.confidence >= 0.6) == (first.id, 1, True)
    assert loop.govern.conversations.get("b").learned == (first.id,)
    assert _all(loop, Status.POSSIBLE) == []


def test_said_again_faintly_it_counts_and_is_not_kept_by_itself(open_loop: OpenLoop) -> None:
    loop, faint = open_loop(reader=DoubtfulReader()), open_loop(reader=FaintReader())
    _mined(faint, LINT, id="before")
    assert _all(loop, Status.POSSIBLE) == []
    _mined(loop, LINT, id="a")
    first = _only(loop)
    _mined(faint, LINT_TOO, id="b")
    _mined(faint, LINT, id="c")
    again = loop.govern.learnings.get(first.id)
    assert (again.confirmed, again.confidence > first.confidence) == (2, True)
    _mined(faint, RULES[1], id="d")
    assert loop.govern.conversations.get("d").possible == ()


def test_a_conversation_that_goes_on_does_not_say_it_again(loop: heedful.Loop) -> None:
    _mined(loop, LINT, id="a")
    more = [*talk(LINT), {"role": "user", "text": "Thank you, that was all.", "id": "thanks"}]
    loop.capture.conversation(more, id="a", tool="claude-code", project="shop")
    Worker(loop).run_all()
    assert _only(loop).confirmed == 0


def test_an_approval_puts_it_in_use_and_taking_that_back_does_not_keep_it_there(loop: heedful.Loop) -> None:
    _mined(loop, LINT, id="a")
    one = _only(loop)
    approved = loop.govern.learnings.approve(one.id, digest=one.digest)
    assert (approved.status, approved.approved) == (Status.ACTIVE, True)
    assert loop.govern.learnings.unapprove(one.id) == one


def test_what_is_dropped_and_restored_is_no_surer_than_before(loop: heedful.Loop) -> None:
    _mined(loop, LINT, id="a")
    one = _only(loop)
    loop.govern.learnings.retire(one.id)
    assert loop.govern.learnings.restore(one.id).status is Status.POSSIBLE
    assert loop.govern.learnings.restore(one.id).status is Status.POSSIBLE


def test_what_is_dropped_is_not_learned_when_it_is_said_again(loop: heedful.Loop) -> None:
    _mined(loop, LINT, id="a")
    loop.govern.learnings.retire(_only(loop).id)
    _mined(loop, LINT, id="b")
    assert _all(loop, Status.POSSIBLE) == _all(loop, Status.ACTIVE) == []


def test_it_replaces_nothing_that_is_in_use(open_loop: OpenLoop) -> None:
    sure, unsure = open_loop(reader=SureReader()), open_loop(reader=DoubtfulReader())
    _mined(sure, LINT, id="a")
    (used,) = _all(sure, Status.ACTIVE)
    _mined(unsure, NO_LINT, id="b")
    assert [one.id for one in _all(unsure, Status.ACTIVE)] == [used.id]


def test_heard_surely_it_is_used_at_once(open_loop: OpenLoop) -> None:
    sure, unsure = open_loop(reader=SureReader()), open_loop(reader=DoubtfulReader())
    _mined(unsure, LINT, id="a")
    first = _only(unsure)
    _mined(sure, LINT, id="b")
    assert [one.id for one in _all(sure, Status.ACTIVE)] == [first.id]


def test_dropping_what_was_not_sure_says_nothing_against_the_sure(open_loop: OpenLoop) -> None:
    sure, unsure = open_loop(reader=SureReader()), open_loop(reader=DoubtfulReader())
    _mined(sure, LINT, id="before")
    (before,) = _all(sure, Status.ACTIVE)
    _mined(unsure, *RULES[1:4], id="a")
    for one in _all(unsure, Status.POSSIBLE):
        unsure.govern.learnings.retire(one.id)
    _mined(sure, RULES[4], id="after")
    (after,) = (one for one in _all(sure, Status.ACTIVE) if one.id != before.id)
    assert after.confidence == before.confidence


def test_who_said_it_first_is_forgotten_and_the_other_is_as_unsure_as_before(loop: heedful.Loop) -> None:
    for number, who in enumerate(("dana", "lee")):
        loop.capture.conversation(talk(LINT), id=f"c{number}", tool="claude-code", project="shop", actor=who)
        Worker(loop).run_all()
    (used,) = _all(loop, Status.ACTIVE)
    loop.govern.conversations.delete("c0")
    one = _only(loop)
    assert (one.id != used.id, one.conversation, one.confidence < 0.6) == (True, "c1", True)


def test_a_rebuild_gives_the_same(loop: heedful.Loop) -> None:
    _mined(loop, *RULES[:3], id="a")
    _mined(loop, RULES[0], id="b")
    first, second = _all(loop, Status.POSSIBLE)
    loop.govern.learnings.retire(first.id)
    loop.govern.learnings.restore(first.id)
    before = [*_all(loop, Status.POSSIBLE), *_all(loop, Status.ACTIVE)]
    assert second in before
    loop.learn.rebuild()
    assert [*_all(loop, Status.POSSIBLE), *_all(loop, Status.ACTIVE)] == before


def test_a_short_conversation_is_judged_by_what_the_person_said_however_little_the_agent_did(
    open_loop: OpenLoop,
) -> None:
    for reader, rule, outcome, became in (
        (SureReader(), RULES[1], "learned", ("1 learned",)),
        (DoubtfulReader(), RULES[2], "low_quality", ("1 for a person to decide",)),
        (FaintReader(), RULES[3], "low_quality", ("1 too unsure",)),
    ):
        loop = open_loop(reader=reader)
        told = [("user", "Bump the version."), ("assistant", "Done."), ("user", rule)]
        loop.capture.conversation([{"role": role, "text": text} for role, text in told], id=type(reader).__name__)
        mined = loop.learn.mine(type(reader).__name__)
        assert (mined.outcome, mined.became) == (outcome, became)
        assert not any("next to nothing" in finding.says for finding in mined.findings)


def test_it_is_told_what_became_of_what_was_heard(loop: heedful.Loop) -> None:
    _mined(loop, LINT, id="a")
    assert loop.govern.conversations.get("a").says == (
        "It taught nothing new. Of what was heard in it: 1 for a person to decide."
    )
    more = [*talk(LINT), {"role": "user", "text": "Thank you, that was all.", "id": "thanks"}]
    loop.capture.conversation(more, id="a", tool="claude-code", project="shop")
    Worker(loop).run_all()
    grown = loop.govern.conversations.get("a")
    assert (grown.possible, grown.became) == ((_only(loop).id,), ("1 for a person to decide",))

    loop.govern.learnings.retire(_only(loop).id)
    _mined(loop, LINT, id="b")
    assert "1 taken out of use before" in loop.govern.conversations.get("b").says


def test_what_was_dropped_as_a_correction_is_not_learned_from_its_conversation(open_loop: OpenLoop) -> None:
    loop = open_loop(reader=SureReader())
    chat = loop.conversation(session="a", about="shop")
    chat.output("I ran the tests and committed it.", query="commit it")
    assert chat.message(f"No! {LINT}") is not None
    (heard,) = loop.govern.learnings.all(kind="correction")
    loop.govern.learnings.retire(heard.id)
    _mined(loop, LINT, id="a")
    assert _all(loop, Status.ACTIVE) == _all(loop, Status.POSSIBLE) == []
    _mined(loop, LINT, id="b")
    assert len(_all(loop, Status.ACTIVE)) == 1  # said again elsewhere, it may hold there

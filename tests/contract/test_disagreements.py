"""People contradict each other: neither is overruled unasked, and a person decides; on every database."""

from __future__ import annotations

from datetime import timedelta

import pytest

import heedful
from heedful.records.learning import Status
from heedful.records.proposal import Act, Proposal, ProposalStatus
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check, report
from tests.typed import corrections

OUTPUT = "Refunds are paid within 30 days."
UNDECIDED = "but people disagree and have not decided"


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


def _said(loop: heedful.Loop, right: str, actor: str | None) -> str:
    return report(loop, "30 days", right, query="when are refunds paid?", actor=actor)


def _active(loop: heedful.Loop) -> set[str]:
    return {one.right for one in corrections(loop).all(status="active")}


def _asked(loop: heedful.Loop) -> list[Proposal]:
    return list(loop.govern.proposals.all())


def _improved(loop: heedful.Loop) -> str:
    return loop.apply.improve(OUTPUT, query="when are refunds paid?").text


def _prompt(loop: heedful.Loop) -> str:
    return loop.apply.context("when are refunds paid?").text


def test_what_another_person_said_is_in_use_until_somebody_decides(loop: heedful.Loop) -> None:
    first = _said(loop, "60 days", "ann")
    assert "60 days" in _improved(loop)
    second = _said(loop, "90 days", "ben")

    one, other = corrections(loop).get(first), corrections(loop).get(second)
    assert (one.status, one.contradicted_by) == (Status.ACTIVE, (second,))
    assert (other.status, other.contradicted_by) == (Status.ACTIVE, (first,))
    (asked,) = _asked(loop)
    assert (asked.act, asked.learnings, asked.reason) == (Act.REPLACE, (first, second), "People disagree.")
    check(loop)


def test_no_output_is_changed_by_what_people_disagree_about(loop: heedful.Loop) -> None:
    _said(loop, "60 days", "ann")
    _said(loop, "90 days", "ben")

    assert _improved(loop) == OUTPUT


def test_a_prompt_gets_both_sides_and_is_told_so(loop: heedful.Loop) -> None:
    _said(loop, "60 days", "ann")
    assert UNDECIDED not in _prompt(loop)
    _said(loop, "90 days", "ben")

    lines = [line for line in _prompt(loop).splitlines() if UNDECIDED in line]
    assert sorted("90 days" in line for line in lines) == [False, True]
    notes = loop.agents.prompt("when are refunds paid?").context
    assert notes.count(UNDECIDED) == 2


@pytest.mark.parametrize("accept", [True, False])
def test_a_decision_keeps_one_and_takes_the_other_out_of_use(loop: heedful.Loop, *, accept: bool) -> None:
    first, second = _said(loop, "60 days", "ann"), _said(loop, "90 days", "ben")
    (asked,) = _asked(loop)
    (loop.govern.proposals.approve if accept else loop.govern.proposals.reject)(asked.id)

    kept, gone = (second, first) if accept else (first, second)
    assert (corrections(loop).get(kept).status, corrections(loop).get(kept).contradicted_by) == (Status.ACTIVE, ())
    assert (corrections(loop).get(gone).status, corrections(loop).get(gone).superseded_by) == (Status.SUPERSEDED, kept)
    assert corrections(loop).evidence(gone)[-1].actor == "local"
    assert ("90 days" if accept else "60 days") in _improved(loop)
    assert UNDECIDED not in _prompt(loop)
    assert _asked(loop) == []
    before = list(corrections(loop).all(status=None))
    loop.learn.rebuild(["learnings"])
    assert list(corrections(loop).all(status=None)) == before
    check(loop)


@pytest.mark.parametrize("second", [True, False])
def test_an_approval_decides_and_the_context_says_so(loop: heedful.Loop, *, second: bool) -> None:
    one, other = _said(loop, "60 days", "ann"), _said(loop, "90 days", "ben")
    kept, gone = (other, one) if second else (one, other)
    corrections(loop).approve(kept)
    made = loop.apply.context("when are refunds paid?")

    assert [piece.id for piece in made.pieces] == [kept]
    assert made.notes == (f"[{gone}] is left out: it contradicts [{kept}], which holds instead.",)
    assert UNDECIDED not in made.text
    assert corrections(loop).get(gone).superseded_by == kept
    assert ("90 days" if second else "60 days") in _improved(loop)
    assert _asked(loop) == []
    check(loop)


def test_of_two_that_were_approved_the_last_one_holds(loop: heedful.Loop) -> None:
    first, second = _said(loop, "60 days", "ann"), _said(loop, "90 days", "ben")
    corrections(loop).approve(second)
    corrections(loop).approve(first)

    assert _active(loop) == {"60 days"}
    assert f"[{second}] is left out" in loop.apply.context("when are refunds paid?").notes[0]
    check(loop)


def test_an_approval_that_is_taken_back_has_decided_nothing(loop: heedful.Loop) -> None:
    first, second = _said(loop, "60 days", "ann"), _said(loop, "90 days", "ben")
    corrections(loop).approve(first)
    loop.govern.learnings.unapprove(first)

    assert corrections(loop).get(second).contradicted_by == (first,)
    assert [one.learnings for one in _asked(loop)] == [(first, second)]
    check(loop)


def test_what_was_approved_is_given_alone_though_the_other_was_put_into_use_again(loop: heedful.Loop) -> None:
    first, second = _said(loop, "60 days", "ann"), _said(loop, "90 days", "ben")
    corrections(loop).approve(first)
    corrections(loop).restore(second)
    made = loop.apply.context("when are refunds paid?")

    assert [piece.id for piece in made.pieces] == [first]
    assert made.notes == (f"[{second}] is left out: it contradicts [{first}], which is approved.",)
    assert (corrections(loop).get(first).contradicted_by, UNDECIDED in made.text) == ((), False)


def test_a_person_may_take_back_their_own_word(loop: heedful.Loop) -> None:
    first, second = _said(loop, "60 days", "ann"), _said(loop, "90 days", "ann")

    assert corrections(loop).get(first).superseded_by == second
    assert (_active(loop), _asked(loop)) == ({"90 days"}, [])


def test_people_without_a_name_are_one_person(loop: heedful.Loop) -> None:
    _said(loop, "60 days", None)
    _said(loop, "90 days", None)
    assert (_active(loop), _asked(loop)) == ({"90 days"}, [])
    _said(loop, "70 days", "ann")
    assert _active(loop) == {"90 days", "70 days"}


def test_names_are_told_apart_without_being_stored(loop: heedful.Loop) -> None:
    assert loop.govern.privacy().anonymize_users
    for person in ("ann", "ben"):
        _said(loop, f"60 days for {person}", person)
        _said(loop, f"90 days for {person}", person)

    assert _active(loop) == {"90 days for ann", "90 days for ben"}


def test_one_person_does_not_overrule_several(loop: heedful.Loop) -> None:
    stands = _said(loop, "60 days", "ann")
    _said(loop, "60 days", "ben")
    waits = _said(loop, "90 days", "mallory")

    assert corrections(loop).get(waits).superseded_by == stands
    assert corrections(loop).get(stands).contradicted_by == ()
    assert "60 days" in _improved(loop)
    (asked,) = _asked(loop)
    assert asked.learnings == (stands, waits)
    loop.govern.proposals.approve(asked.id)
    assert (_active(loop), _asked(loop)) == ({"90 days"}, [])
    check(loop)


def _questioned(loop: heedful.Loop, *ids: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    found = [corrections(loop).get(id) for id in ids]
    return [(one.contradicted_by, one.questioned_by) for one in found]


def test_while_one_side_waits_both_say_so_and_the_other_is_used_alone(loop: heedful.Loop, clock: FrozenClock) -> None:
    stands, _ = (_said(loop, "60 days", person) for person in ("ann", "carl"))
    before = clock.now
    clock.advance(days=1)
    waits = _said(loop, "90 days", "ben")
    assert _questioned(loop, stands, waits) == [((), (waits,)), ((stands,), ())]
    assert "60 days" in _improved(loop)
    made = loop.apply.context("when are refunds paid?")
    assert ([piece.id for piece in made.pieces], UNDECIDED in made.text) == ([stands], False)
    assert made.notes == (f"[{waits}] is left out: it contradicts [{stands}], which holds until somebody decides.",)
    then, now = (loop.govern.why(stands, at=at).learning for at in (before, clock.now))
    assert isinstance(then, heedful.Correction)
    assert isinstance(now, heedful.Correction)
    assert (then.questioned_by, now.questioned_by) == ((), (waits,))

    clock.advance(days=1)
    (asked,) = _asked(loop)
    loop.govern.proposals.reject(asked.id)
    assert _questioned(loop, stands, waits) == [((), ()), ((), ())]
    assert "which holds instead." in loop.apply.context("when are refunds paid?").notes[0]
    earlier = loop.govern.why(waits, at=clock.now - timedelta(hours=1)).learning
    assert isinstance(earlier, heedful.Correction)
    assert earlier.contradicted_by == (stands,)
    check(loop)


def test_what_waits_and_is_made_for_one_person_questions_nobody(loop: heedful.Loop) -> None:
    stands, _ = (_said(loop, "60 days", person) for person in ("ann", "carl"))
    waits = _said(loop, "90 days", "ben")
    corrections(loop).edit(waits, audience="me")

    assert (_questioned(loop, stands, waits), _asked(loop)) == ([((), ()), ((), ())], [])


def test_what_was_approved_stands_until_somebody_decides(loop: heedful.Loop) -> None:
    approved = _said(loop, "60 days", "ann")
    corrections(loop).approve(approved)
    for person in ("ann", "ben"):
        _said(loop, f"90 days for {person}", person)

    assert _active(loop) == {"60 days"}
    assert len(_asked(loop)) == 2
    for asked in _asked(loop):
        loop.govern.proposals.reject(asked.id)
    assert (_active(loop), _asked(loop)) == ({"60 days"}, [])


def test_who_agrees_with_what_waits_makes_no_second_question(loop: heedful.Loop) -> None:
    for person in ("ann", "ben"):
        _said(loop, "60 days", person)
    waits = _said(loop, "90 days", "cy")
    assert _said(loop, "90 days", "dana") == waits

    assert corrections(loop).get(waits).confirmed == 1
    (asked,) = _asked(loop)
    loop.govern.proposals.reject(asked.id)
    again = _said(loop, "90 days", "eve")
    assert again != waits  # said after the decision, so it is asked again
    assert [one.learnings[1] for one in _asked(loop)] == [again]


def test_whoever_comes_to_agree_ends_the_disagreement(loop: heedful.Loop) -> None:
    first, second = _said(loop, "60 days", "ann"), _said(loop, "90 days", "ben")
    assert _said(loop, "60 days", "ben") == first

    assert corrections(loop).get(second).superseded_by == first
    assert corrections(loop).get(first).contradicted_by == ()
    assert _asked(loop) == []
    check(loop)


def _decisions(loop: heedful.Loop) -> list[tuple[bool, str]]:
    """Whether each proposal that was decided was accepted, and why."""
    return [(event.meta["accepted"], event.meta["why"]) for event in loop.events(kind="PROPOSAL_DECIDED")]


def test_whoever_comes_to_agree_with_several_ends_the_disagreement(loop: heedful.Loop) -> None:
    stands, _ = (_said(loop, "60 days", person) for person in ("ann", "carl"))
    waits = _said(loop, "90 days", "ben")
    assert [one.learnings for one in _asked(loop)] == [(stands, waits)]
    assert _said(loop, "60 days", "ben") == stands

    assert (_active(loop), _asked(loop)) == ({"60 days"}, [])
    assert _decisions(loop) == [(False, "They came to agree.")]
    assert corrections(loop).get(waits).superseded_by == stands
    check(loop)


@pytest.mark.parametrize("several", [True, False])
def test_a_disagreement_ends_with_the_last_one_who_gives_in(loop: heedful.Loop, *, several: bool) -> None:
    """Whether the other side waits, because several people said this, or is in use as well."""
    stands = _said(loop, "60 days", "ann")
    if several:
        _said(loop, "60 days", "carl")
    other = _said(loop, "90 days", "ben")
    assert _said(loop, "90 days", "dana") == other
    _said(loop, "60 days", "ben")
    assert len(_asked(loop)) == 1  # dana still says so
    _said(loop, "60 days", "dana")

    assert (_active(loop), _asked(loop)) == ({"60 days"}, [])
    assert corrections(loop).get(other).superseded_by == stands
    check(loop)


def test_what_everybody_has_come_to_say_holds_though_it_waited(loop: heedful.Loop) -> None:
    stands, _ = (_said(loop, "60 days", person) for person in ("ann", "carl"))
    waits = _said(loop, "90 days", "ben")
    assert _said(loop, "90 days", "ann") == waits
    assert (_active(loop), len(_asked(loop))) == ({"60 days"}, 1)  # carl still says so
    assert _said(loop, "90 days", "carl") == waits

    assert (_active(loop), _asked(loop)) == ({"90 days"}, [])
    assert _decisions(loop) == [(True, "They came to agree.")]
    assert corrections(loop).get(stands).superseded_by == waits
    assert "90 days" in _improved(loop)
    check(loop)


def test_what_was_approved_is_not_given_up_by_whoever_said_it(loop: heedful.Loop) -> None:
    approved = _said(loop, "60 days", "ann")
    corrections(loop).approve(approved)
    _said(loop, "90 days", "ben")
    _said(loop, "90 days", "ann")

    assert (_active(loop), len(_asked(loop))) == ({"60 days"}, 1)


def test_whoever_changes_their_mind_twice_says_what_they_said_last(loop: heedful.Loop) -> None:
    stands, _ = (_said(loop, "60 days", person) for person in ("ann", "carl"))
    waits = _said(loop, "90 days", "ben")
    for right in ("90 days", "60 days"):
        _said(loop, right, "ann")
    _said(loop, "90 days", "carl")
    assert _active(loop) == {"60 days"}  # ann says so again
    _said(loop, "60 days", "ben")
    assert len(_asked(loop)) == 1  # now it is carl who says otherwise
    _said(loop, "60 days", "carl")

    assert (_active(loop), _asked(loop)) == ({"60 days"}, [])
    assert [corrections(loop).get(id).status for id in (stands, waits)] == [Status.ACTIVE, Status.SUPERSEDED]
    check(loop)


def test_a_third_opinion_disagrees_with_both(loop: heedful.Loop) -> None:
    first, second, third = (_said(loop, f"{n}0 days", who) for n, who in ((6, "ann"), (7, "ben"), (9, "cy")))
    assert set(corrections(loop).get(third).contradicted_by) == {first, second}
    asked = {one.learnings: one.id for one in _asked(loop)}
    assert asked.keys() == {(first, second), (first, third), (second, third)}

    loop.govern.proposals.reject(asked[first, third])
    assert corrections(loop).get(first).contradicted_by == (second,)
    assert [one.learnings for one in _asked(loop)] == [(first, second)]
    loop.govern.proposals.approve(asked[first, second])
    assert (_active(loop), _asked(loop)) == ({"70 days"}, [])
    check(loop)


@pytest.mark.parametrize("side", [0, 1])
def test_when_one_side_goes_the_other_holds(loop: heedful.Loop, *, side: int) -> None:
    for act in ("retire", "delete"):
        org = loop.org(act)
        ids = [_said(org, "60 days", "ann"), _said(org, "90 days", "ben")]
        getattr(corrections(org), act)(ids[side])

        assert corrections(org).get(ids[1 - side]).contradicted_by == ()
        assert _asked(org) == []
        check(org)
    (event,) = corrections(org).evidence(ids[1 - side])
    assert event.kind == "CORRECTION_REPORTED"  # nothing is left that names what was deleted
    assert _improved(org) != OUTPUT


def test_another_topic_is_no_disagreement(loop: heedful.Loop) -> None:
    report(loop, "30 days", "60 days", actor="ann", about="shop")
    report(loop, "30 days", "90 days", actor="ben", about="bank")

    assert _asked(loop) == []
    assert "60 days" in loop.apply.improve(OUTPUT, about="shop").text


def test_to_answer_that_it_is_still_true_makes_nobody_a_second_voice(loop: heedful.Loop, clock: FrozenClock) -> None:
    _said(loop, "60 days", None)
    clock.advance(days=400)
    (asked,) = loop.learn.curate()
    assert loop.govern.proposals.approve(asked.id).status is ProposalStatus.APPROVED
    _said(loop, "90 days", None)

    assert _active(loop) == {"90 days"}


# Without a pair of words

CLOSING = "When do we close on Fridays?"


def _heard(loop: heedful.Loop, message: str, actor: str, query: str = CLOSING, output: str = "You close late.") -> str:
    heard = loop.capture.message(message, last_output=output, query=query, actor=actor)
    assert heard.correction is not None
    return heard.correction.id


def test_answers_that_exclude_each_other_are_a_disagreement(loop: heedful.Loop) -> None:
    first = _heard(loop, "we close at six on Fridays", "ann")
    second = _heard(loop, "no, Fridays we're open till eight", "ben")

    assert corrections(loop).get(first).contradicted_by == (second,)
    made = loop.apply.context(CLOSING)
    assert made.text.count(UNDECIDED) == 2
    (asked,) = _asked(loop)
    assert (asked.act, asked.learnings) == (Act.REPLACE, (first, second))
    loop.govern.proposals.approve(asked.id)
    assert [piece.id for piece in loop.apply.context(CLOSING).pieces] == [second]
    check(loop)


def test_who_answers_differently_later_replaces_their_own_answer(loop: heedful.Loop) -> None:
    first = _heard(loop, "we close at six on Fridays", "ann")
    second = _heard(loop, "no, Fridays we're open till eight", "ann")

    assert corrections(loop).get(first).superseded_by == second
    assert _asked(loop) == []
    assert [piece.id for piece in loop.apply.context(CLOSING).pieces] == [second]


def test_a_pair_and_an_answer_may_exclude_each_other(loop: heedful.Loop) -> None:
    first = report(loop, "seven", "six", query=CLOSING, actor="ann")
    second = _heard(loop, "no, Fridays we're open till eight", "ben", output="You close at seven on Fridays.")

    assert corrections(loop).get(first).contradicted_by == (second,)


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("no, we close at four on Saturdays", "When do we close on Saturdays?"),
        ("wrong, it's six on Fridays", CLOSING),
        ("no, in winter we close at five on Fridays, before the market at four", CLOSING),
    ],
)
def test_what_may_hold_beside_an_answer_stays_beside_it(loop: heedful.Loop, message: str, query: str) -> None:
    first = _heard(loop, "we close at six on Fridays", "ann")
    _heard(loop, message, "ben", query)

    assert (corrections(loop).get(first).contradicted_by, _asked(loop)) == ((), [])


def test_of_one_task_two_things_may_be_corrected(loop: heedful.Loop) -> None:
    task, output = "Write the notice for the door", "We close at seven. Lunch is served until two."
    first = _heard(loop, "no, we close at six", "ann", task, output)
    second = _heard(loop, "no, lunch is until three", "ann", task, output)

    assert {one.id for one in corrections(loop).all(status="active")} == {first, second}

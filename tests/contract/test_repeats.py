"""How often people had to say again what they had said before, through every teacher; on every database."""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.errors import InvalidInput
from heedful.records.repeats import RepeatGroup
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder
from tests.contract.deciding import decide
from tests.contract.extracting import check_sound, extracted, order
from tests.contract.mining import taught, teach
from tests.contract.reviewing import proposed, review
from tests.examples import examples

MONDAY = date(2026, 1, 5)  # of the frozen clock


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


def counted(loop: heedful.Loop, **wanted: Any) -> tuple[int, int]:
    found = loop.measure.repeats(**wanted)
    return found.said, found.again


def groups(loop: heedful.Loop, by: Any) -> dict[str, tuple[int, int]]:
    return {one.name: (one.said, one.again) for one in loop.measure.repeats(by=by).groups}


def test_nobody_said_anything(loop: heedful.Loop) -> None:
    found = loop.measure.repeats(weeks=2)
    assert (found.said, found.again, found.rate, found.interval, found.groups) == (0, 0, None, None, ())
    assert [week.monday for week in found.weeks] == [MONDAY - timedelta(days=7), MONDAY]
    wrong: Any = "day"
    for asked in ({"by": wrong}, {"weeks": 0}, {"weeks": 521}):
        with pytest.raises(InvalidInput):
            loop.measure.repeats(**asked)


def test_a_correction_that_has_to_be_made_again_counts_in_its_week(loop: heedful.Loop, clock: FrozenClock) -> None:
    def corrected(right: str, days_ago: int, **given: Any) -> None:
        at = clock.now - timedelta(days=days_ago)
        loop.capture.correction(f"not {right}", right, at=at, **{"about": "shop", "actor": "dana", **given})

    corrected("guests", 15)
    corrected("guests", 14)  # another week begins on a Monday: here, fourteen days before one
    corrected("guests", 0, actor="lee")
    corrected("color", 0, about="till")
    corrected("color", 0, about="till")
    corrected("long ago", 700)
    corrected("long ago", 1)

    found = loop.measure.repeats(weeks=3, by="about")
    assert (found.said, found.again) == (5, 4)
    assert found.rate == pytest.approx(4 / 5)
    assert found.interval is not None
    assert found.interval.low < 0.8 < found.interval.high
    assert [(week.said, week.again, week.rate) for week in found.weeks] == [(1, 1, 1.0), (1, 1, 1.0), (3, 2, 2 / 3)]
    assert [(one.name, one.said, one.again) for one in found.groups] == [("shop", 3, 3), ("till", 2, 1)]
    assert isinstance(found.groups[0], RepeatGroup)
    assert loop.measure.repeats(weeks=4).weeks[0].again == 0
    assert counted(loop, weeks=3, about="till") == (2, 1)
    assert counted(loop, weeks=1) == (3, 2)
    people = loop.measure.repeats(weeks=1, by="user").groups
    assert [(one.said, one.again) for one in people] == [(2, 1), (1, 1)]
    assert all(one.name.startswith("person-") for one in people)


def test_what_is_said_to_an_agent_counts_for_it(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.capture.correction("clients", "guests", query="How do we call them?", actor="dana", id="guests")
    clock.advance(days=1)
    for session, agent in (("s1", "coder"), ("s2", "writer"), ("s3", None)):
        assert loop.apply.context("How do we call them?", agent=agent, unit=session, hold_out=0).id
        for _ in range(2):  # the same, sent twice
            loop.capture.correction(
                "clients",
                "guests",
                query="How do we call them?",
                actor="dana",
                session=session,
                id=f"again-{session}",
            )
    review(loop, 0)

    assert groups(loop, "agent") == {"coder": (2, 1), "writer": (1, 1), "": (2, 1)}
    loop.learn.rebuild(["said"])
    assert groups(loop, "agent") == {"coder": (2, 1), "writer": (1, 1), "": (2, 1)}


def test_reviewers_say_again_what_a_rule_in_force_says(loop: heedful.Loop, clock: FrozenClock) -> None:
    made = proposed(loop)
    review(loop, 7, decision="APPROVED", output="", approved=None, comment="Very good.", id="praise")
    review(loop, 8, decision="REJECTED", approved=None, output="", comment=None, tags=[], id="mute")
    assert groups(loop, "about") == {"coder": (3, 0)}
    clock.advance(hours=1)
    for person in ("lee", "kim"):
        loop.govern.proposals.approve(made.id, by=person)
    clock.advance(hours=1)
    review(loop, 3)
    review(loop, 4, comment="Der Titel ist falsch.", output="# Titel", approved="# Title", tags=["text"])
    for id in ("review-3", "review-3", "review-4"):
        loop.learn.reviews.evaluate(id)
    assert groups(loop, "teacher") == {"reviews": (5, 1)}
    loop.govern.learnings.delete("review-3")
    assert groups(loop, "teacher") == {"reviews": (4, 0)}


def test_what_people_state_in_conversations_counts_and_what_agents_find_does_not(loop: heedful.Loop) -> None:
    rule = "Always run the tests with pnpm before you push."
    one = taught(loop, "monday", rule, project="shop", actor="dana")
    assert one.rule
    teach(loop, "tuesday", rule, project="shop", actor="lee")
    teach(loop, "wednesday", rule, project="till", actor="lee")
    loop.learn.mine("wednesday")  # it is the same act
    assert groups(loop, "teacher") == {"conversations": (3, 2)}
    assert groups(loop, "about") == {"shop": (2, 1), "till": (1, 1)}
    loop.govern.conversations.delete("monday")
    assert counted(loop) == (2, 1)
    loop.learn.rebuild()
    check_sound(loop)


def test_a_field_of_a_layout_counts_once_per_document(loop: heedful.Loop) -> None:
    first, second = extracted(loop, 4711), extracted(loop, 4712)
    loop.capture.field_corrected(first, "buyer", "Mill Ltd")
    loop.capture.field_corrected(first, "buyer", "Mill Limited")  # the first one had a typo
    for line in (1, 2, 3):
        loop.capture.line_corrected(first, line, uom="box")
    loop.capture.line_removed(first, 3)
    assert groups(loop, "teacher") == {"documents": (3, 0)}
    loop.capture.field_corrected(second, "buyer", "Mill Limited")
    loop.capture.field_corrected(second, "seller", "Nordwind")
    assert groups(loop, "teacher") == {"documents": (5, 1)}
    other = loop.apply.extract(loop.capture.document_words(order(4713, supplier="Other Works GmbH", lines=[])))
    loop.capture.field_corrected(other, "buyer", "Mill Limited")
    assert [one.again for one in loop.measure.repeats(by="about").groups] == [1, 0]


def test_the_same_suggestion_refused_twice_counts(loop: heedful.Loop) -> None:
    said: dict[str, Any] = {"original": "We met in order to agree.", "suggested": "We met to agree."}
    elsewhere: dict[str, Any] = {"original": "She left in order to sleep.", "suggested": "She left to sleep."}
    decide(loop, "plain-words", "rejected", **said)
    decide(loop, "plain-words", "accepted", **said)
    decide(loop, "plain-words", "skipped", **said)
    decide(loop, "plain-words", "modified", final="We met, to agree.", **elsewhere)  # the same words
    decide(loop, "no-passive", "rejected", **said)  # for another reason
    assert groups(loop, "about") == {"plain-words": (2, 1), "no-passive": (1, 0)}
    decide(loop, "units", "rejected", 5, original="5km", suggested="5 km", bulk=True, actor="dana")  # one click
    decide(loop, "units", "rejected", 2)  # of nothing that could be recognised
    assert groups(loop, "about")["units"] == (3, 0)


def test_what_programs_do_is_not_counted(loop: heedful.Loop) -> None:
    one = taught(loop, "monday", "Always run the tests with pnpm before you push.")
    loop.govern.learnings.approve(one.id)
    other = loop.org("other")
    other.govern.import_(loop.govern.export(), as_own=False)
    assert len(list(other.govern.learnings.all(kind="insight"))) == 1
    assert counted(other) == (0, 0)
    kept = other.capture.correction("make ship", "make release")
    other.govern.learnings.edit(kept.id, right="make publish")
    other.govern.learnings.rate(kept.id, up=True)
    assert counted(other) == (1, 0)


# Whatever happens

_RULES, _RIGHT = ("units", "plain-words"), ("guests", "color", "nil")
_ACTS = st.one_of(
    st.tuples(st.just("correction"), st.sampled_from(_RIGHT), st.sampled_from(["dana", "lee"]), st.integers(0, 25)),
    st.tuples(st.just("fix"), st.sampled_from(_RULES), st.sampled_from(["5km", "7km"]), st.integers(0, 25)),
    st.tuples(st.just("delete"), st.sampled_from(_RIGHT)),
    st.tuples(st.just("clear"), st.sampled_from(_RULES)),
    st.tuples(st.just("rebuild")),
)


@examples(24)
@given(acts=st.lists(_ACTS, min_size=4, max_size=14))
def test_after_erasing_and_rebuilding_it_is_what_the_definition_says(
    loop: heedful.Loop, clock: FrozenClock, acts: list[tuple[Any, ...]]
) -> None:
    lived = loop.org(str(uuid.uuid4()))
    said: list[tuple[tuple[str, ...], datetime]] = []
    for act, *what in acts:
        if act in ("correction", "fix"):
            thing, who, days = what
            at = clock.now - timedelta(days=days)
            if act == "correction":
                lived.capture.correction(f"not {thing}", thing, actor=who, at=at)
                said.append(((act, thing), at))
            else:
                lived.capture.fix(thing, "rejected", original=who, suggested=f"{who[0]} km", at=at)
                said.append(((act, thing, who), at))
        elif act == "delete":
            for one in lived.govern.learnings.all(kind="correction"):
                if one.right == what[0]:
                    lived.govern.learnings.delete(one.id)
            said = [one for one in said if one[0] != ("correction", what[0])]
        elif act == "clear":
            lived.govern.clear(lived.govern.clearing(rules=what).token)
            said = [one for one in said if one[0][:2] != ("fix", what[0])]
        else:
            lived.learn.rebuild()

    found = lived.measure.repeats(weeks=6)
    assert {week.monday: (week.said, week.again) for week in found.weeks if week.said} == _defined(said)
    assert (found.said, found.again) == (len(said), len(said) - len({thing for thing, _ in said}))
    check_sound(lived)


def _defined(said: list[tuple[tuple[str, ...], datetime]]) -> dict[date, tuple[int, int]]:
    """In each week: how often something was said, and how often it had been said before."""
    known: set[tuple[str, ...]] = set()
    total, again = Counter[date](), Counter[date]()
    for thing, at in sorted(said, key=lambda one: one[1]):
        monday = at.date() - timedelta(days=at.weekday())
        total[monday] += 1
        again[monday] += thing in known
        known.add(thing)
    return {monday: (count, again[monday]) for monday, count in total.items()}

"""Of what one prompt would get, two that say the same or the contrary are told from two that only sound alike."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from heedful.learnings.kind import Relation
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.overlaps import Overlaps, compared
from heedful.records.learning import Audience
from heedful.records.learnings import AnyLearning
from tests.unit.apply.test_composing import AT, taught


def learned(text: str, *, days: int = 0, approved: bool = False, audience: Audience = Audience.TEAM) -> AnyLearning:
    made = replace(taught(text, text).learning, id=text, at=AT + timedelta(days=days))
    return replace(made, approved=approved, audience=audience)


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("Retry limit is 3", "The retry limit is 3.", Relation.SAME),
        ("Always run make lint before you commit", "Run make lint before you commit", Relation.SAME),
        ("Retry limit is 3", "Retry limit is 5", Relation.CONTRARY),
        ("The API returns JSON", "The API returns XML", Relation.CONTRARY),
        ("Always run make lint before you commit", "Never run make lint before you commit", Relation.CONTRARY),
        ("The timeout of the mail client is 30 s", "The timeout of the payment client is 30 s", Relation.DIFFERENT),
        ("Round prices up", "Round prices down", Relation.DIFFERENT),
        ("Tests live in tests/unit", "Tests live in tests/contract", Relation.DIFFERENT),
        ("Deploy on Mondays", "Sign letters with kind regards", Relation.DIFFERENT),
    ],
)
def test_two_learnings_are_compared_by_what_they_say(one: str, other: str, relation: Relation) -> None:
    assert compared(learned(one), learned(other)).relation is relation
    assert compared(learned(other), learned(one)).relation is relation


def test_of_contrary_ones_the_newest_approved_stays() -> None:
    old = learned("Retry limit is 3", approved=True)
    middle, new = learned("Retry limit is 5", days=1, approved=True), learned("Retry limit is 7", days=2)

    dropped = Overlaps([old, new, middle]).contrary()
    assert [(one.learning.id, one.instead.id) for one in dropped] == [(old.id, middle.id), (new.id, middle.id)]
    assert [one.learning.id for one in Overlaps([replace(old, approved=False), new]).contrary()] == [old.id]


def test_what_people_openly_disagree_about_and_what_is_for_one_person_stays() -> None:
    one, other = learned("Retry limit is 3"), learned("Retry limit is 5", days=1)

    assert Overlaps([one, replace(other, contradicted_by=(one.id,))]).contrary() == []
    assert Overlaps([replace(one, audience=Audience.ME), other]).contrary() == []


def test_of_those_that_say_the_same_the_first_stays() -> None:
    one, again, other = learned("Retry limit is 3"), learned("The retry limit is 3."), learned("Deploy on Mondays")
    assert [found.learning.id for found in Overlaps([one, other, again]).duplicates()] == [again.id]


def test_what_was_said_about_the_topic_comes_before_what_was_said_in_general_later() -> None:
    own, later = replace(learned("Retry limit is 3"), about="shop"), learned("Retry limit is 5", days=1)

    assert [one.learning.id for one in Overlaps([own, later]).contrary()] == [later.id]
    assert [one.learning.id for one in Overlaps([own, replace(later, approved=True)]).contrary()] == [own.id]


def test_the_title_of_an_insight_is_not_repeated_in_front_of_the_sentence_that_has_it() -> None:
    said = taught("New dependencies", "I said no new dependencies").learning
    assert INSIGHT.render(said).text == "I said no new dependencies"  # type: ignore[arg-type]
    other = taught("Deploy on Mondays", "The team is complete then, and customers are awake").learning
    assert INSIGHT.render(other).text.startswith("Deploy on Mondays. The team")  # type: ignore[arg-type]

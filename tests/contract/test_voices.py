"""One key is one person where it matters how many there are, whatever names it gives; on every database."""

from __future__ import annotations

import pytest

import heedful
from heedful.operations.caller import Caller, acting
from heedful.records.role import Role
from tests.typed import corrections

PEOPLE = ("ann", "ben", "cy", "dana", "eve")


def _key(loop: heedful.Loop, id: str = "crm", *, for_many: bool = False) -> Caller:
    """As the server knows whoever shows this key."""
    loop.govern.keys.create(id, role=Role.INTEGRATOR, for_many=for_many, id=id)
    found = loop.store.key_lookup().by_id(loop.name, id)
    assert found is not None
    return found


def _decide(loop: heedful.Loop, *people: str) -> None:
    for person in people:
        for number in range(3):
            told = {"original": f"in order to go {number}", "suggested": f"to go {number}", "actor": person}
            loop.capture.fix("short", heedful.Decision.ACCEPTED, **told)  # type: ignore[arg-type]


def _exported(loop: heedful.Loop) -> int:
    return len(loop.govern.export().patterns)


@pytest.mark.parametrize("for_many", [False, True])
def test_people_that_a_key_makes_up_do_not_open_what_enough_people_may_read(
    loop: heedful.Loop, *, for_many: bool
) -> None:
    loop.govern.set_privacy(store_original_text=False)
    with acting(_key(loop, for_many=for_many)):
        _decide(loop, *PEOPLE)

    context = loop.apply.rule_context("short")
    assert [one.people for one in context.accepted_patterns] == [5 if for_many else 1]
    assert ("order" in context.prompt) == for_many
    assert context.accepted_patterns[0].readable == for_many
    assert (_exported(loop) > 0) == for_many
    loop.learn.rebuild()
    assert loop.apply.rule_context("short") == context


def test_several_keys_are_several_people(loop: heedful.Loop) -> None:
    for number in range(3):
        assert _exported(loop) == 0
        with acting(_key(loop, f"desk-{number}")):
            _decide(loop, *PEOPLE)
    assert _exported(loop) > 0


def test_the_owner_of_the_process_speaks_for_many(loop: heedful.Loop) -> None:
    _decide(loop, *PEOPLE)
    assert loop.apply.rule_context("short").accepted_patterns[0].people == 5


def _contradict(loop: heedful.Loop, actor: str) -> set[str]:
    """What is in use then."""
    chat = loop.conversation(actor=actor)
    chat.output("The refund period is 60 days.", query="how long is the refund period?")
    heard = chat.message("No, it's 900 days, not 60 days.")
    assert heard is not None
    return {one.right for one in corrections(loop).all(status="active")}


@pytest.mark.parametrize("for_many", [False, True])
def test_people_that_a_key_makes_up_do_not_keep_a_correction_from_being_questioned(
    loop: heedful.Loop, *, for_many: bool
) -> None:
    with acting(_key(loop, for_many=for_many)):
        for person in PEOPLE:
            loop.capture.correction("30 days", "60 days", actor=person)

    assert _contradict(loop, "lee") == ({"60 days"} if for_many else {"60 days", "900 days"})


def test_a_key_cannot_overrule_in_the_name_of_whoever_said_it_first(loop: heedful.Loop) -> None:
    for person in PEOPLE:
        loop.capture.correction("30 days", "60 days", actor=person)

    with acting(_key(loop)):
        assert _contradict(loop, PEOPLE[0]) == {"60 days"}


def test_the_same_correction_may_come_again_with_another_key(loop: heedful.Loop) -> None:
    made = []
    for key in ("old", "new"):
        with acting(_key(loop, key)):
            made.append(loop.capture.correction("30 days", "60 days", actor="ann", id="c-1"))
    assert made[0] == made[1]

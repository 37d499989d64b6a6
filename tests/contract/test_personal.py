"""A correction may be for one person only: nobody else is given it, and nobody else's contradicts it; on every
database."""

from __future__ import annotations

import pytest

import heedful
from heedful.errors import InvalidInput
from heedful.operations.caller import Caller, acting
from heedful.records.learning import Audience
from heedful.records.role import Role
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check, found, report
from tests.typed import corrections

OUTPUT = "Sign the letter with best regards."
QUESTION = "how do I sign the letter?"
MINE = {"query": QUESTION, "actor": "ann", "audience": "me"}


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


def _key(id: str) -> Caller:
    return Caller("acme", Role.INTEGRATOR, id, id)


def test_what_is_for_me_is_given_to_nobody_else(loop: heedful.Loop) -> None:
    made = loop.capture.correction("best regards", "cheers", query=QUESTION, actor="ann", audience="me")
    assert made.audience is Audience.ME

    assert "with cheers" in loop.apply.improve(OUTPUT, query=QUESTION, user="ann").text
    assert found(loop, QUESTION, user="Ann ") == ["cheers"]
    assert "cheers" in loop.apply.context(QUESTION, user="ann").text
    assert "cheers" in loop.agents.prompt(QUESTION, actor="ann").context
    for other in ("ben", None):
        assert loop.apply.improve(OUTPUT, query=QUESTION, user=other).text == OUTPUT
        assert found(loop, QUESTION, user=other) == []
        assert loop.apply.context(QUESTION, user=other).text == ""
        assert loop.agents.prompt(QUESTION, actor=other).context == ""
    check(loop)


def test_a_prompt_says_that_it_is_for_this_person(loop: heedful.Loop) -> None:
    report(loop, "best regards", "cheers", **MINE)
    report(loop, "best regards", "kind regards", query=QUESTION, actor="ben")

    lines = loop.apply.context(QUESTION, user="ann").text.splitlines()
    assert ["for this person" in line for line in lines if "cheers" in line] == [True]
    assert ["for this person" in line for line in lines if "kind regards" in line] == [False]


def test_what_is_for_the_team_is_given_to_everyone(loop: heedful.Loop) -> None:
    assert loop.capture.correction("best regards", "cheers", query=QUESTION, actor="ann").audience is Audience.TEAM

    for reader in ("ann", "ben", None):
        assert found(loop, QUESTION, user=reader) == ["cheers"]


def test_what_is_for_me_contradicts_nobody_and_comes_first_for_me(loop: heedful.Loop) -> None:
    for person in ("ben", "cy"):
        report(loop, "best regards", "kind regards", query=QUESTION, actor=person)
    mine = report(loop, "best regards", "cheers", **MINE)

    assert loop.govern.proposals.page().items == []
    assert corrections(loop).get(mine).contradicted_by == ()
    assert "cheers" in loop.apply.improve(OUTPUT, query=QUESTION, user="ann").text
    assert "kind regards" in loop.apply.improve(OUTPUT, query=QUESTION, user="ben").text


def test_the_same_words_for_me_and_for_the_team_are_two_learnings(loop: heedful.Loop) -> None:
    ids = {
        report(loop, "best regards", "cheers", actor=actor, audience=audience)
        for actor, audience in (("ann", "me"), ("ben", "me"), ("ann", "team"))
    }
    assert len(ids) == 3
    again = loop.capture.correction("best regards", "cheers", actor="ann", audience="me")
    assert (again.id in ids, again.confirmed) == (True, 1)


def test_my_newer_word_replaces_my_older_one(loop: heedful.Loop) -> None:
    report(loop, "best regards", "cheers", **MINE)
    report(loop, "best regards", "bye", **MINE)

    assert found(loop, QUESTION, user="ann") == ["bye"]
    assert loop.govern.proposals.page().items == []


def test_a_topic_holds_for_me_as_well(loop: heedful.Loop) -> None:
    report(loop, "best regards", "cheers", about="shop", **MINE)

    assert found(loop, QUESTION, user="ann", about="shop") == ["cheers"]
    assert found(loop, QUESTION, user="ann", about="bank") == []


def test_with_a_key_me_is_the_key_unless_somebody_is_named(loop: heedful.Loop) -> None:
    with acting(_key("desk")):
        report(loop, "best regards", "cheers", query=QUESTION, audience="me")
        assert found(loop, QUESTION) == ["cheers"]
        assert found(loop, QUESTION, user="ann") == []
    with acting(_key("other")):
        assert found(loop, QUESTION) == []
    assert found(loop, QUESTION) == []


def test_a_chat_may_be_for_its_person(loop: heedful.Loop) -> None:
    chat = loop.conversation(actor="ann", audience="me")
    chat.output("The refund period is 60 days.", query="how long is the refund period?")
    heard = chat.message("No, it's 90 days, not 60 days.")

    assert heard is not None
    assert heard.audience is Audience.ME
    assert "90 days" in chat.improve("The refund period is 60 days.").text
    other = loop.conversation(actor="ben")
    assert "60 days" in other.improve("The refund period is 60 days.", query="how long is the refund period?").text


def test_who_nobody_knows_has_nothing_of_their_own(loop: heedful.Loop) -> None:
    with pytest.raises(InvalidInput, match="has no actor"):
        loop.capture.correction("best regards", "cheers", audience="me")
    with pytest.raises(InvalidInput, match="is not a kind of audience"):
        loop.capture.correction("best regards", "cheers", actor="ann", audience="us")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        loop.capture.message("Thanks!", last_output="Hello.", audience="us")  # type: ignore[arg-type]
    assert list(loop.events()) == []


def test_it_stays_personal_when_it_is_edited_approved_or_derived_again(loop: heedful.Loop) -> None:
    id = report(loop, "best regards", "cheers", **MINE)
    corrections(loop).edit(id, right="see you")
    corrections(loop).approve(id)
    loop.learn.rebuild(["learnings"])

    assert corrections(loop).get(id).audience is Audience.ME
    assert found(loop, QUESTION, user="ann") == ["see you"]
    assert found(loop, QUESTION) == []
    assert loop.apply.agents_md().learnings == ()


@pytest.mark.parametrize("anonymous", [True, False])
def test_pseudonyms_or_not_it_is_the_same_person(loop: heedful.Loop, *, anonymous: bool) -> None:
    loop.govern.set_privacy(anonymize_users=anonymous)
    report(loop, "best regards", "cheers", **MINE)
    loop.govern.set_privacy(anonymize_users=not anonymous)

    assert found(loop, QUESTION, user="ann") == ["cheers"]

"""A learning can be moved to another topic, or made to hold everywhere, and a correction to another audience; on every
database."""

from __future__ import annotations

from typing import Any

import pytest

import heedful
from heedful.errors import InvalidInput
from heedful.operations.caller import Caller, acting
from heedful.records.learning import Audience, Status
from heedful.records.role import Role
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check, found, report
from tests.contract.mining import LINT, PlainReader, taught
from tests.typed import corrections

QUESTION = "how do I deploy?"


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


def test_a_moved_correction_is_found_where_it_is_now(loop: heedful.Loop) -> None:
    words: dict[str, Any] = {"wrong": "make ship", "right": "make release", "query": QUESTION, "actor": "ann"}
    words |= {"about": "shop", "id": "x"}
    made = loop.capture.correction(**words)
    moved = loop.govern.learnings.edit(made.id, about="billing")
    assert (moved.about, moved.version) == ("billing", 2)
    assert loop.govern.learnings.edit(made.id, right="make publish").about == "billing"
    assert [match.learning.id for match in loop.apply.search(QUESTION, about="billing")] == [made.id]
    assert loop.apply.search(QUESTION, about="shop") == []
    assert loop.capture.correction(**words).id == made.id  # sent again, it is still the same one
    everywhere = loop.govern.learnings.edit(made.id, about="")
    assert everywhere.about is None
    assert [match.learning.id for match in loop.apply.search(QUESTION, about="shop")] == [made.id]
    check(loop)


def test_whoever_may_not_approve_does_not_move_an_approval(loop: heedful.Loop) -> None:
    made = loop.capture.correction("make ship", "make release", about="shop", actor="ann")
    loop.govern.learnings.approve(made.id)
    assert loop.govern.learnings.edit(made.id, about="billing").approved
    with acting(Caller("acme", Role.OPERATOR, "k", "olga")):
        assert not loop.govern.learnings.edit(made.id, about="").approved
    assert loop.apply.agents_md().learnings == ()
    check(loop)


def test_what_a_mapping_is_about_cannot_be_changed(loop: heedful.Loop) -> None:
    made = loop.capture.mapping_confirmed("ABC-1", "INT-1", customer="C-9", by="ann")
    with pytest.raises(InvalidInput, match="cannot be edited"):
        loop.govern.learnings.edit(made.id, about="C-8")


# Between the team and one person


def _as(role: Role, key: str) -> Caller:
    return Caller("acme", role, key, key)


def _mine(loop: heedful.Loop, actor: str | None = "ann") -> str:
    return report(loop, "make ship", "make release", query=QUESTION, actor=actor)


def test_a_correction_for_the_team_can_be_made_for_its_person_only(loop: heedful.Loop) -> None:
    made = _mine(loop)
    moved = loop.govern.learnings.edit(made, audience="me")

    assert (moved.audience, moved.version) == (Audience.ME, 2)
    assert found(loop, QUESTION, user="Ann ") == ["make release"]
    assert (found(loop, QUESTION, user="ben"), found(loop, QUESTION)) == ([], [])
    assert "for this person" in loop.apply.context(QUESTION, user="ann").text
    assert loop.govern.learnings.edit(made, right="make publish").audience is Audience.ME
    assert report(loop, "make ship", "make publish", query=QUESTION, actor="ann", audience="me") == made
    assert report(loop, "make ship", "make publish", query=QUESTION, actor="ben") != made
    check(loop)


def test_a_correction_for_one_person_can_be_made_for_the_team(loop: heedful.Loop) -> None:
    made = report(loop, "make ship", "make release", query=QUESTION, actor="ann", audience="me", id="x")
    assert loop.govern.learnings.edit(made, audience="team").audience is Audience.TEAM

    assert found(loop, QUESTION, user="ben") == ["make release"]
    assert loop.govern.learnings.edit(made, why="renamed").audience is Audience.TEAM
    assert report(loop, "make ship", "make release", query=QUESTION, actor="ann", audience="me", id="x") == made
    assert loop.govern.learnings.edit(made, audience="me", about="shop").audience is Audience.ME
    assert found(loop, QUESTION, user="ann", about="shop") == ["make release"]
    check(loop)
    before = loop.govern.learnings.get(made)
    loop.learn.rebuild()
    assert loop.govern.learnings.get(made) == before


@pytest.mark.parametrize("anonymous", [True, False])
def test_for_me_is_for_whoever_taught_it_whoever_edits(loop: heedful.Loop, *, anonymous: bool) -> None:
    loop.govern.set_privacy(anonymize_users=anonymous)
    made = _mine(loop)
    with acting(_as(Role.OPERATOR, "olga")):
        loop.govern.learnings.edit(made, audience="me")
        assert found(loop, QUESTION) == []
    assert found(loop, QUESTION, user="ann") == ["make release"]


def test_without_a_name_it_is_for_the_key_that_taught_it(loop: heedful.Loop) -> None:
    with acting(_as(Role.INTEGRATOR, "desk")):
        made = _mine(loop, None)
    loop.govern.learnings.edit(made, audience="me")

    with acting(_as(Role.INTEGRATOR, "desk")):
        assert found(loop, QUESTION) == ["make release"]
    assert found(loop, QUESTION) == []


def test_what_nobody_taught_stays_for_the_team(loop: heedful.Loop) -> None:
    made = _mine(loop, None)
    with pytest.raises(InvalidInput, match="Nobody knows who taught"):
        loop.govern.learnings.edit(made, audience="me")
    with pytest.raises(InvalidInput, match="is not a kind of audience"):
        loop.govern.learnings.edit(made, audience="us")  # type: ignore[arg-type]
    assert loop.govern.learnings.edit(made, audience="team").audience is Audience.TEAM


def test_an_approval_for_the_team_is_none_for_one_person(loop: heedful.Loop) -> None:
    made = _mine(loop)
    loop.govern.learnings.approve(made)
    assert loop.govern.learnings.edit(made, audience="me").approved  # the caller may approve
    with acting(_as(Role.OPERATOR, "olga")):
        assert loop.govern.learnings.edit(made, severity=0.7).approved  # the same words for the same person
        assert not loop.govern.learnings.edit(made, audience="team").approved
        assert not loop.govern.learnings.edit(made, audience="me").approved
    assert loop.apply.agents_md().learnings == ()
    check(loop)


def test_what_is_made_for_one_person_contradicts_nobody(loop: heedful.Loop) -> None:
    mine = _mine(loop)
    theirs = report(loop, "make ship", "make publish", query=QUESTION, actor="ben")
    loop.govern.learnings.edit(mine, audience="me")

    assert [corrections(loop).get(id).contradicted_by for id in (mine, theirs)] == [(), ()]
    assert list(loop.govern.proposals.all()) == []
    output = "Deploy with make ship."
    assert "make publish" in loop.apply.improve(output, query=QUESTION, user="ben").text
    loop.govern.learnings.approve(mine)
    assert corrections(loop).get(theirs).status is Status.ACTIVE
    loop.govern.learnings.edit(mine, audience="team")
    assert corrections(loop).get(mine).contradicted_by == ()  # it is approved
    loop.govern.learnings.unapprove(mine)
    assert corrections(loop).get(mine).contradicted_by == (theirs,)
    check(loop)


def test_to_forget_a_person_forgets_what_was_made_for_them_only(loop: heedful.Loop) -> None:
    alone, shared = _mine(loop), report(loop, "left", "right", actor="ann")
    report(loop, "left", "right", actor="ben")
    with acting(_as(Role.ADMIN, "olga")):
        for id in (alone, shared):
            loop.govern.learnings.edit(id, audience="me")
            loop.govern.learnings.edit(id, why="renamed")
    loop.govern.forget(user="ann")

    (left,) = corrections(loop).all()
    assert (left.id, left.audience, left.actor) == (shared, Audience.TEAM, loop.store.secret.person("ben"))
    assert loop.store.secret.person("ann") not in repr([event.to_dict() for event in loop.events()])
    check(loop)


def test_to_forget_who_moved_it_moves_it_back(loop: heedful.Loop) -> None:
    made = _mine(loop)
    with acting(_as(Role.ADMIN, "olga")):
        loop.govern.learnings.edit(made, audience="me", why="renamed")
    with acting(_as(Role.ADMIN, "lee")):
        loop.govern.learnings.edit(made, right="make publish")
    loop.govern.forget(user="key:olga")

    one = corrections(loop).get(made)
    assert (one.audience, one.why, one.right) == (Audience.TEAM, "", "make publish")
    check(loop)


def test_only_corrections_have_an_audience_to_change(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder(), reader=PlainReader())
    insight = taught(loop, "a", LINT)
    with pytest.raises(InvalidInput, match="insight has no audience"):
        loop.govern.learnings.edit(insight.id, audience="team")

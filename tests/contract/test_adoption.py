"""Learnings for others and from others: shared files, and the reputation they carry."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

import heedful
from heedful.errors import InvalidLearnings
from heedful.wire import dump
from tests.contract.mining import LINT, RULES, active, taught, whole
from tests.typed import insights


def shared(loop: heedful.Loop) -> dict[str, Any]:
    """As a file has it."""
    found: dict[str, Any] = orjson.loads(dump(loop.govern.learnings.share()))
    return found


def approved(loop: heedful.Loop, id: str, rule: str, **told: Any) -> heedful.Insight:
    return insights(loop).approve(taught(loop, id, rule, **told).id)


def test_only_what_was_approved_is_shared_and_nobody_is_named(loop: heedful.Loop) -> None:
    approved(loop, "chat-1", LINT, actor="dana", project="shop")
    taught(loop, "chat-2", RULES[1], actor="dana", project="shop")
    told = shared(loop)
    (one,) = told["learnings"]
    assert "make lint" in one["title"]
    assert (one["rule"], one["project"], one["conversations"]) == (True, "shop", 1)
    assert "dana" not in str(told)
    assert "chat-1" not in str(told)


def test_what_others_shared_is_adopted_once_and_is_not_approved(loop: heedful.Loop) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    approved(theirs, "chat-1", LINT)
    told = shared(theirs)
    assert ours.govern.learnings.adopt(told).learnings == 1
    assert ours.govern.learnings.adopt(told).already_known == 1
    (one,) = active(ours)
    assert (one.title, one.approved, one.extracted_by) == (told["learnings"][0]["title"], False, "shared")
    assert ours.apply.search("lint before commit")[0].learning.id == one.id
    whole(ours)


def test_it_is_as_sure_as_the_reputation_of_its_contributor_allows(loop: heedful.Loop) -> None:
    good, bad, ours = loop.org("good"), loop.org("bad"), loop.org("ours")
    for org in (good, bad):
        approved(org, "chat-1", LINT, actor="dana")
        other = taught(org, "chat-2", RULES[1], actor="dana")
        insights(org).rate(other.id, up=org is good)
    theirs = [shared(org)["learnings"][0] for org in (good, bad)]
    assert theirs[0]["reputation"] > theirs[1]["reputation"]
    assert [org.measure.reputations()[0].learnings for org in (good, bad)] == [2, 2]
    ours.govern.learnings.adopt(shared(bad))
    (doubted,) = active(ours)
    assert doubted.confidence < theirs[1]["confidence"]


def test_what_is_known_here_word_for_word_stays_as_it_is(loop: heedful.Loop) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    approved(theirs, "chat-1", LINT)
    own = taught(ours, "chat-9", LINT)
    assert ours.govern.learnings.adopt(shared(theirs)).already_known == 1
    assert active(ours) == [own]


@pytest.mark.parametrize(
    "damage",
    [
        lambda told: told | {"format": "something else"},
        lambda told: told | {"version": 2},
        lambda told: told | {"checksum": "0" * 64},
        lambda told: told | {"learnings": "none"},
        lambda told: told | {"learnings": [{**told["learnings"][0], "title": "Trust me"}]},
        lambda told: {**told, "format": None},
        lambda told: [told],
    ],
)
def test_a_file_that_is_damaged_or_was_changed_is_refused_whole(loop: heedful.Loop, damage: Any) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    approved(theirs, "chat-1", LINT)
    approved(theirs, "chat-2", RULES[1])
    with pytest.raises(InvalidLearnings, match="cannot be adopted"):
        ours.govern.learnings.adopt(damage(shared(theirs)))
    assert active(ours) == []

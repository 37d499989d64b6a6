"""Approved learnings in files for others: without quotes and names, and with the reputation they have."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

import heedful
from heedful.errors import InvalidInput, InvalidLearnings
from heedful.govern.sharing.file import checksum
from heedful.testing import FrozenClock
from tests.contract.mining import LINT, RULES, active, taught, whole
from tests.feedback import fix
from tests.typed import insights


def shared(loop: heedful.Loop, **wanted: Any) -> dict[str, Any]:
    """As a file has it."""
    return loop.govern.export(**wanted).document()


def approved(loop: heedful.Loop, id: str, rule: str, **told: Any) -> heedful.Insight:
    return insights(loop).approve(taught(loop, id, rule, **told).id)


def test_only_what_was_approved_is_shared_and_nobody_is_named(loop: heedful.Loop) -> None:
    approved(loop, "chat-1", LINT, actor="dana", project="shop")
    taught(loop, "chat-2", RULES[1], actor="dana", project="shop")
    told = shared(loop)
    (one,) = told["learnings"]
    assert "make lint" in one["fields"]["title"]
    assert (one["kind"], one["fields"]["rule"], one["about"], one["confirmed"]) == ("insight", True, "shop", 0)
    assert "dana" not in str(told)
    assert "chat-1" not in str(told)


def test_what_others_shared_is_imported_once_and_is_not_approved(loop: heedful.Loop) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    approved(theirs, "chat-1", LINT)
    told = shared(theirs)
    first = ours.govern.import_(told)
    assert (first.learnings, first.already_known) == (1, 0)
    before = list(ours.events())
    again = ours.govern.import_(told)
    assert (again.learnings, again.already_known) == (1, 1)
    assert list(ours.events()) == before
    (one,) = active(ours)
    assert (one.title, one.approved, one.extracted_by) == (told["learnings"][0]["fields"]["title"], False, "shared")
    assert ours.apply.search("lint before commit")[0].learning.id == one.id
    whole(ours)


def test_it_is_as_sure_as_the_reputation_of_its_contributor_allows(loop: heedful.Loop) -> None:
    good, bad, ours, own = (loop.org(name) for name in ("good", "bad", "ours", "own"))
    for org in (good, bad):
        approved(org, "chat-1", LINT, actor="dana")
        other = taught(org, "chat-2", RULES[1], actor="dana")
        insights(org).rate(other.id, up=org is good)
    theirs = [shared(org)["learnings"][0] for org in (good, bad)]
    assert theirs[0]["reputation"] > theirs[1]["reputation"]
    assert [org.measure.reputations()[0].learnings for org in (good, bad)] == [2, 2]
    ours.govern.import_(shared(bad))
    (doubted,) = active(ours)
    assert doubted.confidence < theirs[1]["confidence"]
    own.govern.import_(shared(bad, include_statistics=False), as_own=True)
    assert [(one.confidence, one.approved) for one in active(own)] == [(theirs[1]["confidence"], False)]


def test_what_is_known_here_word_for_word_stays_as_it_is(loop: heedful.Loop) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    approved(theirs, "chat-1", LINT)
    own = taught(ours, "chat-9", LINT)
    assert ours.govern.import_(shared(theirs)).already_known == 1
    assert active(ours) == [own]


def test_a_choice_among_one_section_leaves_out_the_other(loop: heedful.Loop, clock: FrozenClock) -> None:
    approved(loop, "chat-1", LINT, project="shop")
    approved(loop, "chat-2", RULES[1], project="bank", at=clock.now - timedelta(days=40))
    for n in range(3):
        fix(loop, n, actor=f"person-{n}")

    def sizes(**wanted: Any) -> tuple[int, bool, int]:
        told = loop.govern.export(**wanted)
        return len(told.patterns), told.statistics is not None, len(told.learnings)

    assert sizes() == (1, True, 2)
    assert sizes(rules=["short"]) == (1, True, 0)
    assert sizes(about="shop") == (0, False, 1)
    assert sizes(about="shop", rules=["short"]) == (1, True, 1)
    assert sizes(include_learnings=False) == (1, True, 0)
    assert sizes(include_patterns=False, include_statistics=False) == (0, False, 2)
    assert sizes(period="7d") == (1, True, 1)
    with pytest.raises(InvalidInput):
        sizes(about="")


def test_one_file_brings_patterns_and_learnings_together(loop: heedful.Loop) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    approved(theirs, "chat-1", LINT)
    for n in range(3):
        fix(theirs, n, actor=f"person-{n}")
    file = theirs.govern.export()
    for known in (0, 2):
        done = ours.govern.import_(file)
        assert (done.rules, done.patterns, done.learnings, done.already_known) == (1, 1, 1, known)
    assert (len(active(ours)), ours.apply.rule_context("short").imported_count) == (1, 3)


def _changed(told: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """With another first learning, and the checksum that fits."""
    first, *rest = told["learnings"]
    changed = {**told, "learnings": [{**first, **changes}, *rest]}
    return {**changed, "checksum": checksum(changed)}


def _with_fields(told: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return _changed(told, fields={**told["learnings"][0]["fields"], **fields})


@pytest.mark.parametrize(
    "damage",
    [
        lambda told: told | {"format": "something else"},
        lambda told: told | {"version": 2},
        lambda told: told | {"checksum": "0" * 64},
        lambda told: told | {"learnings": "none"},
        lambda told: told | {"learnings": [{**told["learnings"][0], "category": "anti_pattern"}]},
        lambda told: {**told, "format": None},
        lambda told: [told],
        lambda told: _changed(told, kind="correction"),
        lambda told: _changed(told, kind="pattern"),
        lambda told: _changed(told, kind="unheard of"),
        lambda told: _changed(told, category="unheard of"),
        lambda told: _changed(told, about=""),
        lambda told: _changed(told, at="yesterday"),
        lambda told: _changed(told, confidence=1.5),
        lambda told: _changed(told, reputation=True),
        lambda told: _changed(told, confirmed=-1),
        lambda told: _changed(told, rated_up=1.0),
        lambda told: _changed(told, fields={}),
        lambda told: _with_fields(told, title=" "),
        lambda told: _with_fields(told, title=5),
        lambda told: _with_fields(told, title="x" * 101),
        lambda told: _with_fields(told, content={"what": "x" * 2_001}),
        lambda told: _with_fields(told, content="Run make lint first."),
        lambda told: _with_fields(told, content={"unheard of": "x"}),
        lambda told: _with_fields(told, tags="lint"),
        lambda told: _with_fields(told, tags=["a\nb"]),
    ],
)
def test_a_file_that_is_damaged_or_was_changed_is_refused_whole(loop: heedful.Loop, damage: Any) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    approved(theirs, "chat-1", LINT)
    approved(theirs, "chat-2", RULES[1])
    with pytest.raises(InvalidLearnings, match=r"Nothing was imported\."):
        ours.govern.import_(damage(shared(theirs)))
    assert active(ours) == []


def test_a_file_holds_10_000_learnings_at_most(loop: heedful.Loop) -> None:
    theirs, ours = loop.org("theirs"), loop.org("ours")
    approved(theirs, "chat-1", LINT)
    told = shared(theirs)
    many = {**told, "learnings": told["learnings"] * 10_001}
    with pytest.raises(InvalidLearnings, match="10,000 learnings"):
        ours.govern.import_({**many, "checksum": checksum(many)})

"""A learning can be moved to another topic, or made to hold everywhere; on every database."""

from __future__ import annotations

from typing import Any

import pytest

import heedful
from heedful.errors import InvalidInput
from heedful.operations.caller import Caller, acting
from heedful.records.role import Role
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check

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

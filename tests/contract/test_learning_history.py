"""Whatever happens to corrections, the table of learnings equals a fold over the log, on every database."""

from __future__ import annotations

import importlib
import uuid
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.edges.worker import Worker
from heedful.learnings.projection import LEARNINGS
from heedful.loop import OWN, Loop
from heedful.store import Store
from heedful.store.redaction import Redaction
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check, is_live, learnings, rows, vectors
from tests.examples import examples
from tests.typed import corrections

PHRASES = ("an error", "nil", "an empty list", "Nil.", "")
INSTRUCTIONS = ("Wait 5 seconds before the next try.", "Wait 10 seconds before the next try.", "Retry failed uploads.",
                "Never retry failed uploads.", "who", "der Fehler in parse_config")  # fmt: skip
PAIRS = st.tuples(st.sampled_from(PHRASES), st.sampled_from(PHRASES)).filter(lambda pair: pair[0] != pair[1])
SAID = st.one_of(PAIRS, st.tuples(st.just(""), st.sampled_from(INSTRUCTIONS)))
TOLD = st.fixed_dictionaries(
    {"said": SAID},
    optional={
        "about": st.sampled_from(["billing", "search"]),
        "why": st.sampled_from(["The interface changed in May.", "So that nobody waits."]),
        "query": st.sampled_from(["what does parse() return?", ""]),
        "confidence": st.sampled_from([0, 0.5, 1]),
        "actor": st.sampled_from(["ann", "ben"]),
    },
)
NUMBER = st.integers(0, 9)
"""Which of the learnings there are, counted round."""

CHANGES = (
    st.tuples(st.just("report"), TOLD),
    st.tuples(st.just("again"), NUMBER),
    st.tuples(st.just("contradict"), NUMBER),
    st.tuples(st.just("batch"), st.lists(TOLD, min_size=2, max_size=6)),
    st.tuples(st.just("edit"), st.tuples(NUMBER, st.sampled_from([*PHRASES[:3], *INSTRUCTIONS]))),
    st.tuples(st.just("adjust"), st.tuples(NUMBER, st.sampled_from([-1, -0.3, 0.05, 1]))),
    st.tuples(st.just("apply"), NUMBER),
    st.tuples(st.just("delete"), NUMBER),
    st.tuples(st.just("stray"), NUMBER),
)
STEPS = st.lists(
    st.one_of(
        *CHANGES,
        st.tuples(st.just("undo"), st.lists(st.one_of(*CHANGES), min_size=1, max_size=4)),
        st.tuples(st.just("rebuild"), st.none()),
        st.tuples(st.just("older code"), st.lists(SAID, min_size=1, max_size=3)),
        st.tuples(st.just("work"), st.none()),
        st.tuples(st.just("privacy"), st.booleans()),
    ),
    min_size=4,
    max_size=14,
)


def _correction(told: dict[str, Any]) -> dict[str, Any]:
    wrong, right = told["said"]
    return {"wrong": wrong, "right": right, **{name: value for name, value in told.items() if name != "said"}}


def _plain(wrong: str, right: str, **more: Any) -> dict[str, Any]:
    """A correction as an event of another program."""
    before, after = {"wrong": wrong} if wrong else {}, {"right": right} if right else {}
    return {"kind": "CORRECTION_REPORTED", "before": before, "after": after, **more}


def _chosen(loop: heedful.Loop, number: int) -> heedful.Correction | None:
    """None if there are none, as far as the table knows."""
    there = list(corrections(loop).all())
    return there[number % len(there)] if there else None


def _live(loop: heedful.Loop, older: heedful.Loop, step: str, told: Any) -> None:
    if step == "report":
        loop.capture.correction(**_correction(told))
    elif step == "batch":
        loop.capture.corrections(map(_correction, told))
    elif step == "undo":
        with pytest.raises(ZeroDivisionError), loop.transaction():
            for inner in told:
                _live(loop, older, *inner)
            raise ZeroDivisionError
    elif step == "rebuild":
        loop.learn.rebuild(["learnings"])
    elif step == "older code":
        older.capture.events([_plain(*said) for said in told])
    elif step == "work":
        Worker(loop).run_all()
    elif step == "privacy":
        loop.govern.set_privacy(store_original_text=told)
    else:
        _change(loop, step, told)


def _change(loop: heedful.Loop, step: str, told: Any) -> None:
    number, more = told if isinstance(told, tuple) else (told, None)
    one = _chosen(loop, number)
    if one is None:
        return
    if step == "again":
        wrong = "" if one.wrong == one.right else one.wrong  # an edit may have made them the same
        loop.capture.correction(wrong, one.right, about=one.about)
    elif step == "contradict":
        loop.capture.correction(one.wrong or one.right, f"{one.right} or none", about=one.about)
    elif step == "edit":
        corrections(loop).edit(one.id, right=more)
    elif step == "adjust":
        corrections(loop).adjust(one.id, by=more)
    elif step == "apply":
        loop.capture.event("LEARNING_APPLIED", entity=("learning", one.id))
    elif step == "delete":
        corrections(loop).delete(one.id)
    else:
        _stray(loop, one.id)


def _stray(loop: heedful.Loop, id: str) -> None:
    """Events that heedful would not have written so."""
    loop.capture.events(
        [
            _plain("", ""),
            _plain("stray", "straight", entity=("learning", id), meta={"category": "xy"}),
            {"kind": "LEARNING_EDITED", "entity": ("learning", id)},
            {"kind": "LEARNING_ADJUSTED", "entity": ("learning", id), "meta": {"by": 0.0}},
            {"kind": "LEARNING_APPLIED", "entity": ("learning", "not yet")},
            {"kind": "LEARNING_APPLIED", "entity": ("topic", id)},
            {"kind": "LEARNING_CONFIRMED"},
        ]
    )


def _of_older_code(loop: heedful.Loop) -> heedful.Loop:
    """A process on the same database that has never heard of learnings."""
    without = replace(OWN, projections=tuple(one for one in OWN.projections if one is not LEARNINGS))
    return Loop(Store(loop.store.database, loop.name, loop.store.clock, [without], redactor=Redaction), loop._providers)


def _whole(loop: heedful.Loop) -> list[Any]:
    """Every byte, but for the number of the generation."""
    return [rows(loop, "learning"), rows(loop, "posting", "term, block, entries"), rows(loop, "learning_vector")]


@examples(20)
@given(steps=STEPS)
def test_learnings_equal_a_fold_over_the_log_after_any_history(
    open_loop: OpenLoop, clock: FrozenClock, steps: list[tuple[str, Any]]
) -> None:
    with open_loop(str(uuid.uuid4()), embedder=WordEmbedder()) as loop:  # each example has its own organisation
        older = _of_older_code(loop)
        loop.capture.event("FIELD_SET")
        for step in steps:
            clock.advance(hours=1)
            _live(loop, older, *step)
            if is_live(loop):
                check(loop)

        loop.learn.catch_up("learnings")
        check(loop)
        loop.learn.embed()
        kept = learnings(loop).values()
        assert vectors(loop) == {state.no: (state.said, "words-1") for state in kept}
        ids = {state.id for state in kept}
        assert {state.superseded_by for state in kept} - {None} <= ids
        before = _whole(loop)
        loop.learn.rebuild(["learnings"])
        assert _whole(loop) == before


@examples(10)
@given(told=st.lists(TOLD, min_size=1, max_size=12))
def test_each_is_the_same_whether_recorded_alone_or_with_others(
    open_loop: OpenLoop, told: list[dict[str, Any]]
) -> None:
    with open_loop(embedder=WordEmbedder()) as first:
        alone, together = first.org(str(uuid.uuid4())), first.org(str(uuid.uuid4()))
        for one in told:
            alone.capture.correction(**_correction(one))
        together.capture.corrections(map(_correction, told))

        assert [_shown(one) for one in corrections(alone).all()] == [_shown(one) for one in corrections(together).all()]


def _shown(one: heedful.Correction) -> tuple[object, ...]:
    return one.wrong, one.right, one.status, one.confirmed, one.confidence, one.version


def test_what_is_deleted_while_the_table_catches_up_stays_deleted(
    open_loop: OpenLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its events are beyond the place up to which the table counts as derived."""
    monkeypatch.setattr(importlib.import_module("heedful.learnings.projection"), "_CHUNK", 3)
    loop = open_loop(embedder=WordEmbedder())
    loop.capture.correction("an error", "nil", id="first")
    _of_older_code(loop).capture.events(_plain(f"wrong w{n}", f"right v{n}", id=f"i{n}") for n in range(8))
    loop.capture.correction("a panic", "a list", id="newer")
    assert not is_live(loop)
    turns = iter(["i1", "i4", "newer"])

    def delete_meanwhile(_: int) -> None:
        if (id := next(turns, None)) is not None:
            corrections(loop).delete(id)

    LEARNINGS.rebuild(loop.store, from_scratch=False, progress=delete_meanwhile)

    assert sorted(learnings(loop)) == ["first", "i0", "i2", "i3", "i5", "i6", "i7"]
    check(loop)


def test_a_chain_of_deletions_leaves_nothing(open_loop: OpenLoop) -> None:
    loop = open_loop(embedder=WordEmbedder())
    said = ["two spaces", "four spaces", "tabs", "one space"]
    ids = [loop.capture.correction(wrong, right).id for wrong, right in pairwise(said)]
    for id in (ids[1], ids[0], ids[2]):
        corrections(loop).delete(id)
        check(loop)

    assert rows(loop, "learning") == rows(loop, "posting") == rows(loop, "learning_vector") == []

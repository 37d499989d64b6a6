"""Derived state is in step with the log, and can be made again from it, on every database."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful import CountingProjection, Counts, Event, Extension, JobState
from heedful.edges.worker import Worker
from heedful.errors import InvalidInput, Misconfigured, NotFound
from heedful.testing import FrozenClock, sample_acts
from tests.conftest import OpenLoop
from tests.examples import examples


def _by_actor(events: Sequence[Event], counts: Counts) -> None:
    for event in events:
        counts.count("actor", event.actor or "nobody")


def _by_actor_doubled(events: Sequence[Event], counts: Counts) -> None:
    for event in events:
        counts.count("actor", event.actor or "nobody", by=2)


PEOPLE = Extension("people", projections=(CountingProjection("people", 1, _by_actor),))
PEOPLE_2 = Extension("people", projections=(CountingProjection("people", 2, _by_actor_doubled),))


def _people(loop: heedful.Loop) -> dict[str, int]:
    return {count.key: count.value for count in loop.store.projections.counts("people", "actor", -(2**31), 2**31 - 1)}


def test_activity_is_counted_per_day_and_kind(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.capture.event("FIELD_SET", layout="a")
    loop.capture.event("FIELD_SET", layout="b")
    loop.capture.event("FIELD_SET", at=clock.now - timedelta(days=400))
    clock.advance(days=1)
    loop.capture.event("CUSTOMER_SELECTED")

    assert [(c.key, c.day, c.value) for c in loop.measure.activity()] == [
        ("FIELD_SET", date(2024, 12, 1), 1),
        ("FIELD_SET", date(2026, 1, 5), 2),
        ("CUSTOMER_SELECTED", date(2026, 1, 6), 1),
    ]
    assert [(c.key, c.value) for c in loop.measure.activity("layout")] == [("a", 1), ("b", 1)]
    assert [c.key for c in loop.measure.activity(since=date(2026, 1, 6))] == ["CUSTOMER_SELECTED"]
    assert [c.value for c in loop.measure.activity(until=date(2024, 12, 31))] == [1]


def test_rebuilding_gives_what_living_through_it_gave(loop: heedful.Loop) -> None:
    loop.capture.events(sample_acts(700))
    lived = loop.measure.activity(), loop.measure.activity("layout")
    seen: list[int] = []

    assert loop.learn.rebuild(progress=seen.append) == [
        "activity", "suggestions", "learnings", "mining", "documents", "exposures", "said",
    ]  # fmt: skip

    assert (loop.measure.activity(), loop.measure.activity("layout")) == lived
    assert sum(seen) == 7 * 700


STEPS = st.lists(st.sampled_from(["one", "batch", "rebuild", "old code", "new code", "work"]), max_size=12)


@examples(30)
@given(steps=STEPS)
def test_counters_equal_a_recount_after_any_history(open_loop: OpenLoop, steps: list[str]) -> None:
    """Processes with and without the projection, and with two versions of it, write the same log."""
    org = str(uuid.uuid4())  # every example has an organisation of its own
    with (
        open_loop(org) as bare,
        open_loop(org, extensions=[PEOPLE]) as first,
        open_loop(org, extensions=[PEOPLE_2]) as second,
    ):
        for seed, step in enumerate(steps):
            if step == "one":
                first.capture.event("FIELD_SET", actor=f"p{seed % 3}")
            elif step == "batch":
                second.capture.events(sample_acts(7, seed=seed))
            elif step == "old code":
                bare.capture.events(sample_acts(3, seed=seed))
            elif step == "new code":
                second.capture.event("FIELD_SET", actor="new")
            elif step == "rebuild":
                second.learn.rebuild()
            else:
                Worker(second).run_all()
        second.learn.catch_up("people")
        second.capture.event("FIELD_SET", actor="last")
        expected: dict[str, int] = {}
        for event in second.events():
            expected[event.actor or "nobody"] = expected.get(event.actor or "nobody", 0) + 2
        assert _people(second) == expected
        assert sum(c.value for c in second.measure.activity()) == sum(expected.values()) // 2


def test_a_new_projection_catches_up_with_the_log_by_a_job(open_loop: OpenLoop) -> None:
    open_loop().capture.events(sample_acts(50))
    loop = open_loop(extensions=[PEOPLE])
    assert [state.live for state in loop.learn.projections() if state.name == "people"] == [False]

    loop.capture.event("FIELD_SET", actor="dana")
    assert next(iter(loop.jobs.all())).name == "derive"
    assert Worker(loop).run_all() == 1

    assert sum(_people(loop).values()) == 51
    assert [(state.live, state.position) for state in loop.learn.projections()] == [(True, 51)] * 8
    assert loop.jobs.count_by_state()[JobState.COMPLETED] == 1


def test_a_changed_projection_is_derived_anew(open_loop: OpenLoop) -> None:
    open_loop(extensions=[PEOPLE]).capture.events(sample_acts(20))
    loop = open_loop(extensions=[PEOPLE_2])

    assert loop.learn.catch_up("people") == 20

    assert sum(_people(loop).values()) == 40


def test_older_code_does_not_spoil_what_newer_code_derived(open_loop: OpenLoop) -> None:
    newer, older = open_loop(extensions=[PEOPLE_2]), open_loop(extensions=[PEOPLE])
    newer.capture.event("FIELD_SET", actor="dana")
    older.capture.event("FIELD_SET", actor="dana")
    older.learn.catch_up("people")
    newer.capture.event("FIELD_SET", actor="dana")
    Worker(newer).run_all()

    assert _people(newer) == {"dana": 6}
    with pytest.raises(Misconfigured, match="derived by version 2"):
        older.learn.rebuild()
    assert _people(newer) == {"dana": 6}


def test_a_worker_without_the_projection_leaves_it_to_one_that_has_it(open_loop: OpenLoop) -> None:
    bare = open_loop()
    bare.capture.events(sample_acts(5))
    knows = open_loop(extensions=[PEOPLE])
    knows.capture.event("FIELD_SET", actor="dana")

    assert Worker(bare).run_all() == 1
    assert bare.jobs.count_by_state()[JobState.DEAD_LETTER] == 0
    knows.capture.event("FIELD_SET", actor="dana")
    Worker(knows).run_all()
    assert sum(_people(knows).values()) == 7


def test_the_clock_may_be_in_any_zone(open_loop: OpenLoop) -> None:
    west = timezone(timedelta(hours=-5))
    loop = open_loop(clock=lambda: datetime(2026, 1, 1, 22, tzinfo=west))
    loop.capture.event("FIELD_SET")
    lived = loop.measure.activity()
    loop.learn.rebuild()

    assert [count.day for count in lived] == [date(2026, 1, 2)]
    assert loop.measure.activity() == lived


def test_counters_are_whole_numbers() -> None:
    with pytest.raises(InvalidInput, match="whole numbers"):
        Counts().count("share", "x", by=0.5)  # type: ignore[arg-type]


def test_two_projections_of_one_name_are_refused(open_loop: OpenLoop) -> None:
    with pytest.raises(Misconfigured, match="two of the projection 'people'"):
        open_loop(extensions=[PEOPLE, PEOPLE_2])


def test_activity_is_asked_for_by_what_is_counted(loop: heedful.Loop) -> None:
    with pytest.raises(InvalidInput, match="not counted by 'colour'"):
        loop.measure.activity("colour")  # type: ignore[arg-type]


def test_an_unknown_projection_is_not_found(loop: heedful.Loop) -> None:
    with pytest.raises(NotFound, match="There are: activity"):
        loop.learn.rebuild(["nope"])


def test_rebuilding_an_empty_log_is_fine(loop: heedful.Loop) -> None:
    loop.learn.rebuild()

    assert loop.measure.activity() == []
    assert loop.store.organisations() == []
    loop.capture.event("FIELD_SET")
    assert [c.value for c in loop.measure.activity()] == [1]

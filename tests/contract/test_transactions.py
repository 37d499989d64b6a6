"""An event, the counters it changes and the jobs it causes are written together or not at all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import heedful
from heedful import Derived, Event, Extension, JobRequest, JobState, Projection, Reaction
from tests.conftest import OpenLoop


class ProjectionFailed(Exception):
    """What a broken projection raises."""


def _fold_or_fail(events: Sequence[Event], derived: Derived) -> None:
    derived.count("seen", "all", by=len(events))
    if any(event.actor == "trouble" for event in events):
        raise ProjectionFailed


EXTENSION = Extension(
    "test",
    projections=(Projection("fragile", 1, _fold_or_fail),),
    reactions=(Reaction("CONVERSATION_COMPLETED", lambda event: JobRequest("extract", {"event": event.id})),),
)


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(extensions=[EXTENSION])


def _state(loop: heedful.Loop) -> tuple[int, int, int]:
    counted = sum(count.value for count in loop.measure.activity())
    return len(list(loop.events())), counted, loop.jobs.count_by_state()[JobState.QUEUED]


def test_an_event_brings_its_counters_and_its_job(loop: heedful.Loop) -> None:
    event = loop.capture.event("CONVERSATION_COMPLETED", actor="dana")

    assert _state(loop) == (1, 1, 1)
    assert loop.jobs.find()[0].payload == {"event": event.id}


def test_when_a_projection_fails_nothing_is_kept(loop: heedful.Loop) -> None:
    loop.capture.event("CONVERSATION_COMPLETED", actor="dana")

    with pytest.raises(ProjectionFailed):
        loop.capture.event("CONVERSATION_COMPLETED", actor="trouble")

    assert _state(loop) == (1, 1, 1)


def test_a_transaction_keeps_several_acts_together(loop: heedful.Loop) -> None:
    with pytest.raises(RuntimeError, match="on second thoughts"), loop.transaction():
        loop.capture.event("CONVERSATION_COMPLETED")
        loop.jobs.put(JobRequest("by hand"))
        assert _state(loop) == (1, 1, 2)
        raise RuntimeError("on second thoughts")

    assert _state(loop) == (0, 0, 0)

    with loop.transaction():
        loop.capture.event("CONVERSATION_COMPLETED")
        loop.jobs.put(JobRequest("by hand"))

    assert _state(loop) == (1, 1, 2)


def test_a_failure_inside_a_transaction_undoes_only_its_own_part(loop: heedful.Loop) -> None:
    with loop.transaction():
        loop.capture.event("CONVERSATION_COMPLETED", actor="dana")
        with pytest.raises(ProjectionFailed):
            loop.capture.event("CONVERSATION_COMPLETED", actor="trouble")
        loop.capture.event("CONVERSATION_COMPLETED", actor="lee")

    assert _state(loop) == (2, 2, 2)
    assert [event.actor for event in loop.events()] == ["dana", "lee"]


def test_a_transaction_writes_for_one_organisation(loop: heedful.Loop) -> None:
    with pytest.raises(RuntimeError, match="cannot write for 'globex'"), loop.transaction():
        loop.org("globex").capture.event("CUSTOMER_SELECTED")

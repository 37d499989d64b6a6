"""The queue, on every database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

import heedful
from heedful import Extension, Job, JobRequest, JobState
from heedful.edges.worker import Worker
from heedful.errors import Conflict, InvalidInput, LeaseLost, NotFound
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop

Work = Callable[[heedful.Loop, Job], Mapping[str, Any] | None]


class Boom(Exception):
    """What a failing handler raises."""


@pytest.fixture
def handled() -> list[Any]:
    """What the handlers of a test did, in order."""
    return []


@pytest.fixture
def loop(open_loop: OpenLoop, handled: list[Any]) -> heedful.Loop:
    def note(loop: heedful.Loop, job: Job) -> dict[str, Any]:
        handled.append(job.payload.get("n"))
        return {"org": loop.name}

    def fail(loop: heedful.Loop, job: Job) -> None:
        handled.append(job.attempts)
        raise Boom("no luck")

    def again(loop: heedful.Loop, job: Job) -> None:
        handled.append(job.payload["n"])
        if len(handled) == 1:
            loop.jobs.put(JobRequest("again", {"n": 2}, key="k"))

    return open_loop(extensions=[Extension("test", handlers={"note": note, "fail": fail, "again": again})])


def test_a_job_is_queued_then_completed(loop: heedful.Loop, handled: list[Any]) -> None:
    job = loop.jobs.put(JobRequest("note", {"n": 1}))
    assert job.state is JobState.QUEUED

    assert Worker(loop).run_all() == 1

    done = loop.jobs.get(job.id)
    assert handled == [1]
    assert done.state is JobState.COMPLETED
    assert done.result == {"org": "acme"}
    assert loop.jobs.count_by_state()[JobState.COMPLETED] == 1


def test_urgent_jobs_come_first_then_those_that_waited_longest(
    loop: heedful.Loop, clock: FrozenClock, handled: list[Any]
) -> None:
    for n, priority in ((1, 0), (2, 0), (3, 9), (4, -1)):
        loop.jobs.put(JobRequest("note", {"n": n}, priority=priority))
        clock.advance(seconds=1)

    Worker(loop).run_all()

    assert handled == [3, 1, 2, 4]


def test_a_delayed_job_waits(loop: heedful.Loop, clock: FrozenClock, handled: list[Any]) -> None:
    loop.jobs.put(JobRequest("note", {"n": 1}, delay=timedelta(minutes=5)))
    worker = Worker(loop)

    assert worker.run_all() == 0
    clock.advance(minutes=5)
    assert worker.run_all() == 1


def test_a_failing_job_is_tried_three_times_with_growing_pauses_then_given_up(
    loop: heedful.Loop, clock: FrozenClock, handled: list[Any]
) -> None:
    job = loop.jobs.put(JobRequest("fail"))
    worker = Worker(loop)

    worker.run_all()
    assert loop.jobs.get(job.id).state is JobState.FAILED
    assert loop.jobs.get(job.id).error == "Boom: no luck"
    assert worker.run_all() == 0
    clock.advance(seconds=2)
    assert worker.run_all() == 1
    clock.advance(seconds=3)
    assert worker.run_all() == 0
    clock.advance(seconds=1)
    assert worker.run_all() == 1

    assert handled == [1, 2, 3]
    assert loop.jobs.get(job.id).state is JobState.DEAD_LETTER
    clock.advance(days=1)
    assert worker.run_all() == 0


def test_a_job_without_a_handler_waits_for_a_worker_that_has_one(loop: heedful.Loop) -> None:
    job = loop.jobs.put(JobRequest("unheard of", priority=9))
    loop.jobs.put(JobRequest("note"))

    assert Worker(loop).run_all() == 1
    assert loop.jobs.get(job.id).state is JobState.QUEUED


@pytest.mark.parametrize("trouble", [ValueError("broken \udcff text"), ValueError("a\x00b"), SystemExit(3)])
def test_whatever_a_handler_raises_fails_its_job_and_nothing_else(open_loop: OpenLoop, trouble: BaseException) -> None:
    def raise_it(loop: heedful.Loop, job: Job) -> None:
        raise trouble

    loop = open_loop(extensions=[Extension("test", handlers={"raise": raise_it})])
    job = loop.jobs.put(JobRequest("raise", max_attempts=1))

    assert Worker(loop).run_all() == 1
    assert loop.jobs.get(job.id).state is JobState.DEAD_LETTER
    assert (loop.jobs.get(job.id).error or "").startswith(type(trouble).__name__)


@pytest.mark.parametrize(
    "bad",
    [
        {"name": ""}, {"key": "\ud800"}, {"priority": 2**63}, {"priority": "x"}, {"max_attempts": 0},
        {"delay": 5}, {"delay": timedelta.max}, {"delay": timedelta(-1)}, {"payload": {"x": {1}}},
    ],
)  # fmt: skip
def test_a_job_that_cannot_be_queued_is_refused(loop: heedful.Loop, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        loop.jobs.put(JobRequest(**{"name": "note", **bad}))
    assert list(loop.jobs.all()) == []


@pytest.mark.parametrize(
    "bad", [{"limit": -1}, {"limit": 1.5}, {"limit": True}, {"state": "asleep"}, {"name": "\ud800"}]
)
def test_jobs_cannot_be_found_by_nonsense(loop: heedful.Loop, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        list(loop.jobs.all(**bad))


def test_a_job_that_was_given_up_can_be_retried(loop: heedful.Loop, clock: FrozenClock, handled: list[Any]) -> None:
    job = loop.jobs.put(JobRequest("fail", max_attempts=1))
    worker = Worker(loop)
    worker.run_all()
    assert loop.jobs.get(job.id).state is JobState.DEAD_LETTER

    assert loop.jobs.retry(job.id).state is JobState.QUEUED
    worker.run_all()

    assert handled == [1, 1]


def test_what_is_not_broken_is_not_retried(loop: heedful.Loop) -> None:
    job = loop.jobs.put(JobRequest("note"))

    with pytest.raises(Conflict, match="needs no retry"):
        loop.jobs.retry(job.id)
    with pytest.raises(NotFound, match="no job"):
        loop.jobs.retry("nope")


def test_a_retry_does_not_double_work_that_was_queued_anew(loop: heedful.Loop) -> None:
    given_up = loop.jobs.put(JobRequest("fail", key="k", max_attempts=1))
    Worker(loop).run_all()
    loop.jobs.put(JobRequest("fail", key="k"))

    with pytest.raises(Conflict, match="needs no retry"):
        loop.jobs.retry(given_up.id)


def test_the_same_work_is_queued_once(loop: heedful.Loop, clock: FrozenClock, handled: list[Any]) -> None:
    first = loop.jobs.put(JobRequest("note", {"n": 1}, key="conversation-7", delay=timedelta(hours=1)))
    second = loop.jobs.put(JobRequest("note", {"n": 2}, key="conversation-7", priority=5))
    other = loop.jobs.put(JobRequest("note", {"n": 3}, key="conversation-8"))

    assert second.id == first.id != other.id
    assert second.priority == 5
    assert second.run_at == clock.now

    Worker(loop).run_all()
    assert handled == [2, 3]
    assert loop.jobs.put(JobRequest("note", {"n": 4}, key="conversation-7")).id != first.id


def test_work_asked_for_while_it_is_being_done_is_done_once_more(loop: heedful.Loop, handled: list[Any]) -> None:
    loop.jobs.put(JobRequest("again", {"n": 1}, key="k"))

    Worker(loop).run_all()

    assert handled == [1, 2]
    assert loop.jobs.count_by_state()[JobState.COMPLETED] == 1


def test_the_job_of_a_dead_worker_is_taken_over(loop: heedful.Loop, clock: FrozenClock, handled: list[Any]) -> None:
    job = loop.jobs.put(JobRequest("note", {"n": 1}))
    bench = loop.store.workbench(timedelta(seconds=30))
    assert bench.claim("dead", ["note"]) is not None

    worker = Worker(loop)
    assert worker.run_all() == 0
    clock.advance(seconds=31)
    assert worker.run_all() == 1

    assert loop.jobs.get(job.id).state is JobState.COMPLETED
    assert loop.jobs.get(job.id).attempts == 2


def test_a_job_that_kills_its_workers_is_given_up(loop: heedful.Loop, clock: FrozenClock) -> None:
    job = loop.jobs.put(JobRequest("note"))
    bench = loop.store.workbench(timedelta(seconds=30))
    for _ in range(3):
        assert bench.claim("dies", ["note"]) is not None
        clock.advance(seconds=31)
        bench.reclaim()

    assert loop.jobs.get(job.id).state is JobState.DEAD_LETTER
    assert "lease" in (loop.jobs.get(job.id).error or "")


def test_a_heartbeat_keeps_the_lease(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.jobs.put(JobRequest("note"))
    bench = loop.store.workbench(timedelta(seconds=30))
    job = bench.claim("slow", ["note"])
    assert job is not None
    for _ in range(4):
        clock.advance(seconds=20)
        bench.extend(job)
        assert bench.reclaim() == 0

    bench.finish(job)
    assert loop.jobs.get(job.id).state is JobState.COMPLETED


def test_a_worker_that_lost_its_lease_cannot_finish_the_job(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.jobs.put(JobRequest("note"))
    bench = loop.store.workbench(timedelta(seconds=30))
    slow = bench.claim("slow", ["note"])
    assert slow is not None
    clock.advance(seconds=31)
    bench.reclaim()
    quick = bench.claim("quick", ["note"])
    assert quick is not None

    for act in (bench.finish, bench.extend, lambda job: bench.fail(job, "late")):
        with pytest.raises(LeaseLost):
            act(slow)

    bench.finish(quick)
    assert loop.jobs.get(slow.id).state is JobState.COMPLETED


def test_completed_jobs_are_forgotten_after_a_while(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.jobs.put(JobRequest("note"))
    loop.jobs.put(JobRequest("fail", max_attempts=1))
    Worker(loop).run_all()
    clock.advance(days=8)

    loop.store.workbench().purge(timedelta(days=7))

    assert [job.name for job in loop.jobs.all()] == ["fail"]


def test_a_worker_heeds_only_its_own_claim_even_after_a_retry(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.jobs.put(JobRequest("note", max_attempts=1))
    bench = loop.store.workbench(timedelta(seconds=30))
    stale = bench.claim("same-name", ["note"])
    assert stale is not None
    clock.advance(seconds=31)
    bench.reclaim()
    loop.jobs.retry(stale.id)
    fresh = bench.claim("same-name", ["note"])
    assert fresh is not None
    assert fresh.attempts == stale.attempts

    with pytest.raises(LeaseLost):
        bench.finish(stale)
    bench.finish(fresh)


def test_one_worker_serves_every_organisation(loop: heedful.Loop) -> None:
    for org in ("acme", "globex"):
        loop.org(org).jobs.put(JobRequest("note"))

    assert Worker(loop).run_all() == 2
    assert next(iter(loop.org("globex").jobs.all())).result == {"org": "globex"}


def test_jobs_are_listed_by_state_and_name(loop: heedful.Loop) -> None:
    loop.jobs.put(JobRequest("note"))
    Worker(loop).run_all()
    loop.jobs.put(JobRequest("fail"))

    assert [job.name for job in loop.jobs.all(state="queued")] == ["fail"]
    assert [job.state for job in loop.jobs.all(name="note")] == [JobState.COMPLETED]
    assert len(list(loop.jobs.all(limit=1))) == 1

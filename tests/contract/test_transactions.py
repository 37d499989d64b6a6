"""An event, the counters it changes and the jobs it causes are written together or not at all."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import heedful
from heedful import CountingProjection, Counts, Event, Extension, JobRequest, JobState, Reaction
from heedful.errors import InvalidInput, StoreBusy, StoreError, StoreFull
from heedful.loop import OWN, Providers
from heedful.records.clock import utc_now
from heedful.settings import Settings
from heedful.store import Store
from heedful.store.redaction import Redaction
from heedful.store.sqlite import SqliteDatabase
from heedful.testing import sample_acts
from tests.conftest import OpenLoop, PostgresServer


class ProjectionFailed(Exception):
    """What a broken projection raises."""


def _fold_or_fail(events: Sequence[Event], counts: Counts) -> None:
    counts.count("seen", "all", by=len(events))
    if any(event.actor == "trouble" for event in events):
        raise ProjectionFailed


EXTENSION = Extension(
    "test",
    projections=(CountingProjection("fragile", 1, _fold_or_fail),),
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
    assert next(iter(loop.jobs.all())).payload == {"event": event.id}


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
    with pytest.raises(InvalidInput, match="cannot write for 'globex'"), loop.transaction():
        loop.org("globex").capture.event("CUSTOMER_SELECTED")


def test_another_task_does_not_slip_into_a_transaction(loop: heedful.Loop) -> None:
    """What a task recorded must not vanish with the transaction of another task on the same thread."""

    async def undone(entered: asyncio.Event, recorded: asyncio.Event) -> None:
        with contextlib.suppress(ProjectionFailed), loop.transaction():
            loop.capture.event("FIELD_SET", actor="undone")
            entered.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(recorded.wait(), 0.2)
            raise ProjectionFailed

    async def kept(entered: asyncio.Event, recorded: asyncio.Event) -> None:
        await entered.wait()
        with pytest.raises(StoreBusy, match="Another task of this thread"):
            loop.capture.event("FIELD_SET", actor="refused")
        await asyncio.to_thread(loop.capture.event, "FIELD_SET", actor="kept")
        recorded.set()

    async def both() -> None:
        entered, recorded = asyncio.Event(), asyncio.Event()
        await asyncio.gather(undone(entered, recorded), kept(entered, recorded))

    asyncio.run(both())

    assert [event.actor for event in loop.events()] == ["kept"]


def test_errors_of_others_pass_through_a_transaction_untouched(loop: heedful.Loop) -> None:
    with pytest.raises(sqlite3.OperationalError, match="mine"), loop.transaction():
        raise sqlite3.OperationalError("mine")


def test_a_transaction_that_the_server_undid_says_so(postgres: PostgresServer) -> None:
    with heedful.open(postgres.new_database()) as loop:
        with pytest.raises(StoreError, match="was undone"), loop.store.transaction() as transaction:
            loop.capture.event("FIELD_SET")
            with pytest.raises(StoreError):
                transaction.query("select 1 / 0", {})
        assert list(loop.events()) == []


def test_after_a_full_disk_nothing_of_the_transaction_is_kept(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "a.db", pragmas={"max_page_count": 60})
    database.migrate()
    loop = heedful.Loop(Store(database, "acme", utc_now, [OWN], redactor=Redaction), Providers(Settings("")))
    with pytest.raises(StoreError, match="undone"), loop.transaction():
        loop.capture.event("FIRST")
        with pytest.raises(StoreFull):
            loop.capture.events(sample_acts(2_000))
        loop.capture.event("SECOND")
    assert list(loop.events()) == []
    loop.close()


def test_the_servers_own_idea_of_isolation_does_not_matter(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    name = url.split("/")[3].split("?")[0]
    postgres.run(f"alter database {name} set default_transaction_isolation = 'repeatable read'")
    with heedful.open(url) as loop, ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: loop.capture.event("FIELD_SET"), range(60)))
        assert [event.seq for event in loop.events()] == list(range(1, 61))

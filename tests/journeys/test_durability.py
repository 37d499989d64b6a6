"""Many processes at once, and processes that are killed: nothing acknowledged is lost, nothing is locked."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

import heedful
from heedful import Extension, JobRequest, JobState
from tests.dying import Say, run_until_death

WRITER = """
import sys, heedful
database, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with heedful.open(database, org="acme") as loop:
    for number in range(count):
        if number % 10 == 9:
            loop.capture.events({"kind": "FIELD_SET", "id": f"{name}-{number}-{n}"} for n in range(5))
            print("\\n".join(f"{name}-{number}-{n}" for n in range(5)), flush=True)
        else:
            print(loop.capture.event("FIELD_SET", id=f"{name}-{number}", after={"n": number}).id, flush=True)
"""


def _writer(database: str, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, database, name, str(count)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _check(database: str, acknowledged: set[str]) -> None:
    """Everything acknowledged is there, once, without gaps, and the counters agree."""
    with heedful.open(database, org="acme") as loop:
        events = list(loop.events())
        ids = {event.id for event in events}
        assert acknowledged <= ids
        assert len(ids) == len(events)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        lived = loop.measure.activity()
        assert sum(count.value for count in lived) == len(events)
        loop.learn.rebuild()
        assert loop.measure.activity() == lived


@pytest.mark.slow
def test_eight_processes_write_at_once_and_lose_nothing(database: str) -> None:
    writers = [_writer(database, f"w{number}", 120) for number in range(8)]
    answers = [writer.communicate(timeout=600) for writer in writers]

    assert [error for _, error in answers] == [""] * 8
    acknowledged = {line for output, _ in answers for line in output.splitlines()}
    assert len(acknowledged) == 8 * (108 + 12 * 5)
    _check(database, acknowledged)


def _write_until_killed(say: Say, database: str, name: str) -> None:
    with heedful.open(database, org="acme") as loop:
        for number in range(1_000):
            if number % 10 == 9:
                ids = [f"{name}-{number}-{n}" for n in range(5)]
                loop.capture.events({"kind": "FIELD_SET", "id": id} for id in ids)
                say("\n".join(ids))
            else:
                say(loop.capture.event("FIELD_SET", id=f"{name}-{number}", after={"n": number}).id)


@pytest.mark.slow
def test_what_a_killed_process_acknowledged_is_kept(database: str) -> None:
    random_ = random.Random(4)
    acknowledged: set[str] = set()
    for life in range(16):
        said = run_until_death(_write_until_killed, database, f"life{life}", statement=random_.randint(1, 600))
        acknowledged |= {id for line in said for id in line.splitlines()}
    assert len(acknowledged) > 100
    _check(database, acknowledged)


WORKER = """
import sys, heedful
from heedful import Extension
from heedful.edges.worker import Worker

def mark(loop, job):
    loop.capture.event("JOB_DONE", entity=("job", job.id), meta={"worker": sys.argv[2]})

with heedful.open(sys.argv[1], org="acme", extensions=[Extension("t", handlers={"mark": mark})]) as loop:
    Worker(loop).run_all()
"""


@pytest.mark.slow
def test_four_worker_processes_do_each_job_once(database: str) -> None:
    with heedful.open(database, org="acme", extensions=[Extension("t")]) as loop:
        for _ in range(200):
            loop.jobs.put(JobRequest("mark"))
        workers = [
            subprocess.Popen([sys.executable, "-c", WORKER, database, str(n)], stderr=subprocess.PIPE) for n in range(4)
        ]
        assert [worker.communicate(timeout=600)[1] for worker in workers] == [b""] * 4

        assert loop.jobs.count_by_state()[JobState.COMPLETED] == 200
        done = [event.entity and event.entity.id for event in loop.events(kind="JOB_DONE")]
        assert len(done) == len(set(done)) == 200


FORKER = """
import os, sys, heedful
with heedful.open(sys.argv[1], org="acme") as loop:
    loop.capture.event("FIELD_SET", id="parent-1")
    children = []
    for number in range(4):
        pid = os.fork()
        if pid == 0:
            loop.capture.event("FIELD_SET", id=f"child-{number}")
            assert loop.event("parent-1")
            os._exit(0)
        children.append(pid)
    assert all(os.waitpid(pid, 0)[1] == 0 for pid in children)
    loop.capture.event("FIELD_SET", id="parent-2")
"""


def test_a_loop_survives_a_fork(database: str) -> None:
    subprocess.run([sys.executable, "-c", FORKER, database], check=True)

    _check(database, {"parent-1", "parent-2", *(f"child-{n}" for n in range(4))})


ORPHAN = """
import os, sys, heedful
loop = heedful.open(sys.argv[1], org="acme")
loop.capture.event("FIELD_SET", id="parent")
ready, go = os.pipe(), os.pipe()
if os.fork() == 0:
    loop.capture.event("FIELD_SET", id="child-1")
    os.write(ready[1], b"x")
    os.read(go[0], 1)
    for number in range(2, 9):
        loop.capture.event("FIELD_SET", id=f"child-{number}")
    os._exit(0)
os.read(ready[0], 1)
loop.close()
os.write(go[1], b"x")
os.wait()
"""


def test_a_child_keeps_recording_after_its_parent_closed(database: str) -> None:
    subprocess.run([sys.executable, "-c", ORPHAN, database], check=True)

    _check(database, {"parent", *(f"child-{n}" for n in range(1, 9))})


IN_THE_MIDDLE = """
import os, sys, heedful
loop = heedful.open(sys.argv[1], org="acme")
with loop.transaction():
    loop.capture.event("FIELD_SET", id="parent")
    pid = os.fork()
    if pid == 0:
        try:
            loop.capture.event("FIELD_SET", id="child")
        except heedful.HeedfulError as error:
            os._exit(0 if error.code == "closed" else 1)
        os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
"""


def test_a_child_forked_in_the_middle_of_a_transaction_is_told_to_open_its_own(database: str) -> None:
    subprocess.run([sys.executable, "-c", IN_THE_MIDDLE, database], check=True)

    _check(database, {"parent"})


def test_many_writers_may_read_another_organisation_meanwhile(loop: heedful.Loop) -> None:
    from concurrent.futures import ThreadPoolExecutor

    other = loop.org("globex")

    def record(number: int) -> None:
        with loop.transaction():
            loop.capture.event("FIELD_SET", id=str(number))
            if loop.store.database.dialect == "sqlite":  # on PostgreSQL it would take two connections a thread
                list(other.events())

    with ThreadPoolExecutor(80) as pool:
        list(pool.map(record, range(80)))

    assert len(list(loop.events())) == 80


def test_threads_share_a_loop(loop: heedful.Loop) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: loop.capture.event("FIELD_SET", id=str(n)), range(200)))

    assert [event.seq for event in loop.events()] == list(range(1, 201))

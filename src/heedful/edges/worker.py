"""The worker: takes jobs from the queue and calls their handlers."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Literal

from heedful.errors import HeedfulError, LeaseLost
from heedful.loop import Loop
from heedful.records.job import Job, failure_text
from heedful.records.watching import unfailing

_POLL_SECONDS = 1.0
_BREATH_SECONDS = 0.02  # every commit wakes a worker but few add a job, so wake-ups are coalesced
_KEEP_COMPLETED = timedelta(days=7)
_PURGE_SECONDS = 3600.0
_log = logging.getLogger(__name__)

JobOutcome = Literal["started", "completed", "failed", "lost"]


@dataclass(frozen=True, slots=True)
class JobProgress:
    """Passed to the `watch` callback of a worker."""

    job: Job
    outcome: JobOutcome
    seconds: float = 0.0


class Worker:
    """Runs jobs of every organisation in a database, several at a time, until `stop`.

    If a worker dies, the leases of its jobs expire and another worker takes over. So a job may run twice, and handlers
    must be idempotent.
    """

    def __init__(
        self,
        loop: Loop,
        *,
        threads: int = 2,
        lease: timedelta = timedelta(seconds=60),
        watch: Callable[[JobProgress], None] = lambda _: None,
        only: Collection[str] | None = None,
    ) -> None:
        """`only` restricts the names of the jobs it takes."""
        self._loop = loop
        self._bench = loop.store.workbench(lease)
        handlers = loop.store.handlers()
        self._handlers = handlers if only is None else {name: handlers[name] for name in only}
        self._threads = threads
        self._watch = watch
        self._stopping = threading.Event()
        self._running: dict[str, Job] = {}
        self.name = f"{socket.gethostname()}-{os.getpid()}"

    def run_one(self) -> bool:
        self._bench.reclaim()
        job = self._bench.claim(self.name, self._handlers)
        if job is None:
            return False
        self._do(job)
        return True

    def run_all(self) -> int:
        done = 0
        with self._beating():
            while not self._stopping.is_set() and self.run_one():
                done += 1
        return done

    def run(self) -> None:
        """Runs jobs in several threads until `stop`, then finishes the running ones."""
        threads = [
            threading.Thread(target=self._serve, name=f"{self.name}-{number}") for number in range(self._threads)
        ]
        with self._beating():
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def stop(self) -> None:
        """Takes no more jobs. Safe to call from a signal handler."""
        self._stopping.set()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            seen = self._bench.commits
            try:
                worked = self.run_one()
            except Exception as error:  # noqa: BLE001 - the outer edge: a worker survives a database outage
                _log.warning("worker %s cannot reach the queue: %s", self.name, _name_of(error))
                self._stopping.wait(_POLL_SECONDS)
                continue
            if not worked:
                self._bench.wait(seen, _POLL_SECONDS)
                self._stopping.wait(_BREATH_SECONDS)

    def _do(self, job: Job) -> None:
        claim = str(job.worker)
        self._running[claim] = job
        unfailing(partial(self._watch, JobProgress(job, "started")))
        started = time.monotonic()
        try:
            outcome = self._attempt(job)
        finally:
            self._running.pop(claim, None)
        unfailing(partial(self._watch, JobProgress(job, outcome, time.monotonic() - started)))

    def _attempt(self, job: Job) -> JobOutcome:
        try:
            self._bench.finish(job, self._handlers[job.name](self._loop.org(job.org), job))
        except LeaseLost:
            _log.warning("job %s was taken over by another worker", job.id)
            return "lost"
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the outer edge: it is the job that failed
            _log.warning("job %s (%s) failed: %s", job.id, job.name, type(error).__name__)
            return self._give_back(job, failure_text(error))
        return "completed"

    def _give_back(self, job: Job, error: str) -> JobOutcome:
        try:
            self._bench.fail(job, error)
        except LeaseLost:
            return "lost"
        return "failed"

    @contextmanager
    def _beating(self) -> Iterator[None]:
        """Extends the leases of running jobs, and purges old jobs."""
        finished = threading.Event()
        heart = threading.Thread(target=self._beat, args=(finished,), name=f"{self.name}-heart", daemon=True)
        heart.start()
        try:
            yield
        finally:
            finished.set()
            heart.join()

    def _beat(self, finished: threading.Event) -> None:
        next_purge = time.monotonic()
        while not finished.wait(self._bench.lease.total_seconds() / 3):
            for claim, job in list(self._running.items()):
                self._extend(claim, job)
            if time.monotonic() >= next_purge:
                self._purge()
                next_purge += _PURGE_SECONDS

    def _extend(self, claim: str, job: Job) -> None:
        try:
            self._bench.extend(job)
        except LeaseLost:
            self._running.pop(claim, None)
        except HeedfulError as error:
            _log.warning("the lease of job %s could not be extended: %s", job.id, error.code)

    def _purge(self) -> None:
        try:
            self._bench.purge(_KEEP_COMPLETED)
        except HeedfulError as error:
            _log.warning("completed jobs could not be purged: %s", error.code)


def _name_of(error: Exception) -> str:
    """The name of an error for the log; never its message, which may quote user data."""
    return error.code if isinstance(error, HeedfulError) else type(error).__name__

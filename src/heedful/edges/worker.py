"""The worker: takes jobs from the queue and has their handlers do them."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from heedful.errors import HeedfulError, LeaseLost
from heedful.loop import Loop
from heedful.model.job import Job

_POLL_SECONDS = 1.0
_KEEP_COMPLETED = timedelta(days=7)
_PURGE_SECONDS = 3600.0
_log = logging.getLogger(__name__)

Outcome = Literal["started", "completed", "failed", "lost"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Told to whoever watches the worker."""

    job: Job
    outcome: Outcome
    seconds: float = 0.0


class Worker:
    """Does jobs of every organisation in a database, several at a time, until told to stop.

    A worker that dies loses nothing: its jobs' leases run out, and another worker does them. So a job
    may be begun twice, and handlers must not mind.
    """

    def __init__(
        self,
        loop: Loop,
        *,
        threads: int = 2,
        lease: timedelta = timedelta(seconds=60),
        watch: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._loop = loop
        self._bench = loop.store.workbench(lease)
        self._handlers = loop.store.handlers()
        self._threads = threads
        self._watch = watch
        self._stopping = threading.Event()
        self._finished = threading.Event()
        self._running: dict[str, Job] = {}
        self.name = f"{socket.gethostname()}-{os.getpid()}"

    def run_one(self) -> bool:
        """Do one job, if any is due."""
        self._bench.reclaim()
        job = self._bench.claim(self.name)
        if job is None:
            return False
        self._do(job)
        return True

    def run_all(self) -> int:
        """Do whatever is due, then return how many there were."""
        done = 0
        while not self._stopping.is_set() and self.run_one():
            done += 1
        return done

    def run(self) -> None:
        """Work until `stop`, with several threads; jobs in hand are finished first."""
        threads = [
            threading.Thread(target=self._serve, name=f"{self.name}-{number}") for number in range(self._threads)
        ]
        heart = threading.Thread(target=self._beat, name=f"{self.name}-heart", daemon=True)
        for thread in (*threads, heart):
            thread.start()
        for thread in threads:
            thread.join()
        self._finished.set()
        heart.join()

    def stop(self) -> None:
        """Take no more jobs. Safe to call from a signal handler."""
        self._stopping.set()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            heard = self._bench.rings
            try:
                worked = self.run_one()
            except HeedfulError as error:
                # The database is away or full: the queue is not, so wait for it.
                _log.warning("worker %s cannot reach the queue: %s", self.name, error.code)
                self._stopping.wait(_POLL_SECONDS)
                continue
            if not worked:
                self._bench.wait(heard, _POLL_SECONDS)

    def _do(self, job: Job) -> None:
        self._running[job.id] = job
        self._watch(Progress(job, "started"))
        started = time.monotonic()
        try:
            outcome = self._attempt(job)
        finally:
            del self._running[job.id]
        self._watch(Progress(job, outcome, time.monotonic() - started))

    def _attempt(self, job: Job) -> Outcome:
        try:
            try:
                handler = self._handlers[job.name]
            except KeyError:
                raise LookupError(f"no handler for jobs named {job.name!r}; is HEEDFUL_EXTENSIONS set?") from None
            self._bench.finish(job, handler(self._loop.org(job.org), job))
        except LeaseLost:
            _log.warning("job %s was taken over by another worker", job.id)
            return "lost"
        except Exception as error:  # noqa: BLE001 - the outer edge: whatever a handler raises is the job's failure
            _log.warning("job %s (%s) failed: %s", job.id, job.name, type(error).__name__)
            return self._give_back(job, f"{type(error).__name__}: {error}")
        return "completed"

    def _give_back(self, job: Job, error: str) -> Outcome:
        try:
            self._bench.fail(job, error)
        except LeaseLost:
            return "lost"
        return "failed"

    def _beat(self) -> None:
        """Keep the leases of the jobs in hand, and tidy up now and then."""
        next_purge = time.monotonic()
        while not self._finished.wait(self._bench.lease.total_seconds() / 3):
            try:
                for job in list(self._running.values()):
                    self._bench.extend(job)
                if time.monotonic() >= next_purge:
                    self._bench.purge(_KEEP_COMPLETED)
                    next_purge += _PURGE_SECONDS
            except HeedfulError as error:
                _log.warning("worker %s could not keep its leases: %s", self.name, error.code)

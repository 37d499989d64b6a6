"""jobs, work: list queued jobs, and run them."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from heedful.edges.cli.terminal import DONE, Part, Terminal, command
from heedful.edges.worker import JobProgress, Worker
from heedful.errors import InvalidInput
from heedful.records.job import Job, JobState

if TYPE_CHECKING:
    from heedful.loop import Loop

_COLOURS = {"completed": "green", "failed": "yellow", "dead_letter": "red", "in_progress": "cyan", "lost": "yellow"}


@command("heedful jobs --state dead_letter\nheedful jobs --retry 01a1e111-623b-7104-bf51-3e9548d32c6a")
@click.option("--state", "wanted", type=click.Choice([state.value for state in JobState]), help="Only in this state.")
@click.option("--name", help="Only of this name.")
@click.option("-n", "--limit", default=20, show_default=True, help="How many, newest first.")
@click.option("--retry", metavar="ID", help="Queue a failed job again.")
def jobs(terminal: Terminal, wanted: str | None, name: str | None, limit: int, retry: str | None) -> None:
    """List jobs, or retry one."""
    with terminal.existing() as loop:
        if retry is not None:
            job = loop.jobs.retry(retry)
            terminal.answer(job, DONE, f"{job.name} is queued again")
            return
        counts = loop.jobs.count_by_state()
        found = list(loop.jobs.all(state=None if wanted is None else JobState(wanted), name=name, limit=limit))
        if terminal.json:
            terminal.line({"counts": {state.value: count for state, count in counts.items()}, "jobs": found})
            return
        terminal.say(*(part for state, count in counts.items() for part in (_coloured(state.value), f" {count:,}  ")))
        if found:
            terminal.table("", ("id", "name", "state", "attempts", "due", "error"), map(_columns, found))


def _columns(job: Job) -> tuple[Part, ...]:
    due = job.run_at.astimezone().strftime("%Y-%m-%d %H:%M:%S") if job.state in ("queued", "failed") else ""
    error = (job.error or "").partition("\n")[0]
    return job.id, job.name, _coloured(job.state.value), f"{job.attempts}/{job.max_attempts}", due, error


def _coloured(state: str) -> Part:
    return state, _COLOURS.get(state, "")


@command("heedful work --threads 4\nheedful work --once")
@click.option("--threads", type=click.IntRange(1, 64), default=4, show_default=True, help="Jobs to run at once.")
@click.option(
    "--lease",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    help="Seconds until the job of a dead worker is taken over.",
)
@click.option("--once", is_flag=True, help="Run the jobs that are due, then exit.")
@click.option("--only", metavar="NAME", multiple=True, help="Only jobs of this name; repeatable.")
@click.option("--attended", is_flag=True, hidden=True, help="Stop when standard input is closed.")
def work(terminal: Terminal, threads: int, lease: int, once: bool, only: tuple[str, ...], attended: bool) -> None:
    """Run queued jobs until Ctrl-C or SIGTERM.

    Runs the jobs of every organisation, and finishes running jobs before it exits. With --json, prints one line
    per job.
    """

    logging.getLogger("heedful").addHandler(logging.NullHandler())  # the display shows failures
    with terminal.loop() as loop:
        display = _Display(terminal)
        _require_known(loop, only)
        lasting = timedelta(seconds=lease)
        worker = Worker(loop, threads=threads, lease=lasting, watch=display.show, only=only or None)
        _stop_on_signals(worker, display)
        if attended:  # the parent process may be killed
            threading.Thread(target=_stop_when_alone, args=(worker,), daemon=True).start()
        with display:
            if once:
                worker.run_all()
            else:
                worker.run()
        summary = {"completed": display.completed, "failed": display.failed}
        terminal.answer(summary, f"{display.completed:,} jobs completed, {display.failed:,} failed")


def _require_known(loop: Loop, only: tuple[str, ...]) -> None:
    known = loop.store.handlers()
    if unknown := [name for name in only if name not in known]:
        raise InvalidInput(f"Unknown job {unknown[0]!r}.", hint=f"Known jobs: {', '.join(sorted(known))}.")


def _stop_when_alone(worker: Worker) -> None:
    sys.stdin.buffer.read()
    worker.stop()


def _stop_on_signals(worker: Worker, display: _Display) -> None:
    def stop(*_: object) -> None:
        display.say("finishing running jobs …")
        worker.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


class _Display:
    """A status line at a terminal, or one JSON line per job."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._status = terminal.notices.status("waiting for jobs")
        self._running: dict[str, str] = {}
        self.completed = 0
        self.failed = 0

    def show(self, progress: JobProgress) -> None:
        job = progress.job
        if progress.outcome == "started":
            self._running[job.id] = job.name
        else:
            self._running.pop(job.id, None)
            self.completed += progress.outcome == "completed"
            self.failed += progress.outcome != "completed"
            self._report(progress)
        self.say(", ".join(self._running.values()) or "waiting for jobs")

    def _report(self, progress: JobProgress) -> None:
        job = progress.job
        if self._terminal.json:
            line: dict[str, Any] = {"org": job.org, "job": job.id, "name": job.name, "outcome": progress.outcome}
            self._terminal.line({**line, "seconds": round(progress.seconds, 3)})
        else:
            shown = f" {job.name} of {job.org} ({progress.seconds:.2f} s)"
            self._terminal.say(_coloured(progress.outcome), shown, to=self._terminal.notices)

    def say(self, doing: str) -> None:
        self._status.update(Text(f"{doing} · {self.completed:,} completed, {self.failed:,} failed"))

    def __enter__(self) -> None:
        if not self._terminal.json:
            self._status.start()

    def __exit__(self, *_: object) -> None:
        self._status.stop()

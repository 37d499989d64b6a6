"""mine: learn from conversations on this disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.mine_places import is_interactive, usual_paths
from heedful.edges.cli.mine_report import MiningRunReport
from heedful.edges.cli.terminal import SKIPPED, UNANSWERED, Terminal, command, counted
from heedful.edges.worker import Worker
from heedful.records.insight import Insight
from heedful.records.job import JobState
from heedful.records.learning import Status
from heedful.records.mining import MINE_JOB, MINED, Mined, mined_of
from heedful.records.proposal import ProposalStatus
from heedful.settings import Settings

if TYPE_CHECKING:
    from heedful.capture.conversations.importing import ImportResult
    from heedful.capture.conversations.transcripts import UnreadableFile
    from heedful.loop import Loop
    from heedful.records.job import Job

_MOST_FAILURES = 1_000
_LOOK_AGAIN = 5.0  # seconds
_BREATH = 0.5
_LEASE = timedelta(seconds=15)
_MUCH = 20_000_000  # bytes; for less, starting a process takes longer than it saves
_MOST_HELPERS = 7
_JOBS = 200


class _GivenPath(click.Path):
    """An empty one, as of a variable that is not set, is not this folder."""

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        if not str(value):
            self.fail("A path is empty. Name a file or a folder, or leave it out.", param, context)
        return super().convert(value, param, context)


@command(
    "heedful mine\nheedful mine ~/.claude/projects\nheedful mine conversations.json --actor dana\n"
    "heedful mine --yes --watch"
)
@click.argument("paths", nargs=-1, type=_GivenPath(path_type=Path), metavar="[PATH]...")
@click.option("--actor", metavar="NAME", help="Your name: you count as the contributor.")
@click.option("--watch", is_flag=True, help="Keep mining new messages until Ctrl-C.")
@click.option("--again", is_flag=True, help="Mine again what an older version or another model mined.")
@click.option("--yes", is_flag=True, help="Without a PATH: do not ask.")
def mine(terminal: Terminal, paths: tuple[Path, ...], actor: str | None, watch: bool, again: bool, yes: bool) -> None:
    """Learn from conversations with AI tools.

    Without a language model configured, nothing leaves this machine.

    PATH is a file or folder of aider, Claude Code, Cline, Codex, Continue, Copilot, Cursor, Droid, Gemini, goose, Kimi,
    OpenCode, pi, Qwen Code, Roo Code or SpecStory, an export of ChatGPT or Claude, or a list of messages. Without it,
    the usual folders of these tools are shown, and read if you agree. Secrets and personal data are redacted before
    anything is stored. Files are read only once, so you can stop and continue at any time. What is skipped is listed
    at the end.

    \b
    Exit codes: 0 success · 1 records or files that are damaged
    or unreadable were skipped, or a conversation could not be
    mined · 2 nobody was there to be asked
    5 some were mined without the language model, which did not
    answer
    """
    places = paths or (() if again and not watch else usual_paths(terminal, yes=yes))
    with terminal.loop() as loop:
        run = _MiningRun(terminal, loop, places, actor)
        try:
            if again:
                loop.learn.mine_again()
            end = run.once()
            while watch:
                run.wait()
                run.once(quietly=True)
        except KeyboardInterrupt:
            terminal.say(("stopped; run the same command to continue", "dim"), to=terminal.notices)
            raise click.exceptions.Exit(130) from None
        _offer_review(terminal, loop, run.learned, run.proposals)
        if end:
            raise click.exceptions.Exit(end)


def _offer_review(terminal: Terminal, loop: Loop, learned: list[str], proposals: list[str]) -> None:
    if not (learned or proposals) or not is_interactive(terminal):
        return
    parts = ((learned, "learning"), (proposals, "proposal"))
    waiting = " and ".join(counted(len(ids), noun) for ids, noun in parts if ids)
    if click.confirm(f"{waiting} to look through. Do it now?", default=True):
        from heedful.edges.cli.learnings_review import review  # noqa: PLC0415 - only who reviews pays for it

        review(terminal, loop, learned, proposals)


class _MiningRun:
    def __init__(self, terminal: Terminal, loop: Loop, paths: tuple[Path, ...], actor: str | None) -> None:
        self._terminal = terminal
        self._loop = loop
        self._paths = paths
        self._actor = actor
        self._unreadable: list[UnreadableFile] = []
        self.learned: list[str] = []
        """Ids of all learnings that are new since the start, those that wait for a decision among them."""
        self.proposals: list[str] = []
        """Ids of those that ask about older ones."""

    def once(self, *, quietly: bool = False) -> int:
        since, failed_before = self._loop.store.log.head(), {job.id: job.updated_at for job in self._failures()}
        started = self._loop.store.clock()
        self._unreadable = []
        with _HelperProcesses(self._terminal) as helpers:
            read = self._read(helpers)
            self._mine()
        failed = [job for job in self._failures() if failed_before.get(job.id) != job.updated_at]
        unanswered = self._unanswered_since(started)
        if not quietly or read.messages:
            self._report(read, self._mined_since(since), failed, unanswered)
        return SKIPPED if self._unreadable or read.damaged or failed else UNANSWERED if unanswered else 0

    def _failures(self) -> list[Job]:
        """Jobs that failed, to be retried or for good."""
        page = self._loop.store.jobs.page
        return [
            job
            for state in (JobState.FAILED, JobState.DEAD_LETTER)
            for job in page(state, name=MINE_JOB, limit=_MOST_FAILURES).items
        ]

    def _read(self, helpers: _HelperProcesses) -> ImportResult:
        with self._terminal.progress() as bar:
            task = bar.add_task("looking for conversations", total=None)

            def shown(done: int, total: int) -> None:
                helpers.start(total - done)
                bar.update(task, completed=done >> 10, total=max(1, total >> 10), description="reading (KB)")

            return self._loop.capture.transcripts(
                *self._paths, actor=self._actor, progress=shown, skipped=self._unreadable.append
            )

    def wait(self) -> None:
        time.sleep(_LOOK_AGAIN)

    def _mine(self) -> None:
        """Runs the waiting jobs of this run and of interrupted ones."""

        waiting = _unfinished(self._counts())
        if not waiting:
            return
        with self._terminal.progress() as bar:
            task = bar.add_task("mining", total=waiting)
            worker = Worker(
                self._loop,
                watch=lambda _: bar.update(task, completed=waiting - _unfinished(self._counts())),
                only=(MINE_JOB,),
                lease=_LEASE,
            )
            with _stopped_by_signals(worker.stop) as stopped:
                worker.run_all()
                self._outlast(worker.run_all, stopped)
        if stopped.is_set():
            raise KeyboardInterrupt

    def _counts(self) -> dict[JobState, int]:
        return self._loop.store.jobs.count_named(MINE_JOB)

    def _outlast(self, run_all: Callable[[], object], stopped: threading.Event) -> None:
        """Waits for jobs of other processes. The lease of a killed one expires."""
        until = time.monotonic() + _LEASE.total_seconds() + 1
        while self._counts()[JobState.IN_PROGRESS] and time.monotonic() < until:
            if stopped.wait(_BREATH):
                return
            run_all()

    def _mined_since(self, since: int) -> list[Mined]:
        events = takewhile(lambda event: event.seq > since, self._loop.events(kind=MINED, newest_first=True))
        return [mined_of(event) for event in events]

    def _unanswered_since(self, started: datetime) -> Counter[str]:
        """Counts why the language model did not answer, from the results of the jobs of all processes."""
        why: Counter[str] = Counter()
        cursor: str | None = None
        while True:
            page = self._loop.store.jobs.page(JobState.COMPLETED, name=MINE_JOB, limit=_JOBS, cursor=cursor)
            recent = [job for job in page.items if job.updated_at >= started]
            why.update(job.result["unanswered"] for job in recent if job.result and "unanswered" in job.result)
            cursor = page.next
            if cursor is None or len(recent) < len(page.items):
                return why

    def _report(self, read: ImportResult, mined: list[Mined], failed: list[Job], unanswered: Counter[str]) -> None:
        ids = dict.fromkeys(id for one in mined for id in (*one.learned, *one.possible))
        found = [self._loop.govern.learnings.get(id) for id in ids]
        learned, possible = (
            [one for one in found if isinstance(one, Insight) and one.status is wanted]
            for wanted in (Status.ACTIVE, Status.POSSIBLE)
        )
        self.learned += [one.id for one in (*learned, *possible)]
        asked = [id for one in mined for id in one.proposals if self._is_pending(id)]
        self.proposals += (proposals := sorted({*asked}))
        report = MiningRunReport(
            self._paths, read, self._unreadable, mined, learned, possible, proposals, failed, unanswered
        )
        if self._terminal.json:
            self._terminal.line(report.document())
        else:
            report.show(self._terminal, self._loop)

    def _is_pending(self, proposal: str) -> bool:
        """What one conversation asks may be settled by the next."""
        return self._loop.govern.proposals.get(proposal).status is ProposalStatus.PENDING


class _HelperProcesses:
    """Other processes that mine while this one reads: one per spare core, if there is much to read."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._started: list[subprocess.Popen[bytes]] | None = None

    def start(self, size: int) -> None:
        if self._started is not None:
            return

        place = self._terminal.database or Settings.read().database
        work = ("work", "--threads", "1", "--only", MINE_JOB, "--lease", f"{_LEASE.seconds}", "--attended", "--json")
        spare = min(_MOST_HELPERS, (os.cpu_count() or 1) - 1) if size > _MUCH else 0
        self._started = [
            subprocess.Popen(  # noqa: S603 - it is this program
                [sys.executable, "-m", "heedful", *work],
                env={**os.environ, "HEEDFUL_DATABASE": place},  # not as an argument: it may hold a password
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(spare)
        ]

    def __enter__(self) -> _HelperProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        """Waits until they have finished their current jobs."""
        for helper in self._started or ():
            if helper.stdin is not None:
                helper.stdin.close()
        for helper in self._started or ():
            helper.wait()


def _unfinished(counts: dict[JobState, int]) -> int:
    return sum(counts[state] for state in (JobState.QUEUED, JobState.FAILED, JobState.IN_PROGRESS))


@contextmanager
def _stopped_by_signals(stop: Callable[[], object]) -> Iterator[threading.Event]:
    stopped = threading.Event()

    def handle(*_: object) -> None:
        stopped.set()
        stop()

    old = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)

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
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.learnings_view import show_list
from heedful.edges.cli.terminal import DONE, SKIPPED, UNANSWERED, Terminal, command, counted
from heedful.edges.worker import Worker
from heedful.errors import InvalidInput
from heedful.records.insight import Insight
from heedful.records.job import JobState
from heedful.records.language import why_unanswered
from heedful.records.learning import Status
from heedful.records.mining import MINE_JOB, MINED, Mined, Outcome, mined_of
from heedful.settings import Settings

if TYPE_CHECKING:
    from heedful.capture.conversations.importing import ImportResult
    from heedful.capture.conversations.transcripts import UnreadableFile
    from heedful.loop import Loop
    from heedful.records.job import Job

_PLACES = ("~/.claude/projects", "~/.codex/sessions", "~/.gemini/tmp", ".specstory/history")
_SHOWN = 12
_MOST_FAILURES = 1_000
_LOOK_AGAIN = 5.0  # seconds
_BREATH = 0.5
_LEASE = timedelta(seconds=15)
_MUCH = 20_000_000  # bytes; for less, starting a process takes longer than it saves
_MOST_HELPERS = 7
_JOBS = 200
_WHY_NOTHING = {
    Outcome.KNOWN: "taught nothing new",
    Outcome.LOW_VALUE: "too short, or not technical",
    Outcome.NOTHING_FOUND: "no cause, reason, decision or rule found",
    Outcome.LOW_QUALITY: "of too low quality",
}


@command("heedful mine ~/.claude/projects\nheedful mine conversations.json --actor dana\nheedful mine --watch")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--actor", metavar="NAME", help="Your name: you count as the contributor.")
@click.option("--watch", is_flag=True, help="Keep mining new messages until Ctrl-C.")
@click.option("--again", is_flag=True, help="Mine again what an older version or another model mined.")
def mine(terminal: Terminal, paths: tuple[Path, ...], actor: str | None, watch: bool, again: bool) -> None:
    """Learn from conversations with AI tools.

    Without a language model configured, nothing leaves this machine.

    PATH is a file or folder of Claude Code, Codex, Gemini, Cursor or SpecStory, an export of ChatGPT or Claude, or a
    list of messages. The default is the usual folders of these tools. Secrets and personal data are redacted before
    anything is stored. Files are read only once, so you can stop and continue at any time. Unreadable files and
    conversations that fail are skipped and listed at the end.

    \b
    Exit codes: 0 success · 1 something was skipped
    5 some were mined without the language model, which did not
    answer
    """
    places = paths or _usual()
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
        if end:
            raise click.exceptions.Exit(end)


def _usual() -> tuple[Path, ...]:
    found = tuple(path for place in _PLACES if (path := Path(place).expanduser()).is_dir())
    if not found:
        raise InvalidInput(
            f"No conversations were found in {', '.join(_PLACES)}.",
            hint="Pass a file or a folder: heedful mine ~/Downloads/conversations.json",
        )
    return found


class _MiningRun:
    def __init__(self, terminal: Terminal, loop: Loop, paths: tuple[Path, ...], actor: str | None) -> None:
        self._terminal = terminal
        self._loop = loop
        self._paths = paths
        self._actor = actor
        self._unreadable: list[UnreadableFile] = []

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
        return SKIPPED if self._unreadable or failed else UNANSWERED if unanswered else 0

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
        found = [self._loop.govern.learnings.get(id) for one in mined for id in one.learned]
        learned = [one for one in found if isinstance(one, Insight) and one.status is Status.ACTIVE]
        outcomes = Counter(one.outcome for one in mined)
        if self._terminal.json:
            self._terminal.line(_document(read, mined, learned, outcomes, failed, self._unreadable, unanswered))
            return
        self._say_read(read)
        if mined:
            self._say_mined(mined, learned, outcomes)
        if learned:
            self._show(learned)
        self._say_unanswered(unanswered)
        self._say_skipped(failed)

    def _say_unanswered(self, unanswered: Counter[str]) -> None:
        for code, count in unanswered.most_common():
            self._terminal.say(
                ("! ", "yellow"),
                f"{counted(count, 'conversation')} mined without the language model: {why_unanswered(code)}.",
            )
        if unanswered:
            place = self._terminal.same_place(self._loop)
            self._terminal.say((f"  Diagnose: heedful doctor{place}", "dim"))
            self._terminal.say((f"  Then retry: heedful mine --again{place}", "dim"))

    def _say_skipped(self, failed: list[Job]) -> None:
        """Last, so that it is seen."""
        if self._unreadable:
            self._terminal.say(("! ", "yellow"), f"{counted(len(self._unreadable), 'file')} could not be read:")
            self._terminal.table("", ("file", "why"), [(str(one.path), one.why) for one in self._unreadable])
        if failed:
            self._terminal.say(("! ", "yellow"), f"{counted(len(failed), 'conversation')} could not be mined:")
            self._terminal.table("", ("conversation", "why"), [(_conversation(job), _why(job)) for job in failed])
            place = self._terminal.same_place(self._loop)
            self._terminal.say((f"Retry: heedful mine{place}; failed jobs: heedful jobs{place}", "dim"))

    def _say_read(self, read: ImportResult) -> None:
        say = self._terminal.say
        if read.files:
            news = f"{counted(len(read.conversations), 'conversation')}, {counted(read.messages, 'message')}"
            unchanged = f"; {read.unchanged:,} unchanged" if read.unchanged else ""
            say(DONE, f"{news} new in {counted(read.files, 'file')}{unchanged}")
        else:
            say(("! ", "yellow"), f"No conversations were recognised in {', '.join(map(str, self._paths))}.")
        if read.damaged:
            total = sum(reasons.total() for reasons in read.damaged.values())
            say(("! ", "yellow"), f"{counted(total, 'record')} could not be read:")
            rows = [(str(path), _reasons(why)) for path, why in read.damaged.items()]
            self._terminal.table("", ("file", "why"), rows)

    def _say_mined(self, mined: list[Mined], learned: list[Insight], outcomes: Counter[Outcome]) -> None:
        fruitful, confirmed = outcomes[Outcome.LEARNED], sum(len(one.confirmed) for one in mined)
        again = f", {confirmed:,} known learnings confirmed" if confirmed else ""
        self._terminal.say(
            DONE,
            (f"{counted(len(learned), 'learning')}", "bold"),
            f" from {fruitful:,} of {counted(len(mined), 'conversation')}{again}",
        )
        for outcome, says in _WHY_NOTHING.items():
            if outcomes[outcome]:
                self._terminal.say((f"  {outcomes[outcome]:,} {says}", "dim"))

    def _show(self, learned: list[Insight]) -> None:
        place = self._terminal.same_place(self._loop)
        best = _mixed(learned)
        self._terminal.console.print()
        if len(best) > _SHOWN:
            self._terminal.say((f"Some of them. All: heedful learnings list -n {len(best)}{place}", "dim"))
        show_list(self._terminal, best[:_SHOWN], self._loop.store.clock())
        self._terminal.say((f"Show one:   heedful learnings show {best[0].id}{place}", "dim"))
        self._terminal.say((f"Evidence:   heedful learnings why {best[0].id}{place}", "dim"))
        self._terminal.say((f"Approve it: heedful learnings approve {best[0].id}{place}", "dim"))


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


def _reasons(why: Counter[str]) -> str:
    return ", ".join(f"{reason} {count:,}" for reason, count in why.most_common())


def _conversation(job: Job) -> str:
    return str(job.payload.get("conversation", job.id))


def _why(job: Job) -> str:
    again = "gave up" if job.state is JobState.DEAD_LETTER else "will be retried"
    return f"{(job.error or 'unknown reason').strip().splitlines()[-1]} ({again})"


def _mixed(learned: list[Insight]) -> list[Insight]:
    """Highest confidence first, alternating rules and other insights."""
    surest = sorted(learned, key=lambda one: (-one.confidence, one.title))
    rules, others = [one for one in surest if one.rule], [one for one in surest if not one.rule]
    return [one for pair in zip_longest(rules, others) for one in pair if one is not None]


def _document(
    read: ImportResult,
    mined: list[Mined],
    learned: list[Insight],
    outcomes: Counter[Outcome],
    failed: list[Job],
    closed: list[UnreadableFile],
    unanswered: Counter[str],
) -> dict[str, Any]:
    return {
        "files": read.files,
        "unchanged": read.unchanged,
        "conversations": len(read.conversations),
        "messages": read.messages,
        "damaged": [{"path": str(path), "why": dict(why)} for path, why in read.damaged.items()],
        "unreadable": [{"path": str(one.path), "why": one.why} for one in closed],
        "mined": len(mined),
        "outcomes": {outcome.value: outcomes[outcome] for outcome in Outcome},
        "failed": [{"conversation": _conversation(job), "why": _why(job)} for job in failed],
        "unanswered": dict(unanswered),
        "learned": learned,
        "confirmed": sorted({id for one in mined for id in one.confirmed}),
    }


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

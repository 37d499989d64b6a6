"""What the daemon does beside its answers: transcripts are read in a thread, and mined in a process of low priority."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from heedful.learnings.table import EMBED_JOB
from heedful.records.mining import MINE_JOB

if TYPE_CHECKING:
    from heedful.loop import Loop
    from heedful.settings import Settings

_QUIET = 60.0  # seconds after the last turn: a conversation that goes on would be mined again with every turn
_NICE = 10
_log = logging.getLogger(__name__)


class Errands:
    """A transcript is read at once, from where the last reading ended. It is mined when its session has ended, or was
    quiet for a minute. What is not done when the daemon ends waits in the queue of jobs."""

    def __init__(self, loop: Loop, settings: Settings) -> None:
        self._loop = loop
        self._settings = settings
        self._condition = threading.Condition()
        self._paths: dict[Path, tuple[str | None, bool]] = {}
        self._mine_at: float | None = None
        self._working = False
        self._ending = False
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="heedful-hook-errands", daemon=True)

    @property
    def busy(self) -> bool:
        with self._condition:
            return bool(self._paths) or self._mine_at is not None or self._working

    def add(self, path: Path, actor: str | None, ended: bool) -> None:
        with self._condition:
            before = self._paths.get(path, (None, False))
            self._paths[path] = (actor, ended or before[1])
            self._condition.notify()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._condition:
            self._ending = True
            self._condition.notify()
            if self._process is not None:
                self._process.terminate()  # it finishes its job; the others stay in the queue
        self._thread.join()

    def _run(self) -> None:
        while (errand := self._next()) is not None:
            try:
                if isinstance(errand, tuple):
                    self._read(*errand)
                else:
                    self._mine()
            except Exception as error:  # noqa: BLE001 - the outer edge: the next one may work
                _log.warning("an errand failed: %s", type(error).__name__)
            finally:
                with self._condition:
                    self._working = False

    def _next(self) -> tuple[Path, str | None, bool] | float | None:
        """A transcript to read, the time since which mining is due, or None at the end."""
        with self._condition:
            while not self._paths or self._ending:
                if self._ending:
                    return None
                left = None if self._mine_at is None else self._mine_at - time.monotonic()
                if left is not None and left <= 0:
                    due, self._mine_at, self._working = self._mine_at, None, True
                    assert due is not None
                    return due
                self._condition.wait(left)
            path, (actor, ended) = self._paths.popitem()
            self._working = True
            return path, actor, ended

    def _read(self, path: Path, actor: str | None, ended: bool) -> None:
        self._loop.capture.transcripts(path, actor=actor)
        with self._condition:
            self._mine_at = time.monotonic() + (0.0 if ended else _QUIET)

    def _mine(self) -> None:
        only = [word for name in (MINE_JOB, EMBED_JOB) for word in ("--only", name)]
        process = subprocess.Popen(  # noqa: S603 - it is this program
            [sys.executable, "-P", "-m", "heedful", "work", "--once", "--threads", "1", *only, "--json"],
            env={**os.environ, "HEEDFUL_DATABASE": self._settings.database},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
        except OSError:
            _log.info("mining runs at normal priority")
        with self._condition:
            self._process = process
            if self._ending:
                process.terminate()
        process.wait()
        with self._condition:
            self._process = None

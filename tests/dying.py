"""A process that dies, by SIGKILL, just before its nth statement to the database: the same place on any machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from heedful.store.postgres import _PostgresTransaction
from heedful.store.sqlite import _SqliteTransaction

Say = Callable[[str], None]
"""Tells the parent something; what was told stays told."""

_PROCESSES = multiprocessing.get_context("forkserver")  # one that is ready forks the others: no second for imports
_PROCESSES.set_forkserver_preload([__name__])


def run_until_death(work: Callable[..., None], *arguments: object, statement: int) -> list[str]:
    """Call `work(say, *arguments)` in a process of its own, and return what it said before it died."""
    heard, say = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=_doomed, args=(work, say, statement, arguments))
    process.start()
    say.close()
    said = list(_until_closed(heard))
    process.join()
    assert process.exitcode == -signal.SIGKILL, "it ended before it could be killed: give it more to do"
    return said


def _until_closed(heard: Connection) -> Iterator[str]:
    try:
        while True:
            yield heard.recv()
    except EOFError:
        return


def _doomed(work: Callable[..., None], say: Connection, statement: int, arguments: tuple[object, ...]) -> None:
    numbers = count(1)

    def counted(run: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if next(numbers) == statement:
                os.kill(os.getpid(), signal.SIGKILL)
            return run(*args, **kwargs)

        return call

    for transaction in (_SqliteTransaction, _PostgresTransaction):
        setattr(transaction, "_run", counted(transaction._run))  # noqa: B010 - mypy forbids to assign a method
    work(say.send, *arguments)

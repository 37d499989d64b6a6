"""The real command line at a pseudo-terminal, and a person who presses keys."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def at_a_terminal(*words: str) -> Iterator[Keyboard]:
    ours, theirs = pty.openpty()
    env = {**os.environ, "COLUMNS": "100", "LINES": "40", "TERM": "xterm"}
    command = [sys.executable, "-m", "heedful", *words]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True)
    os.close(theirs)
    try:
        yield Keyboard(ours, process)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


class Keyboard:
    """Reads a screen until the program waits for a key: keys that are pressed earlier are not taken."""

    def __init__(self, terminal: int, process: subprocess.Popen[bytes]) -> None:
        self._terminal = terminal
        self._process = process
        self._until = time.monotonic() + 60
        self.screen = ""
        self._seen = 0

    def press(self, key: str, after: str = "") -> None:
        """After this text has appeared since the last key."""
        self._read(lambda: after in self.screen[self._seen :] and not self._waits_for_lines())
        self._seen = len(self.screen)
        os.write(self._terminal, key.encode())

    def type(self, line: str, prompt: str) -> None:
        self._read(lambda: prompt in self.screen and self._waits_for_lines())
        os.write(self._terminal, f"{line}\n".encode())

    def end(self) -> int:
        self._read(lambda: False)
        return self._process.wait()

    def _waits_for_lines(self) -> bool:
        return bool(termios.tcgetattr(self._terminal)[3] & termios.ICANON)

    def _read(self, enough: Callable[[], bool]) -> None:
        while time.monotonic() < self._until:
            if select.select([self._terminal], [], [], 0.01)[0]:
                try:
                    self.screen += os.read(self._terminal, 100_000).decode(errors="replace")
                except OSError:  # the other end is closed
                    return
            elif enough():
                return
        pytest.fail(f"The program does not go on:\n{self.screen}")

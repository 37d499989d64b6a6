"""An inbox at a terminal: one record per screen, one key for each decision."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

import click

from heedful.edges.cli.terminal import DONE, Part, Terminal, visible
from heedful.errors import Conflict, InvalidInput, NotFound

if TYPE_CHECKING:
    from heedful.errors import HeedfulError
    from heedful.loop import Loop

Line = list[Part]

_T = TypeVar("_T")
_R = TypeVar("_R")
_OTHERS = "others"


def attended() -> bool:
    """Whether a person is at the terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


class Inbox(ABC, Generic[_T]):
    """Goes through the records of a queue. What was decided stays decided, also when it is left with Ctrl-C."""

    def __init__(self, terminal: Terminal, loop: Loop, queue: Sequence[str]) -> None:
        self.terminal = terminal
        self.loop = loop
        self.queue = queue
        self.at, self._step = 0, 1
        self.messages: list[Line] = []
        """What the next screen says below the record."""
        self.done: dict[str, str] = {}
        """What became of each record, by its id."""

    @property
    @abstractmethod
    def keys(self) -> Mapping[str, Callable[[_T], None]]:
        """What each key does, besides q."""

    @abstractmethod
    def current(self, id: str) -> _T | None:
        """The record as it is now; None if it waits no longer."""

    @abstractmethod
    def show(self, found: _T) -> None:
        """Prints the screen of a record."""

    @abstractmethod
    def say_what_was_done(self) -> None: ...

    def goes_on(self) -> bool:
        """At the end of the queue: whether the person went back."""
        return False

    def run(self) -> None:
        try:
            self._walk()
        except KeyboardInterrupt:
            self.say_what_was_done()
            raise click.exceptions.Exit(130) from None
        self.say_what_was_done()

    def _walk(self) -> None:
        while self.at < len(self.queue) or self.goes_on():
            if self.at < 0:
                self.messages.append([("There is nothing before it.", "dim")])
                self.move(1)
            elif (found := self.current(self.queue[self.at])) is None:
                self.at += self._step
            else:
                self.show(found)
                if (key := self.pressed()) in ("q", "Q", ""):
                    return
                (self.keys.get(key) or self.keys.get(key.lower()) or self._say_keys)(found)

    def pressed(self) -> str:
        """Several characters at once were pasted, not pressed, and decide nothing."""
        try:
            return click.getchar()
        except EOFError:
            return ""

    def _say_keys(self, _: _T) -> None:
        named = ", ".join(key for key in self.keys if key != "?")
        self.messages.append([(f"Press {named}, q, or ? for help.", "yellow")])

    def move(self, step: int) -> None:
        self._step = step
        self.at += step

    def note(self, id: str, line: Line) -> None:
        """What others did meanwhile: once, and not about what was decided here."""
        if id not in self.done:
            self.done[id] = _OTHERS
            self.messages.append(line)

    def attempt(self, act: Callable[[], _R]) -> _R | None:
        """In one transaction; None if it is refused, and a message says why."""
        try:
            with self.loop.transaction():
                return act()
        except (Conflict, InvalidInput, NotFound) as error:
            self.messages.append(refusal(error))
            return None

    def say_messages(self) -> None:
        for line in self.messages:
            self.terminal.say(*line)
        self.messages.clear()

    def say_counts(self) -> Counter[str]:
        """On an empty screen: how much was done here, by what was done."""
        self.terminal.console.clear()
        self.say_messages()
        mine = Counter(did for did in self.done.values() if did != _OTHERS)
        shown = ", ".join(f"{count} {did}" for did, count in mine.items())
        self.terminal.say(DONE, f"Done: {shown}." if shown else "Nothing was decided.")
        return mine


def footer(keys: Mapping[str, str]) -> Line:
    """The line that says what the keys do."""
    return [part for key, word in keys.items() for part in ((f" {key} ", "reverse"), f" {word}  ")]


def refusal(error: HeedfulError) -> Line:
    return [("✗ ", "red"), error.message, (f" {error.hint}" if error.hint else "", "dim")]


def edited_line(prompt: str, text: str) -> str:
    """A line of text that the person changes where it stands. Ctrl-C is an abort."""
    text = visible(" ".join(text.split()))
    try:
        import readline  # noqa: PLC0415 - not on Windows
    except ImportError:
        return str(click.prompt(prompt, default=text))
    readline.set_startup_hook(lambda: readline.insert_text(text))
    try:
        return input(f"{prompt}: ")
    except (KeyboardInterrupt, EOFError):
        raise click.Abort from None
    finally:
        readline.set_startup_hook()

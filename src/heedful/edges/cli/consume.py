"""consume: record reviewers' decisions from a Redis stream."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from heedful.edges.cli.terminal import Part, Terminal, command, counted
from heedful.errors import HeedfulError, MissingExtra

if TYPE_CHECKING:
    from types import ModuleType

    from heedful.edges.redis import Consumer, ConsumerProgress

_REPORT_SECONDS = 30.0


@command(
    "heedful consume redis://localhost:6379/0\n"
    "heedful consume redis://localhost:6379/0 --stream reviews --agent coder --once"
)
@click.argument("url")
@click.option("--stream", default="asdlc:events:hitl_decisions", show_default=True, help="The stream to follow.")
@click.option("--group", default="heedful", show_default=True, help="The consumer group; created if there is none.")
@click.option("--consumer", metavar="NAME", help="The name in the group, kept after a restart. [this host]")
@click.option("--agent", metavar="NAME", help="Who made the output, if a message names no agent. [the gate]")
@click.option("--dead-letter", metavar="STREAM", help="Where messages go that cannot be recorded. [STREAM:dead]")
@click.option(
    "--claim-after",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    help="Seconds until the message of a dead consumer is taken over.",
)
@click.option("--once", is_flag=True, help="Record what is there, then exit.")
def consume(
    terminal: Terminal,
    url: str,
    stream: str,
    group: str,
    consumer: str | None,
    agent: str | None,
    dead_letter: str | None,
    claim_after: int,
    once: bool,
) -> None:
    """Record reviews from a Redis stream until Ctrl-C or SIGTERM.

    A message is acknowledged after its review is stored. Its decision_id is the id of the review: delivered twice,
    it is one review. While Redis or the database is down, nothing is lost. With --json, prints one line per message.
    """
    edge = _edge()
    client = edge.connect(url)
    with client, terminal.loop() as loop:
        display = _Display(terminal, stream)
        following: Consumer = edge.Consumer(
            loop,
            client,
            stream=stream,
            group=group,
            name=consumer or socket.gethostname(),
            dead_letter=dead_letter or f"{stream}:dead",
            agent=agent,
            claim_after=timedelta(seconds=claim_after),
            watch=display.show,
        )
        with display, _stopped_by_signals(following):
            following.run(once=once)
        terminal.answer({"recorded": display.recorded, "dead_letter": display.dead}, display.summary())


def _edge() -> ModuleType:
    try:
        from heedful.edges import redis  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra(
            f"`heedful consume` needs {error.name}.", hint="Install it: pip install 'heedful[redis]'"
        ) from error
    return redis


@contextmanager
def _stopped_by_signals(consumer: Consumer) -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        signal.signal(number, lambda *_: consumer.stop())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Display:
    """A status line at a terminal, a line now and then elsewhere, or one JSON line per message."""

    def __init__(self, terminal: Terminal, stream: str) -> None:
        self._terminal = terminal
        self._stream = stream
        self._status = terminal.notices.status("connecting")
        self._next_report = time.monotonic() + _REPORT_SECONDS
        self._reported = ""
        self.recorded = 0
        self.dead = 0

    def show(self, progress: ConsumerProgress) -> None:
        self.recorded += progress.outcome == "recorded"
        self.dead += progress.outcome == "dead_letter"
        if self._terminal.json:
            if progress.message is not None:
                self._terminal.line(_line(progress))
        elif progress.outcome == "joined":
            self._say(f"following {self._stream}")
        else:
            self._report()
        if progress.error is not None:
            self._warn(progress.message, progress.error)

    def _warn(self, message: str | None, error: HeedfulError) -> None:
        what = "waiting: " if message is None else f"{message} is a dead letter: "
        self._say(("! ", "yellow"), what, str(error))

    def _report(self) -> None:
        summary = self.summary()
        self._status.update(summary)
        if not self._terminal.notices.is_terminal and time.monotonic() >= self._next_report:
            self._next_report = time.monotonic() + _REPORT_SECONDS
            if summary != self._reported:
                self._reported = summary
                self._say(summary)

    def _say(self, *parts: Part) -> None:
        self._terminal.say(*parts, to=self._terminal.notices)

    def summary(self) -> str:
        return f"{counted(self.recorded, 'review')} recorded, {counted(self.dead, 'dead letter')}"

    def __enter__(self) -> None:
        if not self._terminal.json:
            self._status.start()

    def __exit__(self, *_: object) -> None:
        self._status.stop()


def _line(progress: ConsumerProgress) -> dict[str, Any]:
    line: dict[str, Any] = {"message": progress.message, "outcome": progress.outcome}
    if progress.review is not None:
        review = progress.review
        line |= {"review": review.id, "agent": review.agent, "decision": review.decision}
    if progress.error is not None:
        line |= {"error": progress.error.code, "reason": str(progress.error)}
    return line

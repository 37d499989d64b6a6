"""A deadline for calls that have none of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def in_time(call: Callable[[], T], seconds: float) -> T:
    """Runs it in a thread that is abandoned when the time is over; then it raises TimeoutError."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again where the answer is awaited
            answer.set_exception(error)

    threading.Thread(target=run, name="heedful-deadline", daemon=True).start()
    return answer.result(seconds)

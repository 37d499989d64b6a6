"""Observers: metrics, traces, logs."""

from __future__ import annotations

import logging
from collections.abc import Callable

_log = logging.getLogger("heedful.watching")


def unfailing(call: Callable[[], object]) -> None:
    """Calls an observer. The observed operation has already happened: an error in the observer must not fail it."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - the outer edge: it is the watcher that failed
        _log.error("a watcher failed: %s", type(error).__name__)

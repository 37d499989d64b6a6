"""Reading a correction again: the job that does it, and when it is queued."""

from __future__ import annotations

from datetime import timedelta

from heedful.records.event import Event
from heedful.records.job import JobRequest

READ_JOB = "correction.read"

_DELAY = timedelta(minutes=1)  # a language model that cannot be reached is left alone for as long
_ATTEMPTS = 20  # over about two hours


def request(event: Event) -> JobRequest | None:
    """For a correction in a message about which the language model was asked and did not answer."""
    return request_of(event.id) if "unanswered" in event.meta else None


def request_of(correction: str) -> JobRequest:
    return JobRequest(
        READ_JOB, {"correction": correction}, key=correction, delay=_DELAY, max_attempts=_ATTEMPTS, about=correction
    )

"""A webhook: a URL to which an organisation's events are posted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from heedful.records.job import JobState
from heedful.records.record import Record

DELIVER_JOB = "webhooks.deliver"


@dataclass(frozen=True, slots=True)
class Webhook(Record):
    id: str
    url: str
    kinds: tuple[str, ...]
    """Which events are posted; empty for all."""
    created_at: datetime
    disabled_at: datetime | None = None
    disabled_because: str | None = None
    secret: str | None = field(default=None, repr=False)
    """Signs the deliveries; only in the response to its creation."""


@dataclass(frozen=True, slots=True)
class Delivery(Record):
    """The delivery of one event to one webhook."""

    job: str
    """Pass this to `jobs.retry` after all attempts failed."""
    event: str
    state: JobState
    attempts: int
    due_at: datetime
    updated_at: datetime
    error: str | None


class Poster(Protocol):
    def check(self, url: str) -> None:
        """Rejects a URL that can never be posted to."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Posts, and returns the status of the response."""

"""A webhook: an address to which an organisation has its events posted."""

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
    """What signs the deliveries, in the answer to its creation and never again."""


@dataclass(frozen=True, slots=True)
class Delivery(Record):
    """One event on its way to one webhook."""

    job: str
    """Give this to `jobs.retry` when it was given up."""
    event: str
    state: JobState
    attempts: int
    due_at: datetime
    updated_at: datetime
    error: str | None


class Poster(Protocol):
    """Posts to addresses that others chose."""

    def check(self, url: str) -> None:
        """Refuse an address that will never be posted to."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Post, and tell the status of the answer."""

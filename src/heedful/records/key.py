"""An API key: who may speak for an organisation, in which role."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from heedful.records.record import Record
from heedful.records.role import Role
from heedful.records.tier import Tier


@dataclass(frozen=True, slots=True)
class Key(Record):
    id: str
    name: str
    role: Role
    rate_limit: int | None
    """Requests a minute; None for what the server allows everybody."""
    for_many: bool
    """It speaks for many people: those it names count as so many. Else whatever it records counts as one person's."""
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    """To the minute."""
    over_at: datetime | None = None
    """When it was first seen that it is over: from then on it stays so, whatever the clock says."""
    secret: str | None = field(default=None, repr=False)
    """The key itself, in the answer to its creation and never again: only its hash is kept."""

    def is_over(self, now: datetime) -> bool:
        return self.over_at is not None or (self.expires_at is not None and self.expires_at <= now)

    def is_valid(self, now: datetime) -> bool:
        return self.revoked_at is None and not self.is_over(now)


@dataclass(frozen=True, slots=True)
class Identity(Record):
    """Who one is to heedful."""

    org: str
    role: Role
    key: str | None
    """The id of the key that was shown; None on the machine itself."""
    name: str
    tier: Tier

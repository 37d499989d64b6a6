"""An API key: authenticates a caller of an organisation, with a role."""

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
    """Requests per minute; None for the server's default."""
    for_many: bool
    """Each person it names counts as one person. Otherwise everything recorded with it counts as one person."""
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    """Rounded to the minute."""
    over_at: datetime | None = None
    """When its expiry was first noticed: it stays expired, even if the clock is set back."""
    secret: str | None = field(default=None, repr=False)
    """The key itself, only in the response to its creation: heedful stores its hash."""

    def is_over(self, now: datetime) -> bool:
        return self.over_at is not None or (self.expires_at is not None and self.expires_at <= now)

    def is_valid(self, now: datetime) -> bool:
        return self.revoked_at is None and not self.is_over(now)


@dataclass(frozen=True, slots=True)
class Identity(Record):
    """The current caller."""

    org: str
    role: Role
    key: str | None
    """The id of the key; None on the server itself."""
    name: str
    tier: Tier

"""The tiers of a licence."""

from __future__ import annotations

from heedful.errors import LicenceRequired
from heedful.records.choice import Choice


class Tier(Choice, noun="tier"):
    """Each includes those before it."""

    FREE = "free"
    TEAMS = "teams"
    ENTERPRISE = "enterprise"

    def includes(self, needed: Tier) -> bool:
        order = list(Tier)
        return order.index(self) >= order.index(needed)

    def require(self, needed: Tier, feature: str) -> None:
        if not self.includes(needed):
            raise LicenceRequired(
                f"{feature} needs the tier {needed.value}; this organisation has {self.value}.",
                hint="Everything else keeps working. Ask the administrator of this server for another tier.",
            )

"""What an organisation has a licence for."""

from __future__ import annotations

from enum import StrEnum

from heedful.errors import LicenceRequired


class Tier(StrEnum):
    """Each includes those before it."""

    FREE = "free"
    TEAMS = "teams"
    ENTERPRISE = "enterprise"

    def includes(self, needed: Tier) -> bool:
        order = list(Tier)
        return order.index(self) >= order.index(needed)

    def lacks(self, needed: Tier, feature: str) -> LicenceRequired:
        return LicenceRequired(
            f"{feature} needs the tier {needed.value}; this organisation has {self.value}.",
            hint="Everything else goes on working. Ask whoever runs this heedful for another tier.",
        )

    def require(self, needed: Tier, feature: str) -> None:
        if not self.includes(needed):
            raise self.lacks(needed, feature)

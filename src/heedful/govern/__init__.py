"""Govern: what may go live and who may do what. So far: keys, tiers, webhooks."""

from __future__ import annotations

from functools import cached_property

from heedful.errors import InvalidInput
from heedful.govern.access import Access
from heedful.govern.keys import Keys
from heedful.govern.webhooks import Webhooks
from heedful.model import caller, policy
from heedful.model.key import Identity
from heedful.model.operation import operation
from heedful.model.policy import Role
from heedful.model.tier import Tier
from heedful.model.webhook import Poster
from heedful.store import Store
from heedful.store.audit import audit


class Govern:
    """`loop.govern`"""

    def __init__(self, store: Store, poster: Poster) -> None:
        self._store = store
        self._poster = poster

    @cached_property
    def keys(self) -> Keys:
        return Keys(self._store)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self._store, self._poster)

    @operation("GET /me", policy.Oneself.read)
    def me(self) -> Identity:
        """Tell who you are here: organisation, role, key, and the organisation's tier."""
        who, tier = caller.current(), self._store.tier()
        if who is None:
            return Identity(self._store.org, Role.ADMIN, None, caller.LOCAL, tier)
        return Identity(who.org, who.role, who.key, who.name, tier)

    @property
    def access(self) -> Access:
        """Who is at the door: for servers."""
        return Access(self._store)

    def tier(self) -> Tier:
        """What the organisation has a licence for."""
        return self._store.tier()

    def set_tier(self, tier: Tier | str) -> None:
        """For whoever runs heedful for several organisations; no key allows it."""
        caller.owner_only("change the tier")
        try:
            wanted = Tier(tier)
        except ValueError:
            known = ", ".join(known.value for known in Tier)
            raise InvalidInput(f"{tier!r} is not a tier.", hint=f"There are: {known}.") from None
        with self._store.transaction() as transaction:
            self._store.log.hold(transaction)
            before = self._store.tier()
            self._store.set_tier(transaction, wanted)
            audit(self._store, "AUDIT_TIER_CHANGED", before={"tier": before.value}, after={"tier": wanted.value})

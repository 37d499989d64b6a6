"""The audit trail: every administrative act is an event of its own, in the organisation's log.

Kinds that begin with AUDIT_ are for these alone: nobody with a key can record one by hand.
"""

from __future__ import annotations

from typing import Any

from heedful.operations import caller
from heedful.records.event import Entity, noted
from heedful.store.store import Store

PREFIX = "AUDIT_"


def audit(
    store: Store,
    kind: str,
    entity: Entity | None = None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Record it; inside the transaction of the act itself, so that neither is there without the other."""
    store.log.append([noted(kind, store.clock(), actor=caller.actor(), entity=entity, before=before, after=after)])

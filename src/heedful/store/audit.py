"""The audit trail: administrative acts are events whose kinds begin with AUDIT_, which no key may record by hand."""

from __future__ import annotations

from typing import Any

from heedful.operations import caller
from heedful.records.event import Entity, noted
from heedful.store.recording import Recording

PREFIX = "AUDIT_"


def audit(
    record: Recording,
    kind: str,
    entity: Entity | None = None,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Record an act in the transaction of the act itself, so that neither exists without the other."""
    record.append([noted(kind, record.clock(), actor=caller.actor(), entity=entity, before=before, after=after)])

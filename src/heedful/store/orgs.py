"""Organisations, and locking one: whatever records or queues for it waits its turn, in one order."""

from __future__ import annotations

from typing import NamedTuple

from heedful.records.clock import Clock, to_micros
from heedful.records.privacy import Privacy
from heedful.records.tier import Tier
from heedful.store.database import Database, Transaction

CREATE = "insert into org (org_id, floor, created_at) values (:org, 0, :now) on conflict do nothing"
"""The first event or job of an organisation creates it."""

SELECT_LOCKED = "select privacy, secret_fingerprint from org where org_id = :org"
SELECT_FLOOR = "select floor from org where org_id = :org"
"""Positions up to this one are surely taken."""

SELECT_TIER = "select tier from org where org_id = :org"
SELECT_ALL = "select org_id, tier from org order by org_id"
SAVE_TIER = "update org set tier = :tier where org_id = :org"
SELECT_ERASURES = "select erasures from org where org_id = :org"
NOTE_ERASURE = "update org set floor = :head, erasures = erasures + 1 where org_id = :org"
SELECT_PRIVACY = "select privacy from org where org_id = :org"
SAVE_PRIVACY = "update org set privacy = :privacy where org_id = :org"
SAVE_FINGERPRINT = "update org set secret_fingerprint = :fingerprint where org_id = :org"
SAVE_HAS_WEBHOOKS = "update org set has_webhooks = :has_webhooks where org_id = :org"


class LockedOrg(NamedTuple):
    """What is known of an organisation that is locked, and stays so."""

    privacy: str | None
    secret_fingerprint: str | None


def lock(transaction: Transaction, database: Database, org: str, clock: Clock) -> LockedOrg:
    """Keep others from recording or queueing until the end of the transaction."""
    sql = SELECT_LOCKED + database.for_update
    rows = transaction.query(sql, {"org": org})
    if not rows:
        transaction.execute(CREATE, {"org": org, "now": to_micros(clock())})
        rows = transaction.query(sql, {"org": org})
    return LockedOrg(*rows[0])


def privacy(transaction: Transaction, org: str) -> Privacy:
    rows = transaction.query(SELECT_PRIVACY, {"org": org})
    return Privacy.read(rows[0][0] if rows else None)


def tier(transaction: Transaction, org: str) -> Tier | None:
    """The tier it was given, if any."""
    rows = transaction.query(SELECT_TIER, {"org": org})
    return Tier(rows[0][0]) if rows and rows[0][0] is not None else None

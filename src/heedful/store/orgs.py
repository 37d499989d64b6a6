"""Organisations, and holding one: whoever records or queues for it waits their turn, in one order."""

from __future__ import annotations

from heedful.model.clock import Clock, to_micros
from heedful.store.database import Database, Transaction

FOUND = "insert into org (org_id, floor, created_at) values (:org, 0, :now) on conflict do nothing"
"""The first event or job of an organisation brings it into being."""

SELECT_FLOOR = "select floor from org where org_id = :org"
SELECT_NAMES = "select org_id from org order by org_id"


def hold(transaction: Transaction, database: Database, org: str, clock: Clock) -> int:
    """Let nobody else record or queue until the end of the transaction; tell which places are surely taken."""
    sql = SELECT_FLOOR + database.for_update
    rows = transaction.query(sql, {"org": org})
    if not rows:
        transaction.execute(FOUND, {"org": org, "now": to_micros(clock())})
        rows = transaction.query(sql, {"org": org})
    return int(rows[0][0])

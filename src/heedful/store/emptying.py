"""Empties an organisation: every row that it has, but its name, its tier and the key of whoever asks."""

from __future__ import annotations

from heedful.store.database import Transaction
from heedful.store.store import Store

TABLES = (
    "feedback_event", "file", "log_hour", "projection", "counter", "tally", "learning", "learning_signature",
    "learning_vector", "posting", "job", "subscription", "webhook", "spending", "reading",
)  # fmt: skip

DELETE = "delete from {table} where org_id = :org"
DELETE_KEYS = "delete from api_key where org_id = :org and id <> :kept"
DELETE_SIGN_INS = "delete from sign_in where org_id = :org and key_id <> :kept"
"""Signed-out sessions stay signed out: the key that is kept could be used by one of them."""

RESET = """
update org set floor = :head, erasures = erasures + 1, privacy = null, secret_fingerprint = null, has_webhooks = 0,
    learnings = 0, next_generation = null
where org_id = :org
"""
"""Positions are not given out twice, so that whoever follows the log goes on with what is new."""


def empty(store: Store, transaction: Transaction, head: int, *, kept_key: str) -> dict[str, int]:
    """In a transaction that locks the organisation. Returns how many rows of each table were deleted."""
    org = {"org": store.org}
    deleted = {table: transaction.execute(DELETE.format(table=table), org) for table in TABLES}
    deleted["api_key"] = transaction.execute(DELETE_KEYS, {**org, "kept": kept_key})
    transaction.execute(DELETE_SIGN_INS, {**org, "kept": kept_key})
    transaction.execute(RESET, {**org, "head": head})
    store.database.after_commit(store.database.cache.clear)
    return deleted

"""How far files have been read, so that only what is new is read again."""

from __future__ import annotations

from typing import NamedTuple

from heedful.records.clock import to_micros
from heedful.store.database import OrgTable, Transaction

SELECT = "select position, digest from reading where org_id = :org and source = :source"

SAVE = """
insert into reading (org_id, source, position, digest, read_at) values (:org, :source, :position, :digest, :now)
on conflict (org_id, source) do update set
    position = excluded.position, digest = excluded.digest, read_at = excluded.read_at
"""

FORGET = "delete from reading where org_id = :org"


class ReadPosition(NamedTuple):
    position: int
    """In bytes: where to continue."""
    digest: str
    """Of the part that was read: another file in its place is read from the beginning."""


class Readings(OrgTable):
    """Of one organisation. A file is named by a digest of its path."""

    def get(self, source: str) -> ReadPosition | None:
        rows = self._query(SELECT, source=source)
        return ReadPosition(*rows[0]) if rows else None

    def put(self, transaction: Transaction, source: str, reading: ReadPosition) -> None:
        now = to_micros(self._clock())
        transaction.execute(SAVE, {"org": self._org, "source": source, "now": now, **reading._asdict()})

    def forget(self, transaction: Transaction) -> None:
        """Read everything again next time."""
        transaction.execute(FORGET, {"org": self._org})

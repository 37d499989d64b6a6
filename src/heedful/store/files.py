"""Files that belong to an event, such as a document and its words. They are written and erased with it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from heedful.store.damage import checksum, damaged
from heedful.store.database import OrgTable, Transaction, in_parts

_PER_QUERY = 400

SELECT = "select content, checksum from file where org_id = :org and event = :event and name = :name"
SELECT_MANY = "select event, content, checksum from file where org_id = :org and name = :name and event in ({events})"

SAVE = """
insert into file (org_id, event, name, content, checksum) values (:org, :event, :name, :content, :checksum)
on conflict (org_id, event, name) do nothing
"""

ERASE = "delete from file where org_id = :org and event in ({events})"

COUNT = "select count(*) from file where org_id = :org and event in ({events})"


class Files(OrgTable):
    """Of one organisation. Texts are stored compressed."""

    def put(self, transaction: Transaction, event: str, name: str, content: bytes) -> None:
        """In the transaction that records the event. A file is never changed."""
        seal = checksum(self._org, event, name, blob=content)
        params = {"org": self._org, "event": event, "name": name, "content": content, "checksum": seal}
        transaction.execute(SAVE, params)

    def put_text(self, transaction: Transaction, event: str, name: str, text: bytes) -> None:
        self.put(transaction, event, name, zlib.compress(text, 6))

    def get(self, event: str, name: str) -> bytes | None:
        rows = self._query(SELECT, event=event, name=name)
        return self._checked(event, name, *rows[0]) if rows else None

    def texts(self, name: str, events: Sequence[str]) -> dict[str, bytes]:
        """The texts of that name of these events, by event."""
        found: dict[str, bytes] = {}
        for listed, params in in_parts(events, _PER_QUERY):
            for event, content, seal in self._query(SELECT_MANY.format(events=listed), name=name, **params):
                found[event] = zlib.decompress(self._checked(event, name, content, seal))
        return found

    def text(self, event: str, name: str) -> bytes | None:
        return self.texts(name, [event]).get(event)

    def erase(self, transaction: Transaction, events: Sequence[str]) -> None:
        for listed, params in in_parts(events, _PER_QUERY):
            transaction.execute(ERASE.format(events=listed), {"org": self._org, **params})

    def count(self, transaction: Transaction, events: Sequence[str]) -> int:
        """How many files these events have."""
        return sum(
            int(transaction.query(COUNT.format(events=listed), {"org": self._org, **params})[0][0])
            for listed, params in in_parts(events, _PER_QUERY)
        )

    def _checked(self, event: str, name: str, content: bytes, seal: int) -> bytes:
        content = bytes(content)
        if checksum(self._org, event, name, blob=content) != seal:
            raise damaged(f"the file {name} of {event}")
        return content

"""Vectors: what texts mean, one byte a dimension, and which of them are nearest to another.

Each process keeps an organisation's vectors in memory and asks the database only for what was written since: every
vector has a mark that is higher than all before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from heedful.store.damage import checksum, damaged
from heedful.store.database import Database, Row, Transaction
from heedful.store.nearest import Index, Near, nearest_first

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PER_QUERY = 10_000

RESERVE_MARKS = "update org set vectors = vectors + :count where org_id = :org"
SELECT_MARKS = "select vectors from org where org_id = :org"

SAVE = """
insert into learning_vector (org_id, no, mark, said, embedder, vector, checksum)
values (:org, :no, :mark, :said, :embedder, :vector, :checksum)
on conflict (org_id, no) do update set mark = excluded.mark, said = excluded.said, embedder = excluded.embedder,
    vector = excluded.vector, checksum = excluded.checksum
"""

DROP = "delete from learning_vector where org_id = :org and no = :no"

_COLUMNS = "no, mark, said, embedder, vector, checksum"

SELECT_NEW = f"""
select {_COLUMNS} from learning_vector
where org_id = :org and mark > :mark and embedder = :embedder order by mark limit :limit
"""


SELECT_ALL = f"""
select {_COLUMNS} from learning_vector where org_id = :org and mark > :mark order by mark limit :limit
"""


class Written(NamedTuple):
    no: int
    said: int
    vector: bytes


class Vector(NamedTuple):
    """As it is stored."""

    no: int
    mark: int
    vector: bytes


def packed(vector: NDArray[np.float32]) -> bytes:
    """One byte a dimension, relative to the largest: only the direction counts."""
    import numpy as np

    largest = float(np.abs(vector).max(initial=0.0))
    return np.rint(vector * (127 / largest) if largest else vector).astype(np.int8).tobytes()


class Vectors:
    """The vectors of one organisation."""

    def __init__(self, database: Database, org: str) -> None:
        self._database = database
        self._org = org

    def put(self, transaction: Transaction, embedder: str, written: Sequence[Written]) -> None:
        """In a transaction that holds the organisation, so that marks are committed in their order."""
        if not written:
            return
        transaction.execute(RESERVE_MARKS, {"org": self._org, "count": len(written)})
        ((last,),) = transaction.query(SELECT_MARKS, {"org": self._org})
        first = last - len(written) + 1
        rows = [
            {
                "org": self._org,
                "embedder": embedder,
                "mark": mark,
                **one._asdict(),
                "checksum": checksum(one.no, mark, one.said, embedder, blob=one.vector),
            }
            for mark, one in enumerate(written, first)
        ]
        transaction.execute_many(SAVE, rows)

    def check(self, transaction: Transaction) -> int:
        """Read all of them, and tell how many there are; or raise StoreDamaged."""
        count, mark = 0, -1
        while rows := transaction.query(SELECT_ALL, {"org": self._org, "mark": mark, "limit": _PER_QUERY}):
            count, mark = count + len(rows), [_vector(row) for row in rows][-1].mark
        return count

    def drop(self, transaction: Transaction, places: Sequence[int]) -> None:
        transaction.execute_many(DROP, [{"org": self._org, "no": no} for no in places])

    def nearest(self, transaction: Transaction, embedder: str, vector: NDArray[np.float32], limit: int) -> list[Near]:
        index = self._database.indexes.of((self._org, embedder, len(vector)))
        with index.lock:
            if self._database.in_transaction():
                # What this transaction wrote may be undone: it is looked at, and not remembered.
                unsure = Index()
                self._read(transaction, embedder, index.mark, unsure, len(vector))
                sure = index.nearest(vector, limit, without=unsure.places())
                return sorted([*sure, *unsure.nearest(vector, limit)], key=nearest_first)[:limit]
            self._read(transaction, embedder, index.mark, index, len(vector))
            return index.nearest(vector, limit)

    def _read(self, transaction: Transaction, embedder: str, mark: int, into: Index, dimensions: int) -> None:
        while True:
            params = {"org": self._org, "embedder": embedder, "mark": mark, "limit": _PER_QUERY}
            rows = [_vector(row) for row in transaction.query(SELECT_NEW, params)]
            if not rows:
                return
            mark = rows[-1].mark
            # A server may have exchanged the model behind a name: vectors of another length are not comparable.
            alike = [row for row in rows if len(row.vector) == dimensions]
            into.add([row.no for row in alike], [row.vector for row in alike], mark, dimensions)


def _vector(row: Row) -> Vector:
    no, mark, said, embedder, vector, kept = row
    if type(vector) is not bytes or kept not in (None, checksum(no, mark, said, embedder, blob=vector)):
        raise damaged("a vector")
    return Vector(no, mark, vector)

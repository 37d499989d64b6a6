"""Vectors of texts, one byte a dimension, and nearest-neighbour search in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from heedful.store.damage import checksum, damaged
from heedful.store.database import Database, Row, Transaction, in_parts
from heedful.store.nearest import Index, Near, nearest_first

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PER_QUERY = 10_000
_PLACES = 500

RESERVE_VERSIONS = "update org set vectors = vectors + :count where org_id = :org"
SELECT_VERSION = "select vectors from org where org_id = :org"

SAVE = """
insert into learning_vector (org_id, no, version, said, embedder, vector, checksum)
values (:org, :no, :version, :said, :embedder, :vector, :checksum)
on conflict (org_id, no) do update set version = excluded.version, said = excluded.said, embedder = excluded.embedder,
    vector = excluded.vector, checksum = excluded.checksum
"""

DROP = "delete from learning_vector where org_id = :org and no = :no"

DROP_STALE = "delete from learning_vector where org_id = :org and no = :no and said <> :said"

_COLUMNS = "no, version, said, embedder, vector, checksum"

SELECT_NEW = f"""
select {_COLUMNS} from learning_vector
where org_id = :org and version > :version and embedder = :embedder order by version limit :limit
"""


SELECT_PLACES = f"""
select {_COLUMNS} from learning_vector where org_id = :org and embedder = :embedder and no in ({{places}})
"""

COUNT = "select count(*) from learning_vector where org_id = :org and no in ({places})"

SELECT_KEPT = f"select {_COLUMNS} from learning_vector where org_id = :org and no in ({{places}})"

SELECT_ALL = f"""
select {_COLUMNS} from learning_vector where org_id = :org and version > :version order by version limit :limit
"""


class NewVector(NamedTuple):
    no: int
    said: int
    vector: bytes


class Vector(NamedTuple):
    no: int
    version: int
    vector: bytes


def packed(vector: NDArray[np.float32]) -> bytes:
    """One byte a dimension, relative to the largest: only the direction counts."""
    import numpy as np

    largest = float(np.abs(vector).max(initial=0.0))
    return np.rint(vector * (127 / largest) if largest else vector).astype(np.int8).tobytes()


class Vectors:
    def __init__(self, database: Database, org: str) -> None:
        self._database = database
        self._org = org

    def put(self, transaction: Transaction, embedder: str, written: Sequence[NewVector]) -> None:
        """In a recording, so that versions are committed in order."""
        if not written:
            return
        transaction.execute(RESERVE_VERSIONS, {"org": self._org, "count": len(written)})
        ((last,),) = transaction.query(SELECT_VERSION, {"org": self._org})
        first = last - len(written) + 1
        rows = [
            {
                "org": self._org,
                "embedder": embedder,
                "version": version,
                **one._asdict(),
                "checksum": checksum(one.no, version, one.said, embedder, blob=one.vector),
            }
            for version, one in enumerate(written, first)
        ]
        transaction.execute_many(SAVE, rows)

    def check(self, transaction: Transaction) -> int:
        """Read all of them; returns how many there are, or raises StoreDamaged."""
        count, version = 0, -1
        while rows := transaction.query(SELECT_ALL, {"org": self._org, "version": version, "limit": _PER_QUERY}):
            count, version = count + len(rows), [_vector(row) for row in rows][-1].version
        return count

    def drop(self, transaction: Transaction, numbers: Sequence[int]) -> None:
        transaction.execute_many(DROP, [{"org": self._org, "no": no} for no in numbers])

    def drop_stale(self, transaction: Transaction, said: Mapping[int, int]) -> None:
        """Of these numbers, those that were made of other words than the ones at these positions: erased ones."""
        rows = [{"org": self._org, "no": no, "said": position} for no, position in said.items()]
        transaction.execute_many(DROP_STALE, rows)

    def count(self, transaction: Transaction, numbers: Sequence[int]) -> int:
        """How many of these numbers have a vector."""
        return sum(
            int(transaction.query(COUNT.format(places=listed), {"org": self._org, **params})[0][0])
            for listed, params in in_parts(numbers, _PLACES)
        )

    def nearest(self, transaction: Transaction, embedder: str, vector: NDArray[np.float32], limit: int) -> list[Near]:
        index = self._database.indexes.of((self._org, embedder, len(vector)))
        with index.lock:
            if self._database.in_transaction():
                # What this transaction wrote may be rolled back: it is searched, and not kept in memory.
                unsure = Index()
                self._read(transaction, embedder, index.version, unsure, len(vector))
                sure = index.nearest(vector, limit, without=unsure.numbers())
                return sorted([*sure, *unsure.nearest(vector, limit)], key=nearest_first)[:limit]
            self._read(transaction, embedder, index.version, index, len(vector))
            return index.nearest(vector, limit)

    def at(self, transaction: Transaction, embedder: str, places: Sequence[int]) -> dict[int, bytes]:
        """The packed vectors of these numbers, as far as there are any."""
        found: dict[int, bytes] = {}
        for listed, params in in_parts(places, _PLACES):
            rows = transaction.query(
                SELECT_PLACES.format(places=listed), {"org": self._org, "embedder": embedder, **params}
            )
            found |= {one.no: one.vector for one in map(_vector, rows)}
        return found

    def kept(self, transaction: Transaction, places: Sequence[int]) -> dict[int, tuple[str, bytes]]:
        """The packed vectors of these numbers, each with its embedder."""
        found: dict[int, tuple[str, bytes]] = {}
        for listed, params in in_parts(places, _PLACES):
            for row in transaction.query(SELECT_KEPT.format(places=listed), {"org": self._org, **params}):
                found[row[0]] = (row[3], _vector(row).vector)
        return found

    def _read(self, transaction: Transaction, embedder: str, version: int, into: Index, dimensions: int) -> None:
        while True:
            params = {"org": self._org, "embedder": embedder, "version": version, "limit": _PER_QUERY}
            rows = [_vector(row) for row in transaction.query(SELECT_NEW, params)]
            if not rows:
                return
            version = rows[-1].version
            # A server may have exchanged the model behind a name: vectors of another length are not comparable.
            alike = [row for row in rows if len(row.vector) == dimensions]
            into.add([row.no for row in alike], [row.vector for row in alike], version, dimensions)


def _vector(row: Row) -> Vector:
    no, version, said, embedder, vector, kept = row
    if type(vector) is not bytes or kept != checksum(no, version, said, embedder, blob=vector):
        raise damaged("a vector")
    return Vector(no, version, vector)

"""Vectors in memory: the nearest to another. Of many, the signs of their dimensions are compared first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ALL = 4_096  # so many are compared one by one
_EXCLUDED = 65_535
_BY_SIGNS = 400  # so many of the others are, after their signs were compared
_CAPACITY = 3_000_000  # vectors in memory, of all organisations
_GROWTH = 1.5


class Near(NamedTuple):
    no: int
    cosine: float


class Index:
    """Vectors in memory, by number. Rows that were overwritten or erased have the number -1."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.version = 0
        self.count = 0
        self._numbers: NDArray[np.int64]
        self._vectors: NDArray[np.int8]
        self._signs: NDArray[np.uint64]  # a row for each 64 dimensions: they are compared one row after the other

    def add(self, numbers: list[int], vectors: list[bytes], version: int, dimensions: int) -> None:
        import numpy as np

        rows = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), dimensions)
        last = {number: at for at, number in enumerate(numbers)}
        keep = sorted(last.values())
        new_numbers, rows = np.array(numbers, np.int64)[keep], rows[keep]
        self._make_room(len(keep), dimensions)
        known = self._numbers[: self.count]
        known[np.isin(known, new_numbers)] = -1
        span = slice(self.count, self.count + len(keep))
        self._numbers[span], self._vectors[span], self._signs[:, span] = new_numbers, rows, _signs(rows).T
        self.count, self.version = span.stop, version

    def _make_room(self, more: int, dimensions: int) -> None:
        import numpy as np

        if not self.count:
            self._numbers = np.empty(0, np.int64)
            self._vectors = np.empty((0, dimensions), np.int8)
            self._signs = np.empty((-(-dimensions // 64), 0), np.uint64)
        if self.count + more > len(self._numbers):
            room = max(self.count + more, int(len(self._numbers) * _GROWTH), 64)
            numbers, vectors, signs = self._numbers, self._vectors, self._signs
            self._numbers = np.empty(room, np.int64)
            self._vectors = np.empty((room, dimensions), np.int8)
            self._signs = np.empty((len(signs), room), np.uint64)
            self._numbers[: self.count], self._vectors[: self.count] = numbers[: self.count], vectors[: self.count]
            self._signs[:, : self.count] = signs[:, : self.count]

    def numbers(self) -> NDArray[np.int64] | None:
        """Those that it has vectors for; None for none."""
        return self._numbers[: self.count] if self.count else None

    def nearest(self, vector: NDArray[np.float32], limit: int, without: NDArray[np.int64] | None = None) -> list[Near]:
        import numpy as np

        if not self.count:
            return []
        numbers = self._numbers[: self.count]
        taken = numbers >= 0 if without is None else (numbers >= 0) & ~np.isin(numbers, without)
        if self.count > _ALL:
            taken &= self._alike(vector, taken, max(_BY_SIGNS, 4 * limit))
        at = np.flatnonzero(taken)
        rows = self._vectors[at].astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows)) * float(np.linalg.norm(vector))
        cosines = (rows @ vector) / np.maximum(lengths, 1e-9)
        best = np.lexsort((numbers[at], -cosines))[:limit]
        return list(map(Near, numbers[at[best]].tolist(), cosines[best].tolist()))

    def _alike(self, vector: NDArray[np.float32], taken: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
        """Which have at most so many signs that differ that there are about as many of them as wanted."""
        import numpy as np

        differing = np.zeros(self.count, np.uint16)
        for column, bits in zip(self._signs, _signs(vector[np.newaxis])[0], strict=True):
            differing += np.bitwise_count(column[: self.count] ^ bits)
        differing[~taken] = _EXCLUDED
        so_many = np.cumsum(np.bincount(differing, minlength=_EXCLUDED + 1)[:_EXCLUDED])
        found: NDArray[np.bool_] = differing <= np.searchsorted(so_many, count)
        return found


def _signs(rows: NDArray[np.int8] | NDArray[np.float32]) -> NDArray[np.uint64]:
    import numpy as np

    bits = np.packbits(rows > 0, axis=1)
    padded = np.zeros((len(rows), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)


def nearest_first(near: Near) -> tuple[float, int]:
    return -near.cosine, near.no


class Indexes:
    """The indexes in memory, of all organisations; the least recently used go first."""

    def __init__(self, capacity: int = _CAPACITY) -> None:
        self._capacity = capacity
        self._indexes: OrderedDict[tuple[str, str, int], Index] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, name: tuple[str, str, int]) -> Index:
        with self._lock:
            found = self._indexes.setdefault(name, Index())
            self._indexes.move_to_end(name)
            while len(self._indexes) > 1 and sum(index.count for index in self._indexes.values()) > self._capacity:
                self._indexes.popitem(last=False)
            return found

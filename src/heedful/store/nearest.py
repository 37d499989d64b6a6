"""Vectors in memory: the nearest to another. Of many, the signs of their dimensions are compared first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ALL = 4_096  # so many are compared one by one
_EXCLUDED = 65_535
_BY_SIGNS = 400  # so many of the others are, after their signs were compared
_AT_ONCE = 65_536  # rows whose signs are compared at once: they stay in the cache of the processor
_PER_BYTE = 3  # columns of 64 signs whose differences a byte can count
_CAPACITY = 3_000_000  # vectors in memory, of all organisations
_GROWTH = 1.5


class Near(NamedTuple):
    no: int
    cosine: float


class Index:
    """Vectors in memory, by number."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.version = 0
        self.count = 0
        self._largest = -1  # of the numbers
        self._stale: list[int] = []  # rows that were written again further down
        self._numbers: NDArray[np.int64]
        self._vectors: NDArray[np.int8]
        self._lengths: NDArray[np.float32]
        self._signs: NDArray[np.uint64]  # a row for each 64 dimensions: they are compared one row after the other

    def add(self, numbers: list[int], vectors: list[bytes], version: int, dimensions: int) -> None:
        import numpy as np

        rows = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), dimensions)
        last = {number: at for at, number in enumerate(numbers)}
        keep = sorted(last.values())
        new_numbers, rows = np.array(numbers, np.int64)[keep], rows[keep]
        self._make_room(len(keep), dimensions)
        if keep and int(new_numbers.min()) <= self._largest:  # mostly they are new, and none is looked for
            stale = np.flatnonzero(np.isin(self._numbers[: self.count], new_numbers))
            self._numbers[stale] = -1
            self._stale += stale.tolist()
        span = slice(self.count, self.count + len(keep))
        self._numbers[span], self._vectors[span], self._signs[:, span] = new_numbers, rows, _signs(rows).T
        self._lengths[span] = _lengths(rows)
        self._largest = max(self._largest, int(new_numbers.max(initial=-1)))
        self.count, self.version = span.stop, version

    def _make_room(self, more: int, dimensions: int) -> None:
        import numpy as np

        if not self.count:
            self._numbers = np.empty(0, np.int64)
            self._vectors = np.empty((0, dimensions), np.int8)
            self._lengths = np.empty(0, np.float32)
            self._signs = np.empty((-(-dimensions // 64), 0), np.uint64)
        if self.count + more > len(self._numbers):
            room = max(self.count + more, int(len(self._numbers) * _GROWTH), 64)
            self._numbers = _grown(self._numbers, room)
            self._vectors = _grown(self._vectors, room)
            self._lengths = _grown(self._lengths, room)
            signs = np.empty((len(self._signs), room), np.uint64)
            signs[:, : self.count] = self._signs[:, : self.count]
            self._signs = signs

    def numbers(self) -> NDArray[np.int64] | None:
        """Those that it has vectors for; None for none."""
        return self._numbers[: self.count] if self.count else None

    def nearest(self, vector: NDArray[np.float32], limit: int, without: NDArray[np.int64] | None = None) -> list[Near]:
        import numpy as np

        if not self.count:
            return []
        excluded = np.array(self._stale, np.int64)
        if without is not None:
            excluded = np.append(excluded, np.flatnonzero(np.isin(self._numbers[: self.count], without)))
        if self.count > _ALL:
            at = self._alike(vector, excluded, max(_BY_SIGNS, 4 * limit))
        else:
            at = np.delete(np.arange(self.count), excluded)
        # Not `@`: the threads of BLAS cost more than they save, and other rounding on other processors.
        products = np.einsum("ij,j->i", self._vectors[at].astype(np.float32), vector)
        cosines = products / np.maximum(self._lengths[at] * np.linalg.norm(vector), np.float32(1e-9))
        numbers = self._numbers[at]
        best = np.lexsort((numbers, -cosines))[:limit]
        return list(map(Near, numbers[best].tolist(), cosines[best].tolist()))

    def _alike(self, vector: NDArray[np.float32], excluded: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """The rows with at most so many signs that differ that there are about as many of them as wanted."""
        import numpy as np

        differing = self._differing(_signs(vector[np.newaxis])[0])
        differing[excluded] = _EXCLUDED
        if count >= self.count:
            return np.flatnonzero(differing < _EXCLUDED)
        most = min(int(np.partition(differing, count)[count]), _EXCLUDED - 1)
        return np.flatnonzero(differing <= most)

    def _differing(self, bits: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """Of each row, how many signs differ from these."""
        import numpy as np

        differing = np.empty(self.count, np.uint16)
        for start in range(0, self.count, _AT_ONCE):
            rows = slice(start, min(start + _AT_ONCE, self.count))
            counted = np.zeros(rows.stop - start, np.uint16)
            for first in range(0, len(bits), _PER_BYTE):
                columns = range(first, min(first + _PER_BYTE, len(bits)))
                few = np.bitwise_count(self._signs[first, rows] ^ bits[first])
                for column in columns[1:]:
                    few += np.bitwise_count(self._signs[column, rows] ^ bits[column])
                counted += few
            differing[rows] = counted
        return differing


def _grown(rows: NDArray[Any], room: int) -> NDArray[Any]:
    import numpy as np

    grown = np.empty((room, *rows.shape[1:]), rows.dtype)
    grown[: len(rows)] = rows
    return grown


def _lengths(rows: NDArray[np.int8]) -> NDArray[np.float32]:
    import numpy as np

    wide = rows.astype(np.int32)
    lengths: NDArray[np.float32] = np.sqrt(np.einsum("ij,ij->i", wide, wide)).astype(np.float32)
    return lengths


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

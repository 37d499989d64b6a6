"""The full-text index: per term and block of 4,096 numbers, which documents have it, with which weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from heedful.store.damage import damaged
from heedful.store.database import Database, Transaction, in_parts
from heedful.store.digest import digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK_BITS = 12
_OFFSETS = (1 << _BLOCK_BITS) - 1
_ENTRY = 3
_TERMS_PER_QUERY = 200

GENERATION = "(select generation from org where org_id = :org)"

SELECT_BLOCKS = """
select term, block, entries from posting
where org_id = :org and generation = :generation and block between :first and :last and term in ({terms})
"""

SELECT_SIZES = f"""
select term, cast(sum(length(entries)) / {_ENTRY} as bigint) from posting
where org_id = :org and generation = {GENERATION} and term in ({{terms}}) group by term
"""

SELECT_ENTRIES = f"""
select term, block, entries from posting where org_id = :org and generation = {GENERATION} and term in ({{terms}})
"""

SELECT_PAGE = f"""
select term, block, entries from posting
where org_id = :org and generation = {GENERATION} and (term, block) > (:term, :block) order by term, block limit :limit
"""

SAVE = """
insert into posting (org_id, generation, term, block, entries) values (:org, :generation, :term, :block, :entries)
on conflict (org_id, generation, term, block) do update set entries = excluded.entries
"""

DROP = "delete from posting where org_id = :org and generation = :generation and term = :term and block = :block"

SELECT_GENERATIONS = "select generation, next_generation from org where org_id = :org"
BEGIN_GENERATION = "update org set next_generation = coalesce(next_generation, generation) + 1 where org_id = :org"
SWITCH = "update org set generation = next_generation, next_generation = null where org_id = :org"

SWEEP = """
delete from posting where (org_id, generation, term, block) in (
    select posting.org_id, posting.generation, term, block from posting join org on org.org_id = posting.org_id
    where posting.org_id = :org and posting.generation <> org.generation
    and (org.next_generation is null or posting.generation < org.next_generation) limit 10000)
"""
"""Some rows at a time of generations that are neither in use nor being written."""


class Posting(NamedTuple):
    numbers: NDArray[np.int64]
    """In ascending order."""
    weights: NDArray[np.uint8]


class _Change:
    __slots__ = ("added", "removed")

    def __init__(self) -> None:
        self.added: dict[int, int] = {}
        self.removed: set[int] = set()


class Postings:
    def __init__(self, database: Database, org: str) -> None:
        self._database = database
        self._org = org

    def generations(self, transaction: Transaction) -> tuple[int, int | None]:
        """The one in use, and the one that is being written, if any."""
        rows = transaction.query(SELECT_GENERATIONS, {"org": self._org})
        return rows[0] if rows else (0, None)

    def begin_generation(self, transaction: Transaction) -> int:
        transaction.execute(BEGIN_GENERATION, {"org": self._org})
        (_, begun) = self.generations(transaction)
        assert begun is not None
        return begun

    def switch(self, transaction: Transaction) -> None:
        transaction.execute(SWITCH, {"org": self._org})

    def sweep(self) -> None:
        """Delete rows of other generations: the one before, and unfinished ones."""
        swept = 1
        while swept:
            with self._database.write(self._org) as transaction:
                swept = transaction.execute(SWEEP, {"org": self._org})

    def change(
        self,
        transaction: Transaction,
        generation: int,
        removed: Mapping[int, Collection[str]],
        added: Mapping[int, Mapping[str, int]],
    ) -> None:
        """Remove documents from the terms they had, and add them to those they have, with their weights."""
        changes: dict[tuple[str, int], _Change] = defaultdict(_Change)
        for number, terms in removed.items():
            for term in terms:
                changes[term, number >> _BLOCK_BITS].removed.add(number & _OFFSETS)
        for number, weights in added.items():
            for term, weight in weights.items():
                changes[term, number >> _BLOCK_BITS].added[number & _OFFSETS] = weight
        if not changes:
            return
        known = self._blocks(transaction, generation, changes)
        saved, dropped = [], []
        for key in sorted(changes):
            at = {"org": self._org, "generation": generation, "term": key[0], "block": key[1]}
            entries = _changed(known.get(key, b""), changes[key])
            if entries:
                saved.append({**at, "entries": entries})
            elif key in known:
                dropped.append(at)
        if saved:
            transaction.execute_many(SAVE, saved)
        if dropped:
            transaction.execute_many(DROP, dropped)

    def _blocks(
        self, transaction: Transaction, generation: int, keys: Collection[tuple[str, int]]
    ) -> dict[tuple[str, int], bytes]:
        found: dict[tuple[str, int], bytes] = {}
        blocks = [block for _, block in keys]
        span = {"org": self._org, "generation": generation, "first": min(blocks), "last": max(blocks)}
        for listed, params in in_parts(sorted({term for term, _ in keys}), _TERMS_PER_QUERY):
            for term, block, entries in transaction.query(SELECT_BLOCKS.format(terms=listed), {**span, **params}):
                found[term, block] = entries
        return found

    def sizes(self, transaction: Transaction, terms: Sequence[str]) -> dict[str, int]:
        """How many documents have each term; terms that none has are left out."""
        return {
            term: size
            for listed, params in in_parts(terms, _TERMS_PER_QUERY)
            for term, size in transaction.query(SELECT_SIZES.format(terms=listed), {"org": self._org, **params})
        }

    def digest(self, transaction: Transaction) -> int:
        """Of the whole index: see `store/digest.py`."""
        total, last = 0, {"term": "", "block": -1}
        while rows := transaction.query(SELECT_PAGE, {"org": self._org, "limit": _TERMS_PER_QUERY, **last}):
            for term, block, entries in rows:
                for at in range(0, len(whole(entries)), _ENTRY):
                    number = (block << _BLOCK_BITS) + int.from_bytes(entries[at : at + 2], "little")
                    total += digest((term, number), (entries[at + 2],))
            last = {"term": rows[-1][0], "block": rows[-1][1]}
        return total

    def read(self, transaction: Transaction, terms: Sequence[str]) -> dict[str, Posting]:
        import numpy as np

        blocks: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        for listed, params in in_parts(terms, _TERMS_PER_QUERY):
            for term, block, entries in transaction.query(
                SELECT_ENTRIES.format(terms=listed), {"org": self._org, **params}
            ):
                blocks[term].append((block, entries))
        kind = np.dtype([("offset", "<u2"), ("weight", "u1")])
        found = {}
        for term in terms:
            if not (parts := sorted(blocks.get(term, ()))):
                continue
            entries = np.frombuffer(b"".join(whole(packed) for _, packed in parts), kind)
            starts = np.repeat(
                [block << _BLOCK_BITS for block, _ in parts], [len(packed) // _ENTRY for _, packed in parts]
            )
            found[term] = Posting(entries["offset"] + starts, entries["weight"])
        return found


def whole(entries: bytes) -> bytes:
    if type(entries) is not bytes or len(entries) % _ENTRY:
        raise damaged("the full text")
    return entries


def _changed(entries: bytes, change: _Change) -> bytes:
    """The changed block, in the order of numbers."""
    whole(entries)
    new = sorted(change.added.items())
    if not change.removed and (not entries or (new and new[0][0] > int.from_bytes(entries[-3:-1], "little"))):
        return entries + b"".join(_packed(*entry) for entry in new)
    kept = {
        offset: entries[at + 2]
        for at in range(0, len(entries), _ENTRY)
        if (offset := int.from_bytes(entries[at : at + 2], "little")) not in change.removed
    }
    return b"".join(_packed(*entry) for entry in sorted((kept | change.added).items()))


def _packed(offset: int, weight: int) -> bytes:
    return offset.to_bytes(2, "little") + weight.to_bytes(1, "little")

"""Full text: for each term, which learnings have it and how much it weighs there, in blocks of 4,096 places.

The same on both databases, and each organisation's for itself: how rare a word is among others' learnings is nobody's
business, and would spoil the ranking. An entry is three bytes: the place within its block, and the weight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from heedful.store.damage import damaged
from heedful.store.database import Database, Transaction
from heedful.store.digest import digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK_BITS = 12
_OFFSETS = (1 << _BLOCK_BITS) - 1
_ENTRY = 3
_TERMS_PER_QUERY = 200

EDITION = "(select edition from org where org_id = :org)"

SELECT_BLOCKS = """
select term, block, entries from posting
where org_id = :org and edition = :edition and block between :first and :last and term in ({terms})
"""

SELECT_SIZES = f"""
select term, cast(sum(length(entries)) / {_ENTRY} as bigint) from posting
where org_id = :org and edition = {EDITION} and term in ({{terms}}) group by term
"""

SELECT_ENTRIES = f"""
select term, block, entries from posting where org_id = :org and edition = {EDITION} and term in ({{terms}})
"""

SELECT_PAGE = f"""
select term, block, entries from posting
where org_id = :org and edition = {EDITION} and (term, block) > (:term, :block) order by term, block limit :limit
"""

SAVE = """
insert into posting (org_id, edition, term, block, entries) values (:org, :edition, :term, :block, :entries)
on conflict (org_id, edition, term, block) do update set entries = excluded.entries
"""

DROP = "delete from posting where org_id = :org and edition = :edition and term = :term and block = :block"

SELECT_EDITIONS = "select edition, next_edition from org where org_id = :org"
BEGIN_EDITION = "update org set next_edition = coalesce(next_edition, edition) + 1 where org_id = :org"
TAKE_OVER = "update org set edition = next_edition, next_edition = null where org_id = :org"

SWEEP = """
delete from posting where (org_id, edition, term, block) in (
    select posting.org_id, posting.edition, term, block from posting join org on org.org_id = posting.org_id
    where posting.org_id = :org and posting.edition <> org.edition
    and (org.next_edition is null or posting.edition < org.next_edition) limit 10000)
"""
"""Some rows at a time of editions that are neither in use nor being written."""


class Posting(NamedTuple):
    """Where a term occurs."""

    places: NDArray[np.int64]
    weights: NDArray[np.uint8]


class _Change:
    """What is to be done to one block of one term."""

    __slots__ = ("added", "removed")

    def __init__(self) -> None:
        self.added: dict[int, int] = {}
        self.removed: set[int] = set()


class Postings:
    def __init__(self, database: Database, org: str) -> None:
        self._database = database
        self._org = org

    def editions(self, transaction: Transaction) -> tuple[int, int | None]:
        """The one in use, and the one that is being written beside it, if any."""
        rows = transaction.query(SELECT_EDITIONS, {"org": self._org})
        return rows[0] if rows else (0, None)

    def begin_edition(self, transaction: Transaction) -> int:
        transaction.execute(BEGIN_EDITION, {"org": self._org})
        (_, begun) = self.editions(transaction)
        assert begun is not None
        return begun

    def take_over(self, transaction: Transaction) -> None:
        transaction.execute(TAKE_OVER, {"org": self._org})

    def sweep(self) -> None:
        """Remove what is left of other editions: the one before, and those of the unfinished."""
        swept = 1
        while swept:
            with self._database.write(self._org) as transaction:
                swept = transaction.execute(SWEEP, {"org": self._org})

    def change(
        self,
        transaction: Transaction,
        edition: int,
        removed: Mapping[int, Collection[str]],
        added: Mapping[int, Mapping[str, int]],
    ) -> None:
        """Take places out of the terms they had, and put them into those they have, with their weights."""
        changes: dict[tuple[str, int], _Change] = defaultdict(_Change)
        for place, terms in removed.items():
            for term in terms:
                changes[term, place >> _BLOCK_BITS].removed.add(place & _OFFSETS)
        for place, weights in added.items():
            for term, weight in weights.items():
                changes[term, place >> _BLOCK_BITS].added[place & _OFFSETS] = weight
        if not changes:
            return
        known = self._blocks(transaction, edition, changes)
        saved, dropped = [], []
        for key in sorted(changes):
            at = {"org": self._org, "edition": edition, "term": key[0], "block": key[1]}
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
        self, transaction: Transaction, edition: int, keys: Collection[tuple[str, int]]
    ) -> dict[tuple[str, int], bytes]:
        found: dict[tuple[str, int], bytes] = {}
        blocks = [block for _, block in keys]
        span = {"org": self._org, "edition": edition, "first": min(blocks), "last": max(blocks)}
        for places, params in _in_parts(sorted({term for term, _ in keys})):
            for term, block, entries in transaction.query(SELECT_BLOCKS.format(terms=places), {**span, **params}):
                found[term, block] = entries
        return found

    def sizes(self, transaction: Transaction, terms: Sequence[str]) -> dict[str, int]:
        """How many learnings have each term; those that none has are left out."""
        return {
            term: size
            for places, params in _in_parts(terms)
            for term, size in transaction.query(SELECT_SIZES.format(terms=places), {"org": self._org, **params})
        }

    def digest(self, transaction: Transaction) -> int:
        """Of all that is filed: see `store/digest.py`."""
        total, last = 0, {"term": "", "block": -1}
        while rows := transaction.query(SELECT_PAGE, {"org": self._org, "limit": _TERMS_PER_QUERY, **last}):
            for term, block, entries in rows:
                for at in range(0, len(whole(entries)), _ENTRY):
                    place = (block << _BLOCK_BITS) + int.from_bytes(entries[at : at + 2], "little")
                    total += digest((term, place), (entries[at + 2],))
            last = {"term": rows[-1][0], "block": rows[-1][1]}
        return total

    def read(self, transaction: Transaction, terms: Sequence[str]) -> dict[str, Posting]:
        import numpy as np

        blocks: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        for places, params in _in_parts(terms):
            for term, block, entries in transaction.query(
                SELECT_ENTRIES.format(terms=places), {"org": self._org, **params}
            ):
                blocks[term].append((block, entries))
        kind = np.dtype([("offset", "<u2"), ("weight", "u1")])
        found = {}
        for term, parts in blocks.items():
            rows = [np.frombuffer(whole(entries), kind) for _, entries in parts]
            starts = np.repeat([block << _BLOCK_BITS for block, _ in parts], [len(row) for row in rows])
            entries = np.concatenate(rows)
            found[term] = Posting(entries["offset"] + starts, entries["weight"])
        return found


def whole(entries: bytes) -> bytes:
    if type(entries) is not bytes or len(entries) % _ENTRY:
        raise damaged("the full text")
    return entries


def _changed(entries: bytes, change: _Change) -> bytes:
    """The block as it is now, in the order of places."""
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


def _in_parts(terms: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """A query takes only so many parameters."""
    for start in range(0, len(terms), _TERMS_PER_QUERY):
        params = {f"t{number}": term for number, term in enumerate(terms[start : start + _TERMS_PER_QUERY])}
        yield ", ".join(f":{name}" for name in params), params

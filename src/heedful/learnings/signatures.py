"""Signatures of learnings, and their index: finds duplicates and near-duplicates without reading all learnings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from heedful.store.database import Transaction
from heedful.text.canonical import canonical
from heedful.text.fingerprints import bands, simhash

CLAIM = """
insert into learning_signature (org_id, no, canonical, simhash, band_a, band_b, band_c)
values (:org, :no, :canonical, :simhash, :a, :b, :c)
on conflict do nothing
"""
"""The first learning with a signature owns it; a duplicate is detected by the conflict, even between two workers."""

DROP = "delete from learning_signature where org_id = :org and no = :no"

SELECT_NEAR = """
select no from (
    select no, 0 as distance from learning_signature where org_id = :org and canonical = :canonical
    union all select no, 1 from learning_signature where org_id = :org and band_a = :a
    union all select no, 1 from learning_signature where org_id = :org and band_b = :b
    union all select no, 1 from learning_signature where org_id = :org and band_c = :c
) as near
group by no order by min(distance), no limit :limit
"""

_MOST = 200  # that share a band by chance


class Signature(NamedTuple):
    canonical: str
    """Equal for two texts that differ only in case, spaces, dates and issue numbers."""
    simhash: int
    bands: tuple[int, int, int]
    """Two texts that differ in few words have one in common."""


def signature(category: str, title: str, core: str, *, of: str | None) -> Signature:
    """`of`: the scope that its words bind it to, in which only the same is the same."""
    value = simhash(f"{title}\n{core}")
    plain = canonical(category, title, core)
    return Signature(plain if of is None else canonical(of, plain, ""), value, bands(value))


class Signatures:
    def __init__(self, org: str) -> None:
        self._org = org

    def claim(self, transaction: Transaction, signatures: Mapping[int, Signature]) -> None:
        transaction.execute_many(CLAIM, [{"no": no, **self._params(one)} for no, one in sorted(signatures.items())])

    def drop(self, transaction: Transaction, places: Collection[int]) -> None:
        transaction.execute_many(DROP, [{"org": self._org, "no": no} for no in sorted(places)])

    def near(self, transaction: Transaction, signature: Signature) -> list[int]:
        params = self._params(signature)
        params.pop("simhash")
        rows = transaction.query(SELECT_NEAR, {**params, "limit": _MOST})
        return [int(row[0]) for row in rows]

    def _params(self, signature: Signature) -> dict[str, object]:
        named = {"org": self._org, "canonical": signature.canonical, "simhash": signature.simhash}
        return named | dict(zip("abc", signature.bands, strict=True))

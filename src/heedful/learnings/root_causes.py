"""The root causes that several projects found: learnings of their own, each with its evidence, shown as one pattern.

They are found when they are looked for, among the newest findings, so nothing is stored that has to be undone when one
of them is edited or deleted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

from heedful.learnings.causes import names
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records.insight import InsightCategory
from heedful.store import Store
from heedful.store.vectors import Vectors

_LOOKED_AT = 2_000  # learnings, the newest
_MOST_OF_NAME = 40  # findings that have one name: what more have tells nothing
_MOST_PAIRS = 2_000


def root_causes(store: Store, embedder: str, wanted: Mapping[str, str | None]) -> list[list[LearningRow]]:
    """Of findings that pass the filter, those that have one cause, the oldest of each first."""
    rows = LearningTable(store).newest(
        {**wanted, "kind": INSIGHT.name}, _LOOKED_AT, [one.value for one in InsightCategory]
    )
    found = {row.state.no: row for row in rows if row.first.meta.get("rule") is not True}
    pairs = list(islice(_pairs(list(found.values())), _MOST_PAIRS))
    if not pairs:
        return []
    cosines = _cosines(store, embedder, pairs)
    linked = [pair for pair in pairs if _have_one_cause(found[pair[0]], found[pair[1]], cosines.get(pair))]
    return [[found[no] for no in sorted(group)] for group in _groups(linked)]


def _pairs(rows: Sequence[LearningRow]) -> Iterator[tuple[int, int]]:
    """Of two projects, with a name in common. What one project found again is merged or asked about."""
    by_name: dict[str, list[LearningRow]] = defaultdict(list)
    for row in rows:
        for name in names(INSIGHT.words_of(row).finding()):
            by_name[name].append(row)
    seen: set[tuple[int, int]] = set()
    for alike in by_name.values():
        for one, other in combinations(alike, 2) if len(alike) <= _MOST_OF_NAME else ():
            pair = (one.state.no, other.state.no)
            if pair not in seen and (one.state.scope is None or one.state.scope != other.state.scope):
                seen.add(pair)
                yield pair


def _have_one_cause(one: LearningRow, other: LearningRow, cosine: float | None) -> bool:
    categories = (one.state.category or "", other.state.category or "")
    return INSIGHT.have_one_cause(INSIGHT.words_of(one), INSIGHT.words_of(other), categories, cosine)


def _cosines(store: Store, embedder: str, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    import numpy as np

    places = sorted({no for pair in pairs for no in pair})
    with store.database.read(store.org) as transaction:
        kept = Vectors(store.database, store.org).at(transaction, embedder, places)
    rows = {no: np.frombuffer(vector, np.int8).astype(np.float32) for no, vector in kept.items()}
    whole = {no: row / (float(np.linalg.norm(row)) or 1.0) for no, row in rows.items()}
    known = ((one, other) for one, other in pairs if one in whole and other in whole)
    return {(one, other): float(whole[one] @ whole[other]) for one, other in known}


def _groups(linked: Sequence[tuple[int, int]]) -> list[set[int]]:
    groups: list[set[int]] = []
    for pair in linked:
        joined = set(pair).union(*(group for group in groups if not group.isdisjoint(pair)))
        groups = [*(group for group in groups if group.isdisjoint(pair)), joined]
    return groups

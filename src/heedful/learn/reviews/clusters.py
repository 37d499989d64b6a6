"""Clusters of remarks about the same concern.

Two remarks are alike if their meanings are near; a common tag brings them nearer, different tags take them apart. The
remark with the most alike ones is a centre, then the next that is like no centre before it. Each remark belongs to the
nearest centre that it is like. So a chain of small steps joins nothing, and the order in which reviews arrived does not
matter. Members that are unlike the others are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALIKE = 0.55
"""The cosine from which two remarks on one agent's outputs are about the same concern."""
PERHAPS_ALIKE = 0.45
"""The same, where a language model looks at them afterwards."""
SAME_TAG = 0.15
OTHER_TAG = 0.1
"""What a common tag adds to a cosine, and what tags without a common one take away."""
_COHERENT = 0.45  # the least mean cosine of a member to the others
_TOGETHER = 512  # rows that are compared at once: 64 MB at most
_COMPARED = 32_768  # of more remarks on one agent, a sample tells how many are alike
_TAG_SETS = 256  # the most frequent ones; others count as none


class Clustered(NamedTuple):
    """A remark that is to be clustered."""

    id: str
    group: str
    """Remarks of different groups are never alike: the agent."""
    tags: frozenset[str]
    vector: bytes


class Cluster(NamedTuple):
    centre: str
    members: tuple[str, ...]
    """With the centre, nearest to it first."""


def clusters(remarks: Sequence[Clustered], alike: float = ALIKE) -> list[Cluster]:
    """The largest first. Remarks that are like no other make no cluster."""
    by_group: dict[str, list[Clustered]] = {}
    for remark in sorted(remarks, key=lambda one: one.id):
        by_group.setdefault(remark.group, []).append(remark)
    found = [cluster for group in by_group.values() for cluster in _stars(group, alike)]
    return sorted(found, key=lambda cluster: (-len(cluster.members), cluster.centre))


def nearness(cosine: float, ours: frozenset[str], theirs: frozenset[str]) -> float:
    """The cosine of two remarks, with their tags."""
    if not ours or not theirs:
        return cosine
    return cosine + SAME_TAG if ours & theirs else cosine - OTHER_TAG


class _Remarks:
    """The remarks of one group as rows of numbers: meanings and tags."""

    def __init__(self, remarks: list[Clustered]) -> None:
        import numpy as np

        rows = np.frombuffer(b"".join(one.vector for one in remarks), np.int8).reshape(len(remarks), -1)
        self.meanings = rows.astype(np.float32)
        self.meanings /= np.maximum(np.linalg.norm(self.meanings, axis=1, keepdims=True), 1e-9)
        self._tags, self._gains = _gains(remarks)

    def nearness(self, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.float32]:
        import numpy as np

        near: NDArray[np.float32] = self.meanings[ours] @ self.meanings[theirs].T
        if len(self._gains) > 1:
            near += self._gains[np.ix_(self._tags[ours], self._tags[theirs])]
        return near


def _stars(remarks: list[Clustered], alike: float) -> list[Cluster]:
    import numpy as np

    rows, everyone = _Remarks(remarks), np.arange(len(remarks))
    centres = _centres(rows, _degrees(rows, everyone, alike), alike)
    members: dict[int, list[tuple[float, int]]] = {centre: [] for centre in centres.tolist()}
    for start in range(0, len(remarks) if len(centres) else 0, _TOGETHER):
        near = rows.nearness(everyone[start : start + _TOGETHER], centres)
        best = near.argmax(axis=1)
        for at, (centre, value) in enumerate(zip(best.tolist(), near.max(axis=1).tolist(), strict=True), start):
            if value >= alike:
                members[int(centres[centre])].append((-value, at))
    found = (_coherent(rows, sorted(near)) for near in members.values())
    return [Cluster(remarks[group[0]].id, tuple(remarks[at].id for at in group)) for group in found if len(group) > 1]


def _degrees(rows: _Remarks, everyone: NDArray[np.int64], alike: float) -> NDArray[np.int64]:
    """How many are alike, with itself."""
    import numpy as np

    step = -(-len(everyone) // _COMPARED)
    sample = everyone[::step]  # ids are random or in order: either way a sample that does not depend on arrival
    counts = [
        (rows.nearness(everyone[start : start + _TOGETHER], sample) >= alike).sum(axis=1)
        for start in range(0, len(everyone), _TOGETHER)
    ]
    return np.concatenate(counts)


def _centres(rows: _Remarks, degrees: NDArray[np.int64], alike: float) -> NDArray[np.int64]:
    import numpy as np

    order = np.lexsort((np.arange(len(degrees)), -degrees))
    centres = np.empty(len(degrees), np.int64)
    count = 0
    for at in order.tolist():
        if degrees[at] <= 1:  # itself
            break
        if not count or rows.nearness(np.array([at]), centres[:count]).max() < alike:
            centres[count] = at
            count += 1
    return centres[:count]


def _coherent(rows: _Remarks, members: list[tuple[float, int]]) -> list[int]:
    """Those that are like the others on average, nearest to the centre first."""
    ids = [at for _, at in members]
    chosen = rows.meanings[ids]
    means = (chosen @ chosen.sum(axis=0) - 1) / max(1, len(ids) - 1)
    return [at for at, mean in zip(ids, means.tolist(), strict=True) if mean >= _COHERENT]


def _gains(remarks: list[Clustered]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The number of each remark's set of tags, and what two sets add to a cosine."""
    import numpy as np

    counts = Counter(one.tags for one in remarks if one.tags)
    sets = [frozenset[str](), *sorted(counts, key=lambda tags: (-counts[tags], sorted(tags)))[:_TAG_SETS]]
    numbers = {tags: number for number, tags in enumerate(sets)}
    gains = np.array([[nearness(0.0, ours, theirs) for theirs in sets] for ours in sets], np.float32)
    return np.array([numbers.get(one.tags, 0) for one in remarks], np.int64), gains

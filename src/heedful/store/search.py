"""Hybrid search over learnings: by their words and by their meaning, fused by rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from heedful.model.meaning import Meaning
from heedful.model.ranking import UNPACKED_IMPACT, fuse, idf
from heedful.model.terms import terms
from heedful.store.database import Database, Transaction
from heedful.store.learnings import Kept, LearningTable

_CANDIDATES = 100  # of each kind, at first
_SPARE = 10  # learnings that are read beyond those asked for, should some not be as wanted
_MOST_TERMS = 64  # the rarest of a long text
_MOST_ENTRIES = 200_000  # of a term so frequent that it tells little; unless there is no other


class Found(NamedTuple):
    kept: Kept
    score: float
    """From 0 to 1, by which they are ordered."""
    cosine: float | None
    """How near they are in meaning, if that is known."""


class Search:
    """Of one organisation."""

    def __init__(self, database: Database, org: str, learnings: LearningTable) -> None:
        self._database = database
        self._org = org
        self._learnings = learnings

    def find(
        self, text: str, meaning: Meaning | None, limit: int, wanted: Mapping[str, str | None] | None = None
    ) -> list[Found]:
        """The learnings that fit best among those that are as wanted: {"status": "active"}."""
        with self._database.read(self._org) as transaction:
            return self._find(transaction, list(dict.fromkeys(terms(text))), meaning, limit, wanted or {})

    def _find(
        self,
        transaction: Transaction,
        words: list[str],
        meaning: Meaning | None,
        limit: int,
        wanted: Mapping[str, str | None],
    ) -> list[Found]:
        count, vectors = max(_CANDIDATES, 2 * limit), self._learnings.vectors
        while True:
            by_words = self._by_words(transaction, words, count) if words else []
            near = [] if meaning is None else vectors.nearest(transaction, meaning.embedder, meaning.vector, count)
            found = self._as_wanted(transaction, fuse(by_words, near), limit, wanted)
            if len(found) == limit or max(len(by_words), len(near)) < count:
                cosines = dict(near)
                return [Found(kept, score, cosines.get(kept.state.no)) for kept, score in found]
            count *= 4  # most were not as wanted: look further

    def _as_wanted(
        self,
        transaction: Transaction,
        ranked: Sequence[tuple[int, float]],
        limit: int,
        wanted: Mapping[str, str | None],
    ) -> list[tuple[Kept, float]]:
        """The first that are; mostly all are, so few are read."""
        found: list[tuple[Kept, float]] = []
        for start in range(0, len(ranked), limit + _SPARE):
            part = ranked[start : start + limit + _SPARE]
            kept = self._learnings.at(transaction, [place for place, _ in part], wanted)
            found += [(kept[place], score) for place, score in part if place in kept]
            if len(found) >= limit:
                break
        return found[:limit]

    def _by_words(self, transaction: Transaction, wanted: list[str], count: int) -> list[tuple[int, float]]:
        import numpy as np  # noqa: PLC0415 - a tenth of a second that only those pay who search

        postings = self._learnings.postings
        sizes = postings.sizes(transaction, wanted)
        rarest = sorted(sizes, key=lambda term: (sizes[term], term))[:_MOST_TERMS]
        telling = [term for term in rarest if sizes[term] <= _MOST_ENTRIES] or rarest[:1]
        if not telling:
            return []
        rows = self._learnings.count_in(transaction)
        weight = np.array(UNPACKED_IMPACT)
        found = postings.read(transaction, telling)  # what was erased just now has no entries any more
        if not found:
            return []
        places = np.concatenate([entries.places for entries in found.values()])
        scores = np.concatenate([weight[entries.weights] * idf(rows, sizes[term]) for term, entries in found.items()])
        unique, at = np.unique(places, return_inverse=True)
        sums = np.bincount(at, scores)
        best = np.lexsort((unique, -sums))[:count]
        return [(int(unique[place]), float(sums[place])) for place in best]

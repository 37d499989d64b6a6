"""Hybrid search over learnings: by words and by meaning, with combined scores and a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from heedful.learnings.kind import Wording
from heedful.learnings.row import LearningRow
from heedful.learnings.score_fusion import (
    UNPACKED_IMPACT,
    floor,
    floor_of_the_rest,
    fuse,
    idf,
    nearness,
)
from heedful.learnings.table import LearningTable
from heedful.records.embedding import Meaning
from heedful.store import Store
from heedful.store.database import Transaction
from heedful.store.postings import Posting
from heedful.text.terms import is_name, terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CANDIDATES = 100  # of each kind, at first
_AT_ONCE = 400  # row numbers per query for the filter
_SPARE = 10  # learnings read beyond the limit, in case the filter drops some
_MOST_TERMS = 64  # the rarest of a long text
_MOST_ENTRIES = 150_000  # entries read per query, rarest terms first: the others matter little
_DENSE = 20


Filter = Mapping[str, str | None]


class SearchHit(NamedTuple):
    row: LearningRow
    score: float
    """From 0 to 1; results are ordered by it."""
    cosine: float | None
    """The similarity of meaning, if it is known."""
    nearness: float
    """From 0 to 2: meaning and words combined, independent of other learnings."""


class _Ranking(NamedTuple):
    """All learnings that share a word with the query."""

    places: NDArray[np.int64] | None = None
    sums: NDArray[Any] | None = None
    postings: Mapping[str, Posting] = MappingProxyType({})
    shares: Mapping[str, float] = MappingProxyType({})
    """The share of the query's total idf for each of its words. A name counts as all of it: a long query that mentions
    `V7` wants learnings about V7."""

    def first(self, count: int) -> list[tuple[int, float]]:
        import numpy as np

        if self.places is None or self.sums is None:
            return []
        best = np.argpartition(-self.sums, count)[:count] if count < len(self.sums) else np.arange(len(self.sums))
        best = best[np.lexsort((self.places[best], -self.sums[best]))]
        return list(zip(self.places[best].tolist(), self.sums[best].tolist(), strict=True))

    def coverage(self, places: Sequence[int]) -> dict[int, float]:
        """How much of the query's words each of these learnings has, from 0 to 1."""
        import numpy as np

        sums = np.zeros(len(places))
        for term, posting in self.postings.items():
            sums += self.shares[term] * np.isin(places, posting.numbers)
        return dict(zip(places, np.minimum(sums, 1.0).tolist(), strict=True))


class Search:
    def __init__(self, store: Store) -> None:
        self._database = store.database
        self._org = store.org
        self._learnings = LearningTable(store)

    def find(self, text: str, meaning: Meaning | None, limit: int, wanted: Filter | None = None) -> list[SearchHit]:
        """The best matches that pass the filter: {"status": "active"}."""
        with self._database.read(self._org) as transaction:
            return self._find(transaction, list(dict.fromkeys(terms(text))), meaning, limit, wanted or {})

    def related(self, text: str, meaning: Meaning | None, limit: int, wanted: Filter | None = None) -> list[SearchHit]:
        """The best matches that are related to the text at all; none, if the best of them is not."""
        found, rows = self.find(text, meaning, limit, wanted), self._learnings.count()
        by_words_alone = all(one.cosine is None for one in found)
        least = floor_of_the_rest(rows)
        if max((one.nearness for one in found), default=0.0) < (least if by_words_alone else floor(rows)):
            return []
        return [one for one in found if one.nearness >= least]

    def in_words_of(self, words: Wording, limit: int, wanted: Mapping[str, str | None]) -> list[SearchHit]:
        """Those that use the same words for the wrong and the right part."""
        with self._database.read(self._org) as transaction:
            return self._find(transaction, list(dict.fromkeys(words.own_terms())), None, limit, wanted)

    def nearest(self, meaning: Meaning, limit: int, wanted: Filter) -> list[SearchHit]:
        """The nearest by meaning alone that pass the filter, nearest first."""
        count = max(_CANDIDATES, limit)
        with self._database.read(self._org) as transaction:
            while True:
                near = self._learnings.vectors.nearest(transaction, meaning.embedder, meaning.vector, count)
                found = self._as_wanted(transaction, near, limit, wanted)
                if len(found) == limit or len(near) < count:
                    return [SearchHit(row, cosine, cosine, cosine) for row, cosine in found]
                count *= 4

    def cosines(self, meaning: Meaning, ids: Sequence[str]) -> dict[str, float]:
        """The cosines of these learnings, as far as they have vectors of the same embedder."""
        import numpy as np

        places = {row.state.no: row.state.id for id in ids if (row := self._learnings.get(id)) is not None}
        found = self.vectors(meaning.embedder, list(places))
        rows = {no: np.frombuffer(vector, np.int8).astype(np.float32) for no, vector in found.items()}
        return {
            places[no]: float(row @ meaning.vector / max(float(np.linalg.norm(row)), 1e-9)) for no, row in rows.items()
        }

    def vectors(self, embedder: str, places: Sequence[int]) -> dict[int, bytes]:
        with self._database.read(self._org) as transaction:
            return self._learnings.vectors.at(transaction, embedder, places)

    def _find(
        self, transaction: Transaction, words: list[str], meaning: Meaning | None, limit: int, wanted: Filter
    ) -> list[SearchHit]:
        count, vectors = max(_CANDIDATES, 2 * limit), self._learnings.vectors
        ranking = self._ranking(transaction, words)
        while True:
            by_words = ranking.first(count)
            near = [] if meaning is None else vectors.nearest(transaction, meaning.embedder, meaning.vector, count)
            found = self._as_wanted(transaction, fuse(by_words, near), limit, wanted)
            if len(found) == limit or max(len(by_words), len(near)) < count:
                return _measured(found, dict(near), ranking)
            count *= 4  # the filter dropped most of them: look further

    def _as_wanted(
        self, transaction: Transaction, ranked: Sequence[tuple[int, float]], limit: int, wanted: Filter
    ) -> list[tuple[LearningRow, float]]:
        """The first that pass the filter. Usually nearly all do; where most do not, the filter runs first."""
        found = self._read(transaction, ranked[: limit + _SPARE], wanted)
        for start in range(limit + _SPARE, len(ranked), _AT_ONCE):
            if len(found) >= limit:
                break
            part = ranked[start : start + _AT_ONCE]
            fitting = self._learnings.fitting(transaction, [place for place, _ in part], wanted)
            found += self._read(transaction, [one for one in part if one[0] in fitting][: limit - len(found)], wanted)
        return found[:limit]

    def _read(
        self, transaction: Transaction, ranked: Sequence[tuple[int, float]], wanted: Mapping[str, str | None]
    ) -> list[tuple[LearningRow, float]]:
        rows = self._learnings.at(transaction, [place for place, _ in ranked], wanted)
        return [(rows[place], score) for place, score in ranked if place in rows]

    def _ranking(self, transaction: Transaction, wanted: list[str]) -> _Ranking:
        import numpy as np

        postings = self._learnings.postings
        sizes = postings.sizes(transaction, wanted)
        rarest = sorted(sizes, key=lambda term: (sizes[term], term))[:_MOST_TERMS]
        read = accumulate(sizes[term] for term in rarest)
        telling = [term for term, entries in zip(rarest, read, strict=True) if entries <= _MOST_ENTRIES] or rarest[:1]
        if not telling:
            return _Ranking()
        rows = self._learnings.count_in(transaction)
        shares = _shares({term: idf(rows, sizes.get(term, 0)) for term in wanted})
        weight = np.array(UNPACKED_IMPACT)
        found = postings.read(transaction, telling)  # learnings erased just now have no entries any more
        if not found:
            return _Ranking()
        places = np.concatenate([entries.numbers for entries in found.values()])
        scores = np.concatenate([weight[entries.weights] * idf(rows, sizes[term]) for term, entries in found.items()])
        if len(places) * _DENSE > int(places.max()):
            every = np.bincount(places, scores)  # a number for each place there is costs less than sorting them
            having = np.flatnonzero(every)
            return _Ranking(having, every[having], found, shares)
        having, at = np.unique(places, return_inverse=True)
        return _Ranking(having, np.bincount(at, scores), found, shares)


def _shares(telling: Mapping[str, float]) -> dict[str, float]:
    whole = sum(telling.values())
    return {term: 1.0 if is_name(term) else weight / whole for term, weight in telling.items()}


def _measured(
    found: Sequence[tuple[LearningRow, float]], cosines: Mapping[int, float], ranking: _Ranking
) -> list[SearchHit]:
    """A learning missing among the nearest gets the lowest cosine of them."""
    coverage = ranking.coverage([row.state.no for row, _ in found])
    least = min(cosines.values(), default=0.0)
    return [
        SearchHit(row, score, cosines.get(no), nearness(cosines.get(no, least), coverage[no]))
        for row, score in found
        for no in (row.state.no,)
    ]

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
_OF_ALL_KINDS = 400  # candidates by words, and by meaning
_FEW = 400  # of one kind


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

    def of(self, places: Sequence[int]) -> list[tuple[int, float]]:
        """Those of these learnings that share a word with the query, with their sums."""
        import numpy as np

        if self.places is None or self.sums is None or not places:
            return []
        having = np.isin(self.places, places)
        return list(zip(self.places[having].tolist(), self.sums[having].tolist(), strict=True))

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
            return self._find(transaction, self._ranking(transaction, terms(text)), meaning, limit, wanted or {})

    def related(self, text: str, meaning: Meaning | None, limit: int, wanted: Filter | None = None) -> list[SearchHit]:
        """The best matches that are related to the text at all; none, if the best of them is not."""
        return _related(self.find(text, meaning, limit, wanted), self._learnings.count())

    def by_kind(
        self, text: str, meaning: Meaning | None, limit: int, kinds: Sequence[str], wanted: Filter
    ) -> list[SearchHit]:
        """Like `related` for each of these kinds, from one ranking. Of a kind with few learnings, all are looked at,
        however many of other kinds are nearer."""
        with self._database.read(self._org) as transaction:
            ranking = self._ranking(transaction, terms(text))
            return self._by_kind(transaction, ranking, meaning, limit, kinds, wanted)

    def one_and_others(
        self, text: str, meaning: Meaning | None, limit: int, kind: str, others: Sequence[str], wanted: Filter
    ) -> tuple[list[SearchHit], list[SearchHit]]:
        """The best of one kind like `find`, and those of other kinds like `by_kind`."""
        with self._database.read(self._org) as transaction:
            ranking = self._ranking(transaction, terms(text))
            found = self._find(transaction, ranking, meaning, limit, {**wanted, "kind": kind})
            return found, self._by_kind(transaction, ranking, meaning, limit, others, wanted)

    def _by_kind(
        self,
        transaction: Transaction,
        ranking: _Ranking,
        meaning: Meaning | None,
        limit: int,
        kinds: Sequence[str],
        wanted: Filter,
    ) -> list[SearchHit]:
        few = {kind: self._learnings.numbers(transaction, {**wanted, "kind": kind}, _FEW + 1) for kind in kinds}
        of_kind = {no: kind for kind, numbers in few.items() if len(numbers) <= _FEW for no in numbers}
        many = [kind for kind, numbers in few.items() if len(numbers) > _FEW]
        if not many and not of_kind:
            return []
        near = self._near(transaction, meaning, list(of_kind), _OF_ALL_KINDS if many else 0)
        fused = fuse([*ranking.first(_OF_ALL_KINDS if many else 1), *ranking.of(list(of_kind))], near)
        if many:
            of_kind |= self._learnings.kinds(transaction, [place for place, _ in fused], wanted)
        chosen = [one for kind in kinds for one in [one for one in fused if of_kind.get(one[0]) == kind][:limit]]
        found = _measured(self._read(transaction, chosen, wanted), dict(near), ranking)
        rows = self._learnings.count_in(transaction)
        return [one for kind in kinds for one in _related([one for one in found if one.row.state.kind == kind], rows)]

    def _near(
        self, transaction: Transaction, meaning: Meaning | None, few: Sequence[int], count: int
    ) -> list[tuple[int, float]]:
        """The nearest, so many, and the cosines of these few."""
        if meaning is None:
            return []
        vectors = self._learnings.vectors
        near: list[tuple[int, float]] = []
        if count:
            near += vectors.nearest(transaction, meaning.embedder, meaning.vector, count)
        known = {place for place, _ in near}
        others = vectors.at(transaction, meaning.embedder, [place for place in few if place not in known])
        return [*near, *sorted(_cosines(meaning, others).items(), key=lambda one: (-one[1], one[0]))]

    def in_words_of(self, words: Wording, limit: int, wanted: Mapping[str, str | None]) -> list[SearchHit]:
        """Those that use the same words for the wrong and the right part."""
        with self._database.read(self._org) as transaction:
            return self._find(transaction, self._ranking(transaction, words.own_terms()), None, limit, wanted)

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
        places = {row.state.no: row.state.id for id in ids if (row := self._learnings.get(id)) is not None}
        found = self.vectors(meaning.embedder, list(places))
        return {places[no]: cosine for no, cosine in _cosines(meaning, found).items()}

    def vectors(self, embedder: str, places: Sequence[int]) -> dict[int, bytes]:
        with self._database.read(self._org) as transaction:
            return self._learnings.vectors.at(transaction, embedder, places)

    def _find(
        self, transaction: Transaction, ranking: _Ranking, meaning: Meaning | None, limit: int, wanted: Filter
    ) -> list[SearchHit]:
        count, vectors = max(_CANDIDATES, 2 * limit), self._learnings.vectors
        few: list[int] | None = None
        while True:
            by_words = ranking.first(count)
            near = [] if meaning is None else vectors.nearest(transaction, meaning.embedder, meaning.vector, count)
            found = self._as_wanted(transaction, fuse(by_words, near), limit, wanted)
            if len(found) == limit or max(len(by_words), len(near)) < count:
                return _measured(found, dict(near), ranking)
            if few is None:  # the filter dropped most of them: are there more?
                few = self._learnings.numbers(transaction, wanted, _FEW + 1)
            if len(few) <= _FEW:
                return self._of_few(transaction, few, ranking, meaning, limit, wanted)
            count *= 4

    def _of_few(
        self,
        transaction: Transaction,
        few: Sequence[int],
        ranking: _Ranking,
        meaning: Meaning | None,
        limit: int,
        wanted: Filter,
    ) -> list[SearchHit]:
        """The best of these, in order, wherever they are among all."""
        near = self._near(transaction, meaning, few, _OF_ALL_KINDS)
        fused = fuse([*ranking.first(_OF_ALL_KINDS), *ranking.of(few)], near)
        these = frozenset(few)
        ranked = [one for one in fused if one[0] in these][:limit]
        return _measured(self._read(transaction, ranked, wanted), dict(near), ranking)

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

    def _ranking(self, transaction: Transaction, words: Sequence[str]) -> _Ranking:
        import numpy as np

        wanted, postings = list(dict.fromkeys(words)), self._learnings.postings
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


def _related(found: list[SearchHit], rows: int) -> list[SearchHit]:
    """Those that are near enough; none, if the best of them is not."""
    by_words_alone = all(one.cosine is None for one in found)
    least = floor_of_the_rest(rows)
    if max((one.nearness for one in found), default=0.0) < (least if by_words_alone else floor(rows)):
        return []
    return [one for one in found if one.nearness >= least]


def _cosines(meaning: Meaning, packed: Mapping[int, bytes]) -> dict[int, float]:
    import numpy as np

    alike = {no: vector for no, vector in packed.items() if len(vector) == len(meaning.vector)}
    if not alike:
        return {}
    rows = np.frombuffer(b"".join(alike.values()), np.int8).reshape(len(alike), -1).astype(np.float32)
    cosines = rows @ meaning.vector / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)
    return dict(zip(alike, cosines.tolist(), strict=True))


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

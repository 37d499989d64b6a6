"""Hybrid search over learnings: by words and by meaning, with combined scores and a threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from heedful.learnings.kind import Wording
from heedful.learnings.row import LearningRow
from heedful.learnings.score_fusion import by_meaning, floor, floor_of_the_rest, fuse, nearness
from heedful.learnings.table import LearningTable
from heedful.learnings.word_ranking import WordRanking, ranked_by_words
from heedful.records.embedding import Meaning
from heedful.store import Store
from heedful.store.database import Transaction
from heedful.store.nearest import Near
from heedful.store.vectors import Vectors
from heedful.text.terms import terms

_CANDIDATES = 100  # of each kind, at first
_AT_ONCE = 128  # row numbers per query for the filter
_SPARE = 10  # learnings read beyond the limit, in case the filter drops some
_OF_ALL_KINDS = 400  # candidates by words, and by meaning
_FEW = 400  # of one kind
_BY_MEANING, _BY_BOTH = 8, 3  # of those that may matter for a question


Filter = Mapping[str, str | None]
Ranking = Sequence[tuple[int, float]]
Order = Callable[[Ranking, Ranking], list[tuple[int, float]]]
"""Makes one ranking of one by words and one by meaning."""


class SearchHit(NamedTuple):
    row: LearningRow
    score: float
    """From 0 to 1; results are ordered by it."""
    cosine: float | None
    """The similarity of meaning, if it is known."""
    nearness: float
    """From 0 to 2: meaning and words combined, independent of other learnings."""


class _Query:
    """What is asked, in one transaction: the nearest by meaning are looked for once, however many ask for them."""

    def __init__(
        self, transaction: Transaction, vectors: Vectors, ranking: WordRanking, meaning: Meaning | None
    ) -> None:
        self.transaction = transaction
        self.ranking = ranking
        self.meaning = meaning
        self._vectors = vectors
        self._near: list[Near] = []
        self._looked_for = 0

    def near(self, count: int) -> list[tuple[int, float]]:
        """The nearest, so many, with their cosines, best first."""
        if self.meaning is None or not count:
            return []
        if count > self._looked_for:
            embedder, vector = self.meaning
            self._near, self._looked_for = self._vectors.nearest(self.transaction, embedder, vector, count), count
        return [*self._near[:count]]

    def near_and(self, few: Sequence[int], count: int) -> list[tuple[int, float]]:
        """The same, and then these few wherever they are."""
        near = self.near(count)
        if self.meaning is None:
            return near
        known = {place for place, _ in near}
        others = self._vectors.at(
            self.transaction, self.meaning.embedder, [place for place in few if place not in known]
        )
        return [*near, *sorted(_cosines(self.meaning, others).items(), key=lambda one: (-one[1], one[0]))]


class Search:
    def __init__(self, store: Store) -> None:
        self._database = store.database
        self._org = store.org
        self._learnings = LearningTable(store)

    def find(self, text: str, meaning: Meaning | None, limit: int, wanted: Filter | None = None) -> list[SearchHit]:
        """The best matches that pass the filter: {"status": "active"}."""
        with self._query(terms(text), meaning) as query:
            return self._find(query, limit, wanted or {})

    def related(self, text: str, meaning: Meaning | None, limit: int, wanted: Filter | None = None) -> list[SearchHit]:
        """The best matches that are related to the text at all; none, if the best of them is not."""
        return _related(self.find(text, meaning, limit, wanted), self._learnings.count())

    def by_kind(
        self, text: str, meaning: Meaning | None, limit: int, kinds: Sequence[str], wanted: Filter
    ) -> list[SearchHit]:
        """Like `related` for each of these kinds, from one ranking. Of a kind with few learnings, all are looked at,
        however many of other kinds are nearer."""
        with self._query(terms(text), meaning) as query:
            return self._by_kind(query, limit, kinds, wanted)

    def closest_and_others(
        self, text: str, meaning: Meaning, limit: int, kind: str, others: Sequence[str], wanted: Filter
    ) -> tuple[list[SearchHit], list[SearchHit]]:
        """The few of one kind that may matter for a question, and those of other kinds like `by_kind`.

        The nearest in meaning: the everyday words of a question stand in too many learnings, and put the right one
        behind others. And the best in words and meaning, because a word may be a name.
        """
        with self._query(terms(text), meaning) as query:
            found = self._by_kind(query, limit, others, wanted)
            of_kind = {**wanted, "kind": kind}
            closest = self._find(query, _BY_MEANING, of_kind, by_meaning)
            known = {one.row.state.no for one in closest}
            named = (one for one in self._find(query, _BY_BOTH, of_kind) if one.row.state.no not in known)
            return [*closest, *(one for one in named if one.cosine is not None)], found

    @contextmanager
    def _query(self, words: Sequence[str], meaning: Meaning | None) -> Iterator[_Query]:
        with self._database.read(self._org) as transaction:
            ranking = ranked_by_words(transaction, self._learnings, words)
            yield _Query(transaction, self._learnings.vectors, ranking, meaning)

    def _by_kind(self, query: _Query, limit: int, kinds: Sequence[str], wanted: Filter) -> list[SearchHit]:
        of_kind, many = dict[int, str](), False
        for kind in kinds:
            of_this = {**wanted, "kind": kind}
            if self._learnings.are_more_than(query.transaction, _FEW, of_this):
                many = True
            else:
                of_kind |= dict.fromkeys(self._learnings.numbers(query.transaction, of_this, _FEW), kind)
        if not many and not of_kind:
            return []
        near = query.near_and(list(of_kind), _OF_ALL_KINDS if many else 0)
        by_words = [*query.ranking.first(_OF_ALL_KINDS if many else 1), *query.ranking.of(list(of_kind))]
        rows = self._learnings.count_in(query.transaction)
        promising, near_enough = _near_enough(by_words, near, query.ranking, rows)
        kinds_at = _KindsAt(self._learnings, query.transaction, wanted, of_kind)
        alive = [kind for kind in kinds if kind in kinds_at.of(promising)]
        if not alive:
            return []
        fused = [one for one in fuse(by_words, near) if one[0] in near_enough]
        chosen = _best_of_each(fused, alive, limit, kinds_at)
        found = _measured(self._read(query.transaction, chosen, wanted), dict(near), query.ranking)
        return [one for kind in kinds for one in _related([one for one in found if one.row.state.kind == kind], rows)]

    def in_words_of(self, words: Wording, limit: int, wanted: Mapping[str, str | None]) -> list[SearchHit]:
        """Those that use the same words for the wrong and the right part."""
        with self._query(words.own_terms(), None) as query:
            return self._find(query, limit, wanted)

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

    def _find(self, query: _Query, limit: int, wanted: Filter, order: Order = fuse) -> list[SearchHit]:
        count, transaction = max(_CANDIDATES, 2 * limit), query.transaction
        few: list[int] | None = None
        while True:
            by_words, near = query.ranking.first(count), query.near(count)
            found = self._as_wanted(transaction, order(by_words, near), limit, wanted)
            if len(found) == limit or max(len(by_words), len(near)) < count:
                return _measured(found, dict(near), query.ranking)
            if few is None:  # the filter dropped most of them: are there more?
                few = self._learnings.numbers(transaction, wanted, _FEW + 1)
            if len(few) <= _FEW:
                return self._of_few(query, few, limit, wanted, order)
            count *= 4

    def _of_few(self, query: _Query, few: Sequence[int], limit: int, wanted: Filter, order: Order) -> list[SearchHit]:
        """The best of these, in order, wherever they are among all."""
        near = query.near_and(few, _OF_ALL_KINDS)
        ordered = order([*query.ranking.first(_OF_ALL_KINDS), *query.ranking.of(few)], near)
        these = frozenset(few)
        ranked = [one for one in ordered if one[0] in these][:limit]
        return _measured(self._read(query.transaction, ranked, wanted), dict(near), query.ranking)

    def _as_wanted(
        self, transaction: Transaction, ranked: Sequence[tuple[int, float]], limit: int, wanted: Filter
    ) -> list[tuple[LearningRow, float]]:
        """The first that pass the filter. Usually nearly all do; where most do not, the filter runs first."""
        found = self._read(transaction, ranked[: limit + _SPARE], wanted)
        for start in range(limit + _SPARE, len(ranked), _AT_ONCE):
            if len(found) >= limit:
                break
            part = ranked[start : start + _AT_ONCE]
            fitting = self._learnings.kinds(transaction, [place for place, _ in part], wanted)
            found += self._read(transaction, [one for one in part if one[0] in fitting][: limit - len(found)], wanted)
        return found[:limit]

    def _read(
        self, transaction: Transaction, ranked: Sequence[tuple[int, float]], wanted: Mapping[str, str | None]
    ) -> list[tuple[LearningRow, float]]:
        rows = self._learnings.at(transaction, [place for place, _ in ranked], wanted)
        return [(rows[place], score) for place, score in ranked if place in rows]


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
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    cosines = np.einsum("ij,j->i", rows, meaning.vector) / np.maximum(lengths, 1e-9)
    return dict(zip(alike, cosines.tolist(), strict=True))


class _KindsAt:
    """The kinds of learnings that pass the filter, asked for some at a time."""

    def __init__(self, learnings: LearningTable, transaction: Transaction, wanted: Filter, known: Mapping[int, str]):
        self._learnings = learnings
        self._transaction = transaction
        self._wanted = wanted
        self._known: dict[int, str | None] = dict(known)

    def of(self, places: Sequence[int]) -> list[str | None]:
        """One for each place; None for those that do not pass."""
        new = [place for place in places if place not in self._known]
        found = self._learnings.kinds(self._transaction, new, self._wanted)
        self._known |= {place: found.get(place) for place in new}
        return [self._known[place] for place in places]


def _best_of_each(
    ranked: Sequence[tuple[int, float]], kinds: Sequence[str], limit: int, kinds_at: _KindsAt
) -> list[tuple[int, float]]:
    """Of each kind the first, up to a limit."""
    best: dict[str, list[tuple[int, float]]] = {kind: [] for kind in kinds}
    for start in range(0, len(ranked), _AT_ONCE):
        part = ranked[start : start + _AT_ONCE]
        for one, kind in zip(part, kinds_at.of([place for place, _ in part]), strict=True):
            if kind in best and len(best[kind]) < limit:
                best[kind].append(one)
        if all(len(some) == limit for some in best.values()):
            break
    return [one for some in best.values() for one in some]


def _near_enough(
    by_words: Sequence[tuple[int, float]], near: Sequence[tuple[int, float]], ranking: WordRanking, rows: int
) -> tuple[list[int], frozenset[int]]:
    """Those of which one must be of a kind, or `_related` keeps none of it; and those that it may keep."""
    import numpy as np

    cosines = dict(near)
    places = list(dict.fromkeys([*cosines, *(place for place, _ in by_words)]))  # first those with a cosine
    lowest = min(cosines.values(), default=0.0)
    known = np.full(len(places), lowest)
    known[: len(cosines)] = list(cosines.values())
    found = np.clip(known, 0.0, 1.0) + ranking.coverage(places)  # as `nearness`
    least = floor_of_the_rest(rows)
    best = np.where(np.arange(len(places)) < len(cosines), floor(rows), least)
    numbers = np.array(places, np.int64)
    return numbers[found >= best].tolist(), frozenset(numbers[found >= least].tolist())


def _measured(
    found: Sequence[tuple[LearningRow, float]], cosines: Mapping[int, float], ranking: WordRanking
) -> list[SearchHit]:
    """A learning missing among the nearest gets the lowest cosine of them."""
    numbers = [row.state.no for row, _ in found]
    least = min(cosines.values(), default=0.0)
    return [
        SearchHit(row, score, cosines.get(no), nearness(cosines.get(no, least), covered))
        for (row, score), no, covered in zip(found, numbers, ranking.coverage(numbers).tolist(), strict=True)
    ]

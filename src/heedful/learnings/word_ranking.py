"""Ranks learnings by the words that they share with a query (BM25)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from heedful.learnings.score_fusion import UNPACKED_IMPACT, idf
from heedful.learnings.table import LearningTable
from heedful.store.database import Transaction
from heedful.store.postings import Posting
from heedful.text.terms import is_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_TERMS = 64  # the rarest of a long text
_MOST_ENTRIES = 150_000  # entries read per query, rarest terms first: the others matter little
_DENSE = 20


class WordRanking(NamedTuple):
    """All learnings that share a word with the query."""

    places: NDArray[np.int64] | None = None
    """In ascending order."""
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
        wanted = np.unique(places)
        having = wanted[_among(wanted, self.places)]
        sums = self.sums[np.searchsorted(self.places, having)]
        return list(zip(having.tolist(), sums.tolist(), strict=True))

    def coverage(self, places: Sequence[int]) -> NDArray[np.float64]:
        """How much of the query's words each of these learnings has, from 0 to 1."""
        import numpy as np

        wanted, sums = np.array(places, np.int64), np.zeros(len(places))
        for term, posting in self.postings.items():
            sums += self.shares[term] * _among(wanted, posting.numbers)
        return np.minimum(sums, 1.0)


def ranked_by_words(transaction: Transaction, learnings: LearningTable, words: Sequence[str]) -> WordRanking:
    import numpy as np

    wanted, postings = list(dict.fromkeys(words)), learnings.postings
    sizes = postings.sizes(transaction, wanted)
    rarest = sorted(sizes, key=lambda term: (sizes[term], term))[:_MOST_TERMS]
    read = accumulate(sizes[term] for term in rarest)
    telling = [term for term, entries in zip(rarest, read, strict=True) if entries <= _MOST_ENTRIES] or rarest[:1]
    if not telling:
        return WordRanking()
    rows = learnings.count_in(transaction)
    shares = _shares({term: idf(rows, sizes.get(term, 0)) for term in wanted})
    weight = np.array(UNPACKED_IMPACT)
    found = postings.read(transaction, telling)  # learnings erased just now have no entries any more
    if not found:
        return WordRanking()
    places = np.concatenate([entries.numbers for entries in found.values()])
    scores = np.concatenate([weight[entries.weights] * idf(rows, sizes[term]) for term, entries in found.items()])
    if len(places) * _DENSE > int(places.max()):
        every = np.bincount(places, scores)  # a number for each place there is costs less than sorting them
        having = np.flatnonzero(every)
        return WordRanking(having, every[having], found, shares)
    having, at = np.unique(places, return_inverse=True)
    return WordRanking(having, np.bincount(at, scores), found, shares)


def _shares(telling: Mapping[str, float]) -> dict[str, float]:
    whole = sum(telling.values())
    return {term: 1.0 if is_name(term) else weight / whole for term, weight in telling.items()}


def _among(some: NDArray[np.int64], all: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of some numbers are among all, which are in ascending order: there are far more of them."""
    import numpy as np

    at = np.minimum(np.searchsorted(all, some), len(all) - 1)
    found: NDArray[np.bool_] = all[at] == some
    return found

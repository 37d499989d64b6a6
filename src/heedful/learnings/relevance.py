"""The relevance of a learning: similarity x confidence x recency x standing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from heedful.learnings.kinds import KINDS, kind_of, record_of
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.reputation import UNKNOWN, reputation
from heedful.learnings.search import Search, SearchHit
from heedful.learnings.table import LearningTable
from heedful.records.embedding import Embedder, meaning
from heedful.records.learning import Learning
from heedful.records.learnings import Match
from heedful.store import Store
from heedful.text.terms import terms

_MINUTE = 60


def recency(learning: Learning, now: datetime) -> float:
    """1 if it was just renewed, 0.5 after one half-life."""
    half_life = KINDS[learning.kind].half_life(learning)
    if half_life is None:
        return 1.0
    return float(0.5 ** (max(timedelta(0), now - learning.renewed_at) / half_life))


@dataclass(frozen=True, slots=True)
class Retrieval:
    store: Store
    embedder: Embedder

    def related(self, query: str, limit: int, wanted: Mapping[str, str | None]) -> list[Match]:
        if not LearningTable(self.store).count():
            return []  # and no model is loaded for nothing
        return self._matches(query, Search(self.store).related(query, meaning(self.embedder, query), limit, wanted))

    def related_of_each_kind(self, query: str, limit: int, wanted: Mapping[str, str | None]) -> list[Match]:
        """Up to a limit per kind."""
        if not LearningTable(self.store).count():
            return []
        vector, search = meaning(self.embedder, query), Search(self.store)
        found = [one for kind in KINDS for one in search.related(query, vector, limit, {**wanted, "kind": kind})]
        return self._matches(query, found)

    def nearest(self, output: str, limit: int, wanted: Mapping[str, str | None], *, meant: str) -> list[Match]:
        """The nearest learnings to an output, however far. `meant` is the part of the output that is embedded."""
        if not LearningTable(self.store).count():
            return []
        return self._matches(output, Search(self.store).find(output, meaning(self.embedder, meant), limit, wanted))

    def _matches(self, query: str, found: Sequence[SearchHit]) -> list[Match]:
        asked, now = frozenset(terms(query)), self.store.clock()
        reputations = self._reputations(now) if any(one.row.state.contributor for one in found) else {}
        return [self._match(one, asked, now, reputations) for one in found]

    def _match(
        self, found: SearchHit, asked: frozenset[str], now: datetime, reputations: Mapping[str | None, float]
    ) -> Match:
        row, kind = found.row, kind_of(found.row.state)
        learning = record_of(row)
        overlap = kind.overlap(asked, kind.words_of(row))
        similarity = min(1.0, max(0.0, found.cosine or 0.0, overlap))
        recent = recency(learning, now)
        standing = kind.standing(learning, reputations.get(row.state.contributor, UNKNOWN))
        relevance = similarity * learning.confidence * recent * standing
        return Match(learning, found.score, similarity, recent, standing, relevance)

    def _reputations(self, now: datetime) -> Mapping[str | None, float]:
        """Cached: they change slowly, and computing them reads every learning."""
        minute = int(now.timestamp()) // _MINUTE
        return self.store.database.cache.get_or_make(("reputation", self.store.org), minute, self._read_reputations)

    def _read_reputations(self) -> dict[str | None, float]:
        return {row[0]: reputation(*row).score for row in LearningTable(self.store).reputations(INSIGHT.name)}

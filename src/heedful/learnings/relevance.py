"""The relevance of a learning: similarity x confidence x recency x standing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from heedful.learnings.kinds import KINDS, kind_of, record_of
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.moments import Moments
from heedful.learnings.reputation import UNKNOWN, reputation
from heedful.learnings.search import Search, SearchHit
from heedful.learnings.table import NONE, OWN_OR_NO_OWNER, OWN_OR_NO_SCOPE, LearningTable
from heedful.records.correction import Category, Correction
from heedful.records.embedding import Meaning, meaning
from heedful.records.learning import Learning, Status
from heedful.records.learnings import Match
from heedful.records.outside import Outside
from heedful.store import Store
from heedful.text.terms import terms

LEAST_SIMILARITY = 0.3
"""Age and doubt lower the rank of a learning, but do not silence it."""
_MINUTE = 60
_WISHES = frozenset({Category.STYLE, Category.PREFERENCE})
_WISHES_READ = 50  # the newest


def recency(learning: Learning, now: datetime) -> float:
    """1 if it was just renewed, 0.5 after one half-life."""
    half_life = KINDS[learning.kind].half_life(learning)
    if half_life is None:
        return 1.0
    return float(0.5 ** (max(timedelta(0), now - learning.renewed_at) / half_life))


@dataclass(frozen=True, slots=True)
class Retrieval:
    store: Store
    outside: Outside

    def related(self, query: str, limit: int, wanted: Mapping[str, str | None]) -> list[Match]:
        if not LearningTable(self.store).count():
            return []  # and no model is loaded for nothing
        return self._matches(
            query, Search(self.store).related(query, meaning(self.outside.embedder, query), limit, wanted)
        )

    def mattering(self, query: str, limit: int, wanted: Mapping[str, str | None]) -> list[Match]:
        """What matters for a question, up to a limit per kind. A correction belongs to a situation, so it must matter
        more than those that are only near; of other kinds, all that are near enough."""
        if not LearningTable(self.store).count():
            return []
        vector, search = meaning(self.outside.embedder, query), Search(self.store)
        others = [kind.name for kind in KINDS.values() if kind.given and kind is not CORRECTION]
        found = [one for kind in others for one in search.related(query, vector, limit, {**wanted, "kind": kind})]
        near = [match for match in self._matches(query, found) if match.similarity >= LEAST_SIMILARITY]
        return [*self._matches(query, self._mattering(query, vector, limit, wanted)), *near]

    def by_words(self, query: str, limit: int, wanted: Mapping[str, str | None]) -> list[Match]:
        """What shares the rare words of a question, up to a limit per kind; no model is asked."""
        if not LearningTable(self.store).count():
            return []
        search, kinds = Search(self.store), [kind.name for kind in KINDS.values() if kind.given]
        found = [one for kind in kinds for one in search.related(query, None, limit, {**wanted, "kind": kind})]
        return [match for match in self._matches(query, found) if match.similarity >= LEAST_SIMILARITY]

    def _mattering(
        self, query: str, vector: Meaning | None, limit: int, wanted: Mapping[str, str | None]
    ) -> list[SearchHit]:
        search, corrections = Search(self.store), {**wanted, "kind": CORRECTION.name}
        if vector is None:
            return search.related(query, None, limit, corrections)
        return Moments(self.outside).mattering(query, vector, search.find(query, vector, limit, corrections))

    def standing_wishes(self, limit: int, about: str | None, owner: str) -> list[Match]:
        """What matters for every question: how outputs about this topic, or for this person, should always be."""
        places: list[dict[str, str | None]] = [{"scope": about, OWN_OR_NO_OWNER: owner}] if about is not None else []
        if owner != NONE:
            places.append({"owner": owner, OWN_OR_NO_SCOPE: about})
        active, table = {"kind": CORRECTION.name, "status": Status.ACTIVE.value}, LearningTable(self.store)
        rows = {row.state.id: row for place in places for row in table.page({**active, **place}, None, _WISHES_READ)}
        found = [one for one in map(CORRECTION.record, rows.values()) if one.always and one.category in _WISHES]
        now = self.store.clock()
        matches = [self._wish(one, recency(one, now)) for one in found]
        return sorted(matches, key=lambda match: -match.relevance)[:limit]

    def _wish(self, learning: Correction, recent: float) -> Match:
        standing = CORRECTION.standing(learning, UNKNOWN)
        return Match(learning, 1.0, 1.0, recent, standing, learning.confidence * recent * standing)

    def nearest(self, output: str, limit: int, wanted: Mapping[str, str | None], *, meant: str) -> list[Match]:
        """The nearest learnings to an output, however far. `meant` is the part of the output that is embedded."""
        if not LearningTable(self.store).count():
            return []
        return self._matches(
            output, Search(self.store).find(output, meaning(self.outside.embedder, meant), limit, wanted)
        )

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

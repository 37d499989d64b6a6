"""Finding what conversations taught that matters for a question or a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from heedful.learnings.relevance import insight_match
from heedful.learnings.reputation import UNKNOWN, reputation
from heedful.learnings.search import Search
from heedful.learnings.table import LearningTable
from heedful.records.embedding import Embedder
from heedful.records.event import Event
from heedful.records.insight import InsightMatch, insight
from heedful.records.learning import Kind, stated
from heedful.records.meaning import meaning
from heedful.store import Store
from heedful.text.terms import terms

_DOUBT = 0.5  # of a term: a single one in common may be chance
_MINUTE = 60


@dataclass(frozen=True, slots=True)
class Insights:
    store: Store
    embedder: Embedder

    def find(self, query: str, limit: int, wanted: Mapping[str, str | None]) -> list[InsightMatch]:
        """The best first: by words and meaning, and among these by what they are worth."""
        if not LearningTable(self.store).count():
            return []  # and no model is loaded for nothing
        vector = meaning(self.embedder, query)
        found = Search(self.store).related(query, vector, limit, {**wanted, "kind": Kind.INSIGHT.value})
        asked, now = frozenset(terms(query)), self.store.clock()
        scores = self._reputations(now) if any(one.kept.state.contributor for one in found) else {}
        return [
            insight_match(
                insight(*one.kept),
                similarity=max(one.cosine or 0.0, _shared(asked, one.kept.last)),
                score=one.score,
                now=now,
                reputation=scores.get(one.kept.state.contributor, UNKNOWN),
            )
            for one in found
        ]

    def _reputations(self, now: datetime) -> Mapping[str | None, float]:
        """They change slowly, and cost a look at every learning."""
        mark = int(now.timestamp()) // _MINUTE
        return self.store.database.memory.recall(("reputation", self.store.org), mark, self._looked_up)

    def _looked_up(self) -> dict[str | None, float]:
        rows = LearningTable(self.store).reputations(Kind.INSIGHT.value)
        return {row[0]: reputation(*row).score for row in rows}


def _shared(asked: frozenset[str], said: Event) -> float:
    """How much of the question it speaks of."""
    words = stated(said)
    if words is None or not asked:
        return 0.0
    return len(asked & frozenset(words.terms())) / (len(asked) + _DOUBT)

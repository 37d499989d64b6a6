"""Finding corrections that matter for a question or an output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.learnings.relevance import match
from heedful.learnings.search import Found, Search
from heedful.learnings.table import LearningTable
from heedful.records.correction import Match, correction
from heedful.records.embedding import Embedder
from heedful.records.event import Event
from heedful.records.learning import Kind, corrected
from heedful.records.meaning import meaning
from heedful.store import Store
from heedful.text.terms import terms

_DOUBT = 0.5  # of a term: a single one in common may be chance


@dataclass(frozen=True, slots=True)
class Retrieval:
    store: Store
    embedder: Embedder

    def corrections(self, query: str, limit: int, wanted: Mapping[str, str | None]) -> list[Match]:
        """Those that have to do with the query, the best first."""
        if not LearningTable(self.store).count():
            return []  # and no model is loaded for nothing
        chosen = {**wanted, "kind": Kind.CORRECTION.value}
        return self._matches(query, Search(self.store).related(query, meaning(self.embedder, query), limit, chosen))

    def candidates(self, output: str, limit: int, wanted: Mapping[str, str | None], *, meant: str) -> list[Match]:
        """Those nearest to an output, however far that is: whether one applies is found out by its words. `meant` is
        the part of the output that its meaning is taken from."""
        if not LearningTable(self.store).count():
            return []
        chosen = {**wanted, "kind": Kind.CORRECTION.value}
        return self._matches(output, Search(self.store).find(output, meaning(self.embedder, meant), limit, chosen))

    def _matches(self, query: str, found: Sequence[Found]) -> list[Match]:
        asked, now = frozenset(terms(query)), self.store.clock()
        return [
            match(
                correction(*one.kept),
                similarity=max(one.cosine or 0.0, _shared(asked, one.kept.last)),
                score=one.score,
                now=now,
            )
            for one in found
        ]


def _shared(asked: frozenset[str], said: Event) -> float:
    """How much of the shorter text the other has too: of a question, or of what was corrected. Unlike a score, which is
    relative to the best match, it is the same whatever else there is."""
    words = corrected(said)
    if words is None or not asked:
        return 0.0
    sides = (frozenset(words.own_terms()), frozenset(terms(words.query)))
    return max((len(asked & side) / (min(len(asked), len(side)) + _DOUBT) for side in sides if side), default=0.0)

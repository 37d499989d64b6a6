"""Finding corrections that matter for a question or an output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.model.correction import Match, correction
from heedful.model.embedding import Embedder
from heedful.model.learning import Kind
from heedful.model.meaning import meaning
from heedful.model.relevance import match
from heedful.store import Store


@dataclass(frozen=True, slots=True)
class Retrieval:
    store: Store
    embedder: Embedder

    def corrections(
        self, query: str, limit: int, wanted: Mapping[str, str | None], *, meant: str | None = None
    ) -> list[Match]:
        """The best first. `meant` is the part of a long query that its meaning is taken from."""
        if not self.store.learnings.count():
            return []  # and no model is loaded for nothing
        vector = meaning(self.embedder, query if meant is None else meant)
        found = self.store.search.find(query, vector, limit, {**wanted, "kind": Kind.CORRECTION.value})
        now = self.store.clock()
        return [
            match(
                correction(*one.kept),
                similarity=one.score if one.cosine is None else max(one.score, one.cosine),
                score=one.score,
                now=now,
            )
            for one in found
        ]

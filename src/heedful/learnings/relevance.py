"""The relevance of a learning: similarity x confidence x recency x standing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from heedful.learnings.kinds import KINDS, kind_of, record_of
from heedful.learnings.kinds.correction import CORRECTION, is_wish
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.moments import MomentHit, mattering
from heedful.learnings.reputation import UNKNOWN, reputation
from heedful.learnings.search import Search, SearchHit
from heedful.learnings.table import NONE, OWN_OR_NO_OWNER, OWN_OR_NO_SCOPE, LearningTable
from heedful.records.correction import Category, Correction
from heedful.records.embedding import meaning
from heedful.records.learning import Learning, Status
from heedful.records.learnings import Match
from heedful.records.outside import Outside
from heedful.store import Store
from heedful.text.terms import terms

LEAST_SIMILARITY = 0.3
"""Age and doubt lower the rank of a learning, but do not silence it."""
_MINUTE = 60
_NEAR = "near the task in words and meaning"
_CORRECTED = "corrected in a situation like this"
_SAME_QUESTION = "corrected when the same was asked"
_WISHES = (Category.STYLE, Category.PREFERENCE)
_WISHED = (*_WISHES, Category.DOMAIN)  # where words to use are wished, such as `guests`, never `clients`
_WISHES_READ = 50  # the newest
_FEW = 5


def recency(learning: Learning, now: datetime) -> float:
    """1 if it was just renewed, 0.5 after one half-life."""
    half_life = KINDS[learning.kind].half_life(learning)
    if half_life is None:
        return 1.0
    return float(0.5 ** (max(timedelta(0), now - learning.renewed_at) / half_life))


class RelevantMatch(NamedTuple):
    match: Match
    why: str


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
        kinds = [kind.name for kind in KINDS.values() if kind.given]
        return [one.match for one in self.relevant(query, limit, kinds, wanted)]

    def relevant(
        self, query: str, limit: int, kinds: Sequence[str], wanted: Mapping[str, str | None]
    ) -> list[RelevantMatch]:
        """The same of some kinds, with reasons."""
        if not LearningTable(self.store).count():
            return []
        vector, search = meaning(self.outside.embedder, query), Search(self.store)
        others = [kind for kind in kinds if kind != CORRECTION.name]
        if len(others) == len(kinds):
            return self._near(query, search.by_kind(query, vector, limit, others, wanted))
        if vector is None:
            found = search.by_kind(query, None, limit, others, wanted)
            given = [MomentHit(hit) for hit in search.related(query, None, limit, {**wanted, "kind": CORRECTION.name})]
        else:
            closest, found = search.closest_and_others(query, vector, limit, CORRECTION.name, others, wanted)
            given = mattering(query, closest)
        matches = self._matches(query, [one.hit for one in given])
        whys = [_SAME_QUESTION if one.asked_again else _CORRECTED for one in given]
        return [*map(RelevantMatch, matches, whys), *self._near(query, found)]

    def _near(self, query: str, found: Sequence[SearchHit]) -> list[RelevantMatch]:
        matches = self._matches(query, _concerning(query, found))
        return [RelevantMatch(match, _NEAR) for match in matches if match.similarity >= LEAST_SIMILARITY]

    def by_words(self, query: str, limit: int, wanted: Mapping[str, str | None]) -> list[Match]:
        """What shares the rare words of a question, up to a limit per kind; no model is asked."""
        if not LearningTable(self.store).count():
            return []
        kinds = [kind.name for kind in KINDS.values() if kind.given]
        found = Search(self.store).by_kind(query, None, limit, kinds, wanted)
        matches = self._matches(query, _concerning(query, found))
        return [match for match in matches if match.similarity >= LEAST_SIMILARITY]

    def standing_wishes(self, limit: int, about: str | None, owner: str) -> list[Match]:
        """What matters for every question: how outputs about this topic, for this person, or for all should be."""
        places: list[dict[str, str | None]] = [{"scope": about, OWN_OR_NO_OWNER: owner}] if about is not None else []
        if owner != NONE:
            places.append({"owner": owner, OWN_OR_NO_SCOPE: about})
        found = {one.id: one for place in places for one in self._wished(place)}
        found |= {one.id: one for one in self._wished_by_all()}
        now = self.store.clock()
        matches = [self._wish(one, recency(one, now)) for one in found.values()]
        return sorted(matches, key=lambda match: -match.relevance)[:limit]

    def _wished_by_all(self) -> list[Correction]:
        """Of no topic and no person. A few are a team's; of many, or among many learnings, only what was said again:
        each may be about something that only its speaker knows."""
        found = self._wished({"scope": NONE, "owner": NONE})
        is_small = len(found) <= _FEW and LearningTable(self.store).count() <= _WISHES_READ
        return found if is_small else [one for one in found if one.confirmed]

    def _wished(self, place: Mapping[str, str | None]) -> list[Correction]:
        wanted = {"kind": CORRECTION.name, "status": Status.ACTIVE.value, **place}
        found = map(CORRECTION.record, LearningTable(self.store).newest(wanted, _WISHES_READ, _WISHED))
        return [one for one in found if one.always and not one.contradicted_by and is_wish(one)]

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


def _concerning(query: str, found: Sequence[SearchHit]) -> list[SearchHit]:
    return [one for one in found if kind_of(one.row.state).concerns(query, kind_of(one.row.state).words_of(one.row))]

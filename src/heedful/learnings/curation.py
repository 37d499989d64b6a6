"""Curation: proposes to merge, retire, renew and reword learnings. A person decides each proposal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from heedful.learnings.kind import Relation
from heedful.learnings.kinds import record_of
from heedful.learnings.kinds.insight import INSIGHT
from heedful.learnings.relevance import recency
from heedful.learnings.row import LearningRow
from heedful.learnings.search import Search
from heedful.learnings.table import LearningTable
from heedful.records import proposal
from heedful.records.embedding import Embedder, meaning
from heedful.records.event import Draft
from heedful.records.learning import Learning, Status
from heedful.records.proposal import Act, Proposal
from heedful.store import Store

_LOOKED_AT = 2_000  # the newest learnings
_NEIGHBOURS = 6
_NEARLY = 0.8  # cosine from which two that were not found the same are shown to a person
_DISLIKED = 2  # more thumbs down than up
_DOUBTED = 0.4  # confidence
_FADED = 0.5  # recency after one half-life
SHORTEST_HALF_LIFE = timedelta(days=120)
"""Of all kinds: what was renewed later than this ago has not faded."""
_BETTER = 0.05


class Curator:
    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._search = Search(store)
        self._table = LearningTable(store)
        self._embedder = embedder

    def curate(self, progress: Callable[[int], object] = lambda _: None) -> list[Proposal]:
        now = self._store.clock()
        made: list[Proposal] = []
        wanted = {"kind": INSIGHT.name, "status": Status.ACTIVE.value}
        for row in islice(self._table.each(wanted), _LOOKED_AT):
            drafts = [*self._outworn(row, now), *self._better_said(row, now), *self._twins(row, now)]
            made += self._record(drafts)
            progress(1)
        return [*made, *self._record(list(islice(self._faded(now), _LOOKED_AT)))]

    def _outworn(self, row: LearningRow, now: datetime) -> Iterator[Draft]:
        reason = _why_retire(INSIGHT.record(row))
        if reason is not None:
            yield proposal.made(now, Act.RETIRE, (row.state.id,), reason)

    def _faded(self, now: datetime) -> Iterator[Draft]:
        """Is it still true? Asked of every kind, once for each half-life without a renewal."""
        for row in self._table.last_renewed_before(now - SHORTEST_HALF_LIFE):
            one = record_of(row)
            if recency(one, now) <= _FADED:
                reason = f"It has not been confirmed or applied since {one.renewed_at:%Y-%m-%d}."
                yield proposal.made(now, Act.RENEW, (one.id,), reason, since=one.renewed_at)

    def _better_said(self, row: LearningRow, now: datetime) -> Iterator[Draft]:
        """A person's own or approved wording is not changed without asking."""
        for other in self._table.merged_into(row.state.id):
            words, quality = INSIGHT.wording(other.last), other.first.meta.get("quality", 0.0)
            own = row.last.meta.get("quality", row.first.meta.get("quality", 0.0))
            asked = row.state.approved or "quality" not in row.last.meta
            if words is None or not asked or quality <= own + _BETTER or words == INSIGHT.wording(row.last):
                continue
            reason = f"{other.state.id} says the same, and better ({quality:.2f}, not {own:.2f})."
            said = {"title": words.title, "content": dict(words.content)}
            yield proposal.made(now, Act.REWRITE, (row.state.id,), reason, said)

    def _twins(self, row: LearningRow, now: datetime) -> Iterator[Draft]:
        words = INSIGHT.words_of(row)
        wanted = {"kind": INSIGHT.name, "status": Status.ACTIVE.value}
        for found in self._search.find(words.gist(), meaning(self._embedder, words.gist()), _NEIGHBOURS, wanted):
            older = found.row.state.no < row.state.no  # each pair once
            if not older or (found.cosine or 0.0) < _NEARLY or not _same_place(row, found.row):
                continue
            categories = (row.state.category or "", found.row.state.category or "")
            verdict = INSIGHT.compare(words, INSIGHT.words_of(found.row), categories, found.cosine)
            if verdict.relation is not Relation.CONTRARY:
                reason = f"They say nearly the same ({found.cosine:.2f})."
                yield proposal.made(now, Act.MERGE, (found.row.state.id, row.state.id), reason)

    def _record(self, drafts: list[Draft]) -> list[Proposal]:
        if not drafts:
            return []
        with self._store.recording() as record:
            known = self._store.log.known([draft.id for draft in drafts])
            new = [draft for draft in drafts if draft.id not in known]
            return [proposal.folded([event]) for event in record.append_new(new)]


def _why_retire(one: Learning) -> str | None:
    if one.rated_down - one.rated_up >= _DISLIKED:
        return f"{one.rated_down} thumbs down, {one.rated_up} up."
    if one.confidence < _DOUBTED:
        return f"Its confidence fell to {one.confidence:.2f}."
    return None


def _same_place(one: LearningRow, other: LearningRow) -> bool:
    return one.state.scope == other.state.scope or None in (one.state.scope, other.state.scope)

"""Giving an insight its place among those that are known: new, the same as one, or contrary to some.

What says the same is kept as evidence for what was there first: it is merged into it, and can be taken out again.
What is contrary does not stand beside it: the newer one holds, whatever order conversations are read in, unless people
stand behind the older one; then they are asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from heedful.learn.conversations.quality import Judged
from heedful.learnings.events import CONFIRMED, EDITED, ENTITY, EXTRACTED, MERGED, RESTORED, RETIRED, SUPERSEDED
from heedful.learnings.kind import LearningComparison, Relation
from heedful.learnings.kinds.insight import INSIGHT, InsightWording
from heedful.learnings.row import LearningRow
from heedful.learnings.search import Search
from heedful.learnings.table import LearningTable
from heedful.records import proposal
from heedful.records.clock import from_micros
from heedful.records.embedding import Meaning
from heedful.records.event import Draft, Entity, noted
from heedful.records.insight import InsightCandidate
from heedful.records.learning import Status
from heedful.records.mining import ENTITY as CONVERSATION
from heedful.records.proposal import Act
from heedful.records.transcript import Source
from heedful.store import Store
from heedful.store.recording import Recording

_COMPARED = 20  # learnings that are near in words or meaning
_BETTER = 0.05  # by which an insight must be better than another for its words to be taken over
_FIRM = 3  # voices from which on people are asked before something newer takes its place


class Placed(NamedTuple):
    """Where an insight went."""

    id: str
    how: str
    """new, merged, known, outdated, disputed, unwanted"""
    other: str | None = None
    """What it was merged into, or what it contradicts."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where insights come from."""

    source: Source
    actor: str | None
    extraction: str
    by: str
    prompts: Mapping[str, str]


class _Near(NamedTuple):
    kept: LearningRow
    verdict: LearningComparison


class Placing:
    """Of one conversation's insights, in the transaction that records them."""

    def __init__(self, store: Store, record: Recording, origin: Origin) -> None:
        self._store = store
        self._search = Search(store)
        self._table = LearningTable(store)
        self._record = record
        self._origin = origin
        self.found: set[str] = set()
        """The ids of what this conversation teaches, under whatever name."""
        self._found_again: set[str] = set()
        """Of these, what an extraction in between had not found."""

    def place(self, judged: Judged, at: datetime, meaning: Meaning | None) -> Placed:
        one = judged.candidate
        words = InsightWording(one.title, one.content, one.tags)
        id = self._id(one)
        self.found.add(id)
        if self._store.log.known([id]):
            if not self._was_lost(id):
                return Placed(id, "known", reason="It was learned from this conversation before.")
            self._found_again.add(id)
        near = self._near(one, words, meaning, Status.ACTIVE)
        draft = self._draft(id, judged, at)
        same = _same(near) or self._said_here(one, words)
        if same is not None and self._is_from_here(same.kept):
            return self._know(draft, judged, same)
        if same is None and (unwanted := self._unwanted(one, words, meaning)) is not None:
            return Placed(id, "unwanted", unwanted.kept.state.id, unwanted.verdict.reason)
        contrary = [other for other in near if other.verdict.relation is Relation.CONTRARY and self._meets(other.kept)]
        if same is not None and self._meets(same.kept):
            contrary = []  # it has met them before
        if (lost := self._yield_to(draft, judged, contrary)) is not None:
            return lost
        return self._begin(draft, contrary) if same is None else self._join(draft, judged, same, contrary)

    def retire_lost(self) -> list[str]:
        """What an older extraction had found in this conversation alone, and this one does not, goes; unless somebody
        cared about it."""
        gone = []
        for kept in self._of_conversation():
            state = kept.state
            cared = state.confirmed or state.rated_up or not _own_words(kept)
            if state.status != Status.ACTIVE or cared or state.id in self.found:
                continue
            if kept.last.meta.get("extraction") != self._origin.extraction:
                gone.append(state.id)
                why = f"Extraction {self._origin.extraction} does not find it."
                self._append(noted(RETIRED, self._now, entity=Entity(ENTITY, state.id), meta={"why": why}))
        return gone

    def _of_conversation(self) -> list[LearningRow]:
        return self._table.begun_about(self._record.transaction, Entity(CONVERSATION, self._origin.source.conversation))

    # Which ones it is compared with

    def _unwanted(self, one: InsightCandidate, words: InsightWording, meaning: Meaning | None) -> _Near | None:
        """What somebody took out of use is not learned again."""
        same = _same(self._near(one, words, meaning, Status.RETIRED))
        if same is None:
            return None
        return None if self._retired_unasked(same.kept.state.id) else same

    def _was_lost(self, id: str) -> bool:
        kept = self._table.get(id)
        return kept is not None and kept.state.status == Status.RETIRED and self._retired_unasked(id)

    def _retired_unasked(self, id: str) -> bool:
        """By an extraction, and not by a person."""
        retired = [event for event in self._table.history(id) if event.kind == RETIRED]
        return not retired or retired[-1].actor is None

    def _near(
        self, one: InsightCandidate, words: InsightWording, meaning: Meaning | None, status: Status
    ) -> list[_Near]:
        learnings = self._table
        wanted = {"kind": INSIGHT.name, "status": status.value}
        cosines: dict[int, float | None] = {}
        kept: dict[int, LearningRow] = {}
        for found in self._search.find(words.gist(), meaning, _COMPARED, wanted):
            kept[found.row.state.no] = found.row
            cosines[found.row.state.no] = found.cosine
        if status is Status.ACTIVE:  # only these have signatures
            for other in learnings.alike(self._record.transaction, INSIGHT.signature(one.category.value, words)):
                kept.setdefault(other.state.no, other)
        return [_Near(other, self._compared(one, words, other, cosines.get(no))) for no, other in kept.items()]

    def _compared(
        self, one: InsightCandidate, words: InsightWording, other: LearningRow, cosine: float | None
    ) -> LearningComparison:
        categories = (one.category.value, other.state.category or "")
        return INSIGHT.compare(words, INSIGHT.words_of(other), categories, cosine)

    def _said_here(self, one: InsightCandidate, words: InsightWording) -> _Near | None:
        """What was learned here in nearly these words, and a person has put in others since."""
        for kept in self._of_conversation():
            if kept.state.status == Status.ACTIVE and kept.last.id != kept.first.id:
                verdict = self._compared(one, words, kept._replace(last=kept.first), None)
                if verdict.relation is Relation.SAME:
                    return _Near(kept, verdict)
        return None

    def _meets(self, old: LearningRow) -> bool:
        """What holds in one project does not contradict what holds in another."""
        project = self._origin.source.project
        return project is None or old.state.scope is None or old.state.scope == project

    # What becomes of it

    def _begin(self, draft: Draft, contrary: list[_Near]) -> Placed:
        self._append(self._opening(draft), *self._superseding(draft.id, draft.at, contrary))
        return Placed(draft.id, "new", contrary[0].kept.state.id if contrary else None)

    def _superseding(self, id: str, at: datetime, contrary: list[_Near]) -> list[Draft]:
        return [self._about(old.kept.state.id, SUPERSEDED, at, {"by": id}) for old in contrary]

    def _opening(self, draft: Draft) -> Draft:
        """What begins it, or brings it back."""
        return self._about(draft.id, RESTORED, self._now, {}) if draft.id in self._found_again else draft

    def _know(self, draft: Draft, judged: Judged, same: _Near) -> Placed:
        self.found.add(same.kept.state.id)
        if _outdated(same.kept, self._origin.extraction):
            self._reword(same.kept, draft, judged)
        return Placed(same.kept.state.id, "known", same.kept.state.id, same.verdict.reason)

    def _join(self, draft: Draft, judged: Judged, same: _Near, contrary: list[_Near]) -> Placed:
        """What it is merged into may come from another project, and now holds where something else had held."""
        state, verdict = same.kept.state, same.verdict
        self.found.add(state.id)
        proof = {"by": draft.id, "confidence": judged.confidence, "layer": verdict.layer}
        if state.scope is not None and state.scope != self._origin.source.project:
            proof["widens"] = True
        merged = {"into": state.id, "layer": verdict.layer, "similarity": round(verdict.similarity, 4)}
        self._append(
            self._opening(draft),
            self._about(draft.id, MERGED, draft.at, {**merged, "reason": verdict.reason}),
            self._about(state.id, CONFIRMED, draft.at, proof),
            *self._superseding(state.id, draft.at, contrary),
        )
        if _own_words(same.kept) and judged.confidence > same.kept.last.meta["quality"] + _BETTER:
            self._reword(same.kept, draft, judged)
        return Placed(draft.id, "merged", state.id, verdict.reason)

    def _yield_to(self, draft: Draft, judged: Judged, contrary: list[_Near]) -> Placed | None:
        """Recency decides, and evidence where there is more of it. None if nothing stands in its way."""
        firm = next((old for old in contrary if _is_later(old.kept, draft.at)), None)
        if firm is not None:
            self._append(self._opening(draft), self._about(draft.id, SUPERSEDED, draft.at, {"by": firm.kept.state.id}))
            return Placed(draft.id, "outdated", firm.kept.state.id, firm.verdict.reason)
        asked = next((old for old in contrary if _voices(old.kept) >= _FIRM and not _outranks(judged, old.kept)), None)
        if asked is not None:
            old = asked.kept.state.id
            self._append(self._opening(draft), self._about(draft.id, SUPERSEDED, draft.at, {"by": old}))
            self._propose(Act.REPLACE, (old, draft.id), asked.verdict.reason)
            return Placed(draft.id, "disputed", old, asked.verdict.reason)
        return None

    def _is_from_here(self, kept: LearningRow) -> bool:
        """Whether this conversation is among its proofs."""
        id = kept.state.id
        return any(
            id == (one.state.superseded_by if one.state.status == Status.MERGED else one.state.id)
            for one in self._of_conversation()
        )

    def _reword(self, kept: LearningRow, draft: Draft, judged: Judged) -> None:
        """The same in better words: a new version; the older ones stay in its history."""
        one = judged.candidate
        words = InsightWording(one.title, one.content)
        if (
            self._table.twin(self._record.transaction, INSIGHT, one.category.value, words, besides=kept.state.id)
            is not None
        ):
            return  # another one says so already
        meta = {
            "category": judged.candidate.category.value,
            "factors": [round(factor, 4) for factor in judged.factors],
            "quality": judged.confidence,
            "extraction": self._origin.extraction,
            "by": draft.id,
        }
        self._append(self._about(kept.state.id, EDITED, draft.at, meta)._replace(after_json=draft.after_json))

    def _propose(self, act: Act, learnings: tuple[str, ...], reason: str) -> None:
        draft = proposal.made(self._now, act, learnings, reason)
        if not self._store.log.known([draft.id]):
            self._append(draft)

    # Writing it down

    def _id(self, one: InsightCandidate) -> str:
        """The same whenever it is found in this conversation again."""
        canonical = INSIGHT.signature(one.category.value, InsightWording(one.title, one.content)).canonical
        said = f"{self._origin.source.conversation}\x1f{canonical}"
        return blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()

    def _draft(self, id: str, judged: Judged, at: datetime) -> Draft:
        one, origin = judged.candidate, self._origin
        meta: dict[str, Any] = {
            "category": one.category.value,
            "rule": one.rule or None,
            "project": origin.source.project,
            "quotes": [[quote.message, quote.role.value, quote.text] for quote in one.quotes],
            "summary": one.summary,
            "factors": [round(factor, 4) for factor in judged.factors],
            "quality": judged.confidence,
            "confidence": judged.confidence,
            "extraction": origin.extraction,
            "by": origin.by,
            "prompt": origin.prompts.get("rules" if one.rule else one.category.value),
        }
        draft = noted(
            EXTRACTED,
            at,
            actor=origin.actor,
            entity=Entity(CONVERSATION, origin.source.conversation),
            after={"title": one.title, "content": one.content, "tags": list(one.tags)},
            meta={name: value for name, value in meta.items() if value not in (None, "")},
        )
        return draft._replace(id=id, own_id=True)

    def _about(self, id: str, kind: str, at: datetime, meta: dict[str, Any]) -> Draft:
        return noted(kind, at, actor=self._origin.actor, entity=Entity(ENTITY, id), meta=meta)

    def _append(self, *drafts: Draft) -> None:
        self._record.append_new(drafts)

    @property
    def _now(self) -> datetime:
        return self._store.clock()


def _same(near: list[_Near]) -> _Near | None:
    same = [other for other in near if other.verdict.relation is Relation.SAME]
    return max(same, key=lambda other: other.verdict.similarity, default=None)


def _is_later(old: LearningRow, at: datetime) -> bool:
    return from_micros(old.state.renewed_at) > at


def _voices(old: LearningRow) -> int:
    state = old.state
    return 1 + state.confirmed + 2 * state.approved + max(0, state.rated_up - state.rated_down)


def _outranks(judged: Judged, old: LearningRow) -> bool:
    """What a person asked for outranks what was only observed, unless a person approved it."""
    return judged.candidate.rule and old.first.meta.get("rule") is not True and not old.state.approved


def _own_words(kept: LearningRow) -> bool:
    """Whether they are those of an extraction, and not a person's."""
    return "quality" in kept.last.meta and not kept.state.approved


def _outdated(kept: LearningRow, extraction: str) -> bool:
    return _own_words(kept) and not kept.state.confirmed and kept.last.meta.get("extraction") != extraction

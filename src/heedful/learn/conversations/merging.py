"""Merges a new insight with the known ones: it is new, a duplicate, or contradicts some.

A duplicate is merged into the older insight as evidence; the merge can be undone. Of two contradicting insights the
newer one is used, in whatever order their conversations are mined. If several people confirmed the older one, a person
decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from heedful.learn.conversations.quality import JudgedCandidate
from heedful.learnings.events import CONFIRMED, EDITED, ENTITY, EXTRACTED, MERGED, RESTORED, RETIRED, SUPERSEDED
from heedful.learnings.kind import LearningComparison, Relation
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.kinds.insight import INSIGHT, InsightWording
from heedful.learnings.overlaps import is_heard_as
from heedful.learnings.retracted import own_words
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

_LOCAL = "local"
_COMPARED = 20  # learnings that are near in words or meaning
_BETTER = 0.05  # how much better a wording must be to replace another
_HELD = (Status.ACTIVE, Status.POSSIBLE)
_REFUSED = 200  # corrections that were retired, the newest
_FIRM = 3  # confirmations from which on a person decides before a newer insight replaces it


class MergeResult(NamedTuple):
    """What became of an insight."""

    id: str
    how: str
    """new, possible, surer, settled, merged, known, waiting, outdated, disputed, unwanted, taken back, replaced or
    doubted"""
    other: str | None = None
    """What it was merged into, what it contradicts, or what it was replaced by."""
    reason: str = ""
    proposal: str | None = None
    """The id of the proposal that asks people."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The conversation and the extraction that insights come from."""

    source: Source
    actor: str | None
    extraction: str
    by: str
    prompts: Mapping[str, str]


class _Neighbour(NamedTuple):
    row: LearningRow
    comparison: LearningComparison
    cosine: float | None = None


class InsightMerger:
    """Merges the insights of one conversation, in the transaction that records them."""

    def __init__(self, store: Store, record: Recording, origin: Origin) -> None:
        self._store = store
        self._search = Search(store)
        self._table = LearningTable(store)
        self._record = record
        self._origin = origin
        self.found: set[str] = set()
        """The ids of the insights of this conversation, or of those they were merged into."""
        self._found_again: set[str] = set()
        """Those among them that an extraction in between had not found."""
        self._possible: set[str] = set()
        """Those among them that are not sure enough to be used."""

    def merge(self, judged: JudgedCandidate, at: datetime, meaning: Meaning | None) -> MergeResult:
        one = judged.candidate
        words = InsightWording(one.title, one.content, one.tags)
        id = self._id(one)
        self.found.add(id)
        if self._store.log.known([id]):
            if not self._was_missing(id):
                reason = "It was learned from this conversation before."
                return self._surer(id, judged) or MergeResult(id, "known", reason=reason)
            self._found_again.add(id)
        near = self._neighbours(one, words, meaning, Status.ACTIVE)
        unsure = self._neighbours(one, words, meaning, Status.POSSIBLE)
        draft = self._draft(id, judged, at)
        same = _same(near) or _same(unsure) or self._reworded_here(one, words)
        if same is not None and self._is_from_here(same.row):
            return self._known(draft, judged, same)
        if same is None and (unwanted := self._unwanted(one, words, meaning)) is not None:
            return MergeResult(id, "unwanted", unwanted.row.state.id, unwanted.comparison.reason)
        contrary = [
            other
            for other in near
            if other.comparison.relation is Relation.CONTRARY and self._shares_project(other.row)
        ]
        if not judged.kept:
            contrary = []  # what is not used replaces nothing
        elif same is not None and same.row.state.status == Status.ACTIVE and self._shares_project(same.row):
            contrary = []  # it has met them before
        if (outranked := self._outranked(draft, judged, contrary)) is not None:
            return outranked
        if same is not None:
            return self._merge_into(draft, judged, same, contrary)
        begun = self._begin(draft, contrary)
        return begun if begun.how != "new" or contrary else self._with_one_cause(begun, one, words, near)

    def said_again(self, judged: JudgedCandidate, at: datetime, meaning: Meaning | None) -> MergeResult | None:
        """What says again what is known is evidence of it, however faintly it is heard."""
        one = judged.candidate
        words, id = InsightWording(one.title, one.content, one.tags), self._id(one)
        if self._store.log.known([id]):
            return None
        found = (_same(self._neighbours(one, words, meaning, status)) for status in _HELD)
        same = next((other for other in found if other is not None), None)
        if same is None or self._is_from_here(same.row) or not self._shares_project(same.row):
            return None
        return self._merge_into(self._draft(id, judged, at), judged, same, [])

    def retire_missing(self) -> list[str]:
        """Retires insights of this conversation that are no longer found, unless somebody confirmed, rated, edited or
        approved them: an older extraction had found them, or the person refused them when the conversation went on."""
        gone = []
        for row in self._of_conversation():
            state = row.state
            cared = state.confirmed or state.rated_up or not own_words(row)
            if state.status not in _HELD or cared or state.id in self.found:
                continue
            if why := self._missing(row):
                gone.append(state.id)
                self._append(noted(RETIRED, self._now, entity=Entity(ENTITY, state.id), meta={"why": why}))
        return gone

    def _missing(self, row: LearningRow) -> str:
        """Why it is not found any more; empty if that means nothing, for a language model finds other things each
        time."""
        if row.last.meta.get("extraction") != self._origin.extraction:
            return f"Extraction {self._origin.extraction} does not find it."
        if row.first.meta.get("by") == _LOCAL:
            return "The conversation went on, and it does not hold any more."
        return ""

    def _of_conversation(self) -> list[LearningRow]:
        return self._table.begun_about(self._record.transaction, CONVERSATION, self._origin.source.conversation)

    # Candidates for a merge

    def _unwanted(self, one: InsightCandidate, words: InsightWording, meaning: Meaning | None) -> _Neighbour | None:
        """An insight that a person retired is not learned again, nor what they retired as a correction heard in
        this conversation."""
        same = _same(self._neighbours(one, words, meaning, Status.RETIRED)) or self._refused_correction(one)
        if same is None:
            return None
        return None if self._retired_unasked(same.row.state.id) else same

    def _refused_correction(self, one: InsightCandidate) -> _Neighbour | None:
        wanted = {"kind": CORRECTION.name, "status": Status.RETIRED.value}
        statement = f"{one.title}\n{one.content.get('what', '')}"
        for row in self._table.page(wanted, None, _REFUSED):
            said = CORRECTION.words_of(row)
            is_from_here = row.first.meta.get("session") == self._origin.source.conversation
            if is_from_here and said.said and is_heard_as(said.said, said.right, one.quotes, statement):
                return _Neighbour(
                    row, LearningComparison(Relation.SAME, "canonical", 1.0, "It was heard as a correction.")
                )
        return None

    def _was_missing(self, id: str) -> bool:
        row = self._table.get(id)
        return row is not None and row.state.status == Status.RETIRED and self._retired_unasked(id)

    def _retired_unasked(self, id: str) -> bool:
        """Retired by an extraction: not by a person, and not because outcomes were worse with it."""
        retired = [event for event in self._table.history(id) if event.kind == RETIRED]
        return not retired or (retired[-1].actor is None and retired[-1].meta.get("suspended") is not True)

    def _neighbours(
        self, one: InsightCandidate, words: InsightWording, meaning: Meaning | None, status: Status
    ) -> list[_Neighbour]:
        learnings = self._table
        wanted = {"kind": INSIGHT.name, "status": status.value}
        cosines: dict[int, float | None] = {}
        kept: dict[int, LearningRow] = {}
        for found in self._search.find(words.gist(), meaning, _COMPARED, wanted):
            kept[found.row.state.no] = found.row
            cosines[found.row.state.no] = found.cosine
        if status is Status.ACTIVE:  # only these have signatures
            mine = INSIGHT.signature(one.category.value, words, self._origin.source.project)
            for other in learnings.alike(self._record.transaction, mine):
                kept.setdefault(other.state.no, other)
        return [
            _Neighbour(other, self._compared(one, words, other, cosines.get(no)), cosines.get(no))
            for no, other in kept.items()
            if not self._is_apart(words, other)
        ]

    def _is_apart(self, words: InsightWording, other: LearningRow) -> bool:
        """What was said of `this project` in another one is about that one."""
        theirs = (INSIGHT.words_of(other), other.state.scope)
        return INSIGHT.are_apart((words, self._origin.source.project), theirs)

    def _compared(
        self, one: InsightCandidate, words: InsightWording, other: LearningRow, cosine: float | None
    ) -> LearningComparison:
        categories = (one.category.value, other.state.category or "")
        return INSIGHT.compare(words, INSIGHT.words_of(other), categories, cosine)

    def _reworded_here(self, one: InsightCandidate, words: InsightWording) -> _Neighbour | None:
        """An insight of this conversation that a person has reworded since."""
        for row in self._of_conversation():
            if row.state.status in _HELD and row.last.id != row.first.id:
                comparison = self._compared(one, words, row._replace(last=row.first), None)
                if comparison.relation is Relation.SAME:
                    return _Neighbour(row, comparison)
        return None

    def _shares_project(self, old: LearningRow) -> bool:
        """Insights of different projects do not contradict each other."""
        project = self._origin.source.project
        return project is None or old.state.scope is None or old.state.scope == project

    # Outcomes

    def _begin(self, draft: Draft, contrary: list[_Neighbour]) -> MergeResult:
        self._append(self._opening(draft), *self._superseding(draft.id, draft.at, contrary))
        how = "possible" if draft.id in self._possible else "new"
        return MergeResult(draft.id, how, contrary[0].row.state.id if contrary else None)

    def _with_one_cause(
        self, begun: MergeResult, one: InsightCandidate, words: InsightWording, near: list[_Neighbour]
    ) -> MergeResult:
        """The same cause broke something else: people are asked whether it is one. What another project found stays its
        own, and is shown with it (`learnings/root_causes.py`)."""
        for other in near:
            if not self._shares_project(other.row):
                continue
            categories = (one.category.value, other.row.state.category or "")
            if INSIGHT.have_one_cause(words, INSIGHT.words_of(other.row), categories, other.cosine):
                asked = self._propose(Act.MERGE, (other.row.state.id, begun.id), "They seem to have one cause.")
                return begun._replace(proposal=asked)
        return begun

    def _superseding(self, id: str, at: datetime, contrary: list[_Neighbour]) -> list[Draft]:
        return [self._about(old.row.state.id, SUPERSEDED, at, {"by": id}) for old in contrary]

    def _opening(self, draft: Draft) -> Draft:
        """The event that begins or restores it."""
        if draft.id not in self._found_again:
            return draft
        return self._about(draft.id, RESTORED, self._now, {"possible": True} if draft.id in self._possible else {})

    def _known(self, draft: Draft, judged: JudgedCandidate, same: _Neighbour) -> MergeResult:
        id = same.row.state.id
        self.found.add(id)
        surer = self._surer(id, judged)
        if _outdated(same.row, self._origin.extraction) or (surer is not None and own_words(same.row)):
            self._reword(same.row, draft, judged)
        return surer or MergeResult(id, "known", id, same.comparison.reason)

    def _surer(self, id: str, judged: JudgedCandidate) -> MergeResult | None:
        """The same words, heard more surely: by a language model, or by a better reader."""
        row = self._table.get(id)
        if row is None or row.state.status != Status.POSSIBLE or not judged.kept:
            return None
        self._append(self._about(id, RESTORED, self._now, {"confidence": judged.confidence}))
        return MergeResult(id, "surer")

    def _merge_into(
        self, draft: Draft, judged: JudgedCandidate, same: _Neighbour, contrary: list[_Neighbour]
    ) -> MergeResult:
        """The older insight may come from another project; then it applies in this one, too. A conversation without a
        project may have been held in the same one."""
        state, comparison = same.row.state, same.comparison
        self.found.add(state.id)
        proof = {"by": draft.id, "confidence": judged.confidence, "layer": comparison.layer}
        if state.scope is not None and self._origin.source.project not in (None, state.scope):
            proof["widens"] = True
        if judged.candidate.rule:
            proof |= {"rule": True, "project": self._origin.source.project}  # somebody said it again, and where
        merged = {"into": state.id, "layer": comparison.layer, "similarity": round(comparison.similarity, 4)}
        self._append(
            self._opening(draft),
            self._about(draft.id, MERGED, draft.at, {**merged, "reason": comparison.reason}),
            self._about(
                state.id, CONFIRMED, draft.at, {name: value for name, value in proof.items() if value is not None}
            ),
            *self._superseding(state.id, draft.at, contrary),
        )
        if own_words(same.row) and judged.confidence > same.row.last.meta["quality"] + _BETTER:
            self._reword(same.row, draft, judged)
        if state.status == Status.POSSIBLE and self._is_used(state.id):
            return MergeResult(state.id, "settled", reason=comparison.reason)
        return MergeResult(draft.id, "merged", state.id, comparison.reason)

    def _is_used(self, id: str) -> bool:
        row = self._table.get(id)
        return row is not None and row.state.status == Status.ACTIVE

    def _outranked(self, draft: Draft, judged: JudgedCandidate, contrary: list[_Neighbour]) -> MergeResult | None:
        """The result if a contradicting insight is newer or confirmed by several people; otherwise None."""
        firm = next((old for old in contrary if _is_later(old.row, draft.at)), None)
        if firm is not None:
            self._append(self._opening(draft), self._about(draft.id, SUPERSEDED, draft.at, {"by": firm.row.state.id}))
            return MergeResult(draft.id, "outdated", firm.row.state.id, firm.comparison.reason)
        asked = next(
            (old for old in contrary if _confirmations(old.row) >= _FIRM and not _outranks(judged, old.row)), None
        )
        if asked is not None:
            old = asked.row.state.id
            self._append(self._opening(draft), self._about(draft.id, SUPERSEDED, draft.at, {"by": old}))
            made = self._propose(Act.REPLACE, (old, draft.id), asked.comparison.reason)
            return MergeResult(draft.id, "disputed", old, asked.comparison.reason, made)
        return None

    def _is_from_here(self, row: LearningRow) -> bool:
        """Whether this conversation is part of its evidence."""
        id = row.state.id
        return any(
            id == (one.state.superseded_by if one.state.status == Status.MERGED else one.state.id)
            for one in self._of_conversation()
        )

    def _reword(self, row: LearningRow, draft: Draft, judged: JudgedCandidate) -> None:
        """A new version in better words; older versions stay in its history."""
        one = judged.candidate
        words = InsightWording(one.title, one.content)
        said, scope = (one.category.value, words), row.state.scope
        twin = self._table.twin(self._record.transaction, INSIGHT, *said, scope=scope, besides=row.state.id)
        if twin is not None:
            return  # another one has these words
        meta = {
            "category": judged.candidate.category.value,
            "factors": [round(factor, 4) for factor in judged.factors],
            "quality": judged.confidence,
            "extraction": self._origin.extraction,
            "by": draft.id,
        }
        self._append(self._about(row.state.id, EDITED, draft.at, meta)._replace(after_json=draft.after_json))

    def _propose(self, act: Act, learnings: tuple[str, ...], reason: str) -> str:
        draft = proposal.made(self._now, act, learnings, reason)
        if not self._store.log.known([draft.id]):
            self._append(draft)
        return draft.id

    # Events

    def _id(self, one: InsightCandidate) -> str:
        """Stable: the same when it is found in this conversation again."""
        canonical = INSIGHT.signature(one.category.value, InsightWording(one.title, one.content), None).canonical
        said = f"{self._origin.source.conversation}\x1f{canonical}"
        return blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()

    def _draft(self, id: str, judged: JudgedCandidate, at: datetime) -> Draft:
        one, origin = judged.candidate, self._origin
        if not judged.kept:
            self._possible.add(id)
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
            "possible": None if judged.kept else True,
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


def _same(near: list[_Neighbour]) -> _Neighbour | None:
    same = [other for other in near if other.comparison.relation is Relation.SAME]
    return max(same, key=lambda other: other.comparison.similarity, default=None)


def _is_later(old: LearningRow, at: datetime) -> bool:
    return from_micros(old.state.renewed_at) > at


def _confirmations(old: LearningRow) -> int:
    state = old.state
    return 1 + state.confirmed + 2 * state.approved + max(0, state.rated_up - state.rated_down)


def _outranks(judged: JudgedCandidate, old: LearningRow) -> bool:
    """A rule that a person stated outranks an observation that nobody approved."""
    return judged.candidate.rule and old.first.meta.get("rule") is not True and not old.state.approved


def _outdated(row: LearningRow, extraction: str) -> bool:
    return own_words(row) and not row.state.confirmed and row.last.meta.get("extraction") != extraction

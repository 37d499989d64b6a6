"""Records corrections: each becomes a new learning, or confirms a known one; see `contradictions.py` for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from uuid_utils import uuid7

from heedful.capture.contradictions import Contradictions
from heedful.capture.corrections.reported import CorrectionInput
from heedful.capture.corrections.taking_back import TakingBack
from heedful.capture.payload import bounded
from heedful.errors import Conflict
from heedful.learnings.audience import owner
from heedful.learnings.editing import write_edit
from heedful.learnings.events import CONFIRMED, ENTITY, REPORTED
from heedful.learnings.kind import Relation
from heedful.learnings.kinds.correction import CORRECTION, CorrectionWording
from heedful.learnings.outcomes import derive_outcome, given_context
from heedful.learnings.row import LearningRow
from heedful.learnings.search import Search
from heedful.learnings.table import NONE, LearningTable
from heedful.operations import caller, policy
from heedful.records.clock import aware
from heedful.records.embedding import Meaning, meanings
from heedful.records.event import Draft, Entity, Event
from heedful.records.json import decode, encode
from heedful.records.learning import Audience, Status
from heedful.records.outside import Outside
from heedful.records.privacy import Privacy
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.store.vectors import packed

_RELATED = 20  # learnings that a new one is compared with
_ELSEWHERE = {"voice": None, "about": None, "agent": None}  # facts that are compared in other ways, or not at all


class RecordedCorrection(NamedTuple):
    row: LearningRow
    known: bool
    """It was recorded before, and is now confirmed."""


def record(
    store: Store, outside: Outside, corrections: Sequence[CorrectionInput], *, first: int = 0
) -> list[RecordedCorrection]:
    """Writes corrections to the log, all or none. `first` numbers errors."""
    store.secret.load()
    privacy = store.privacy()
    wordings = [_storable_words(one, privacy) for one in corrections]
    known = meanings(outside.embedder, [words.gist() for words in wordings])
    found: Sequence[Meaning | None] = [None] * len(wordings) if known is None else known
    for words, meaning in zip(wordings, found, strict=True):
        if meaning is not None:
            LearningTable(store).prepare(meaning.embedder, words.gist(), packed(meaning.vector))
    with store.recording() as record:
        store.secret.check(record)
        writer = _CorrectionWriter(store, outside, record)
        return [
            writer.write(one, first + number, meaning)
            for number, (one, meaning) in enumerate(zip(corrections, found, strict=True))
        ]


class _CorrectionWriter:
    """Writes corrections as the privacy options allow, each compared with those before."""

    def __init__(self, store: Store, outside: Outside, record: Recording) -> None:
        self._store = store
        self._search = Search(store)
        self._table = LearningTable(store)
        self._contradictions = Contradictions(store, CORRECTION)
        self._taking_back = TakingBack(store, outside)
        self._record = record
        self._privacy = record.privacy

    def write(self, correction: CorrectionInput, number: int, meaning: Meaning | None) -> RecordedCorrection:
        draft = self._draft(correction)
        if correction.id is not None:
            known = self._store.log.known([correction.id]).get(correction.id)
            if known is not None:
                return self._repeated(known, correction, draft, number)
        words = _storable_words(correction, self._privacy)
        same, contrary = self._related(words, correction, meaning)
        same = same or self._contradictions.waiting(words, contrary)
        if same is not None:
            id = same.state.id
            confirmed = draft._replace(kind=CONFIRMED, entity=Entity(ENTITY, id), meta_json=_with_topic(draft))
            given_up = self._contradictions.withdrawn(draft, same, contrary)
            ended = self._taking_back.insights(correction, meaning, draft, id)
            self._append(confirmed, *given_up, *ended, of=correction)
            self._take_over(self._row(id), correction, draft)
            return RecordedCorrection(self._row(id), known=True)
        settled = self._contradictions.settled(draft, contrary)
        ended = self._taking_back.insights(correction, meaning, draft, draft.id)
        self._append(draft, *settled, *ended, of=correction)
        return RecordedCorrection(self._row(draft.id), known=False)

    def _take_over(self, known: LearningRow, new: CorrectionInput, said: Draft) -> None:
        """What a report on purpose says beside the words of a known one, which whoever reported it edits thereby."""
        one, state = CORRECTION.record(known), known.state
        changes: dict[str, Any] = {"always": True} if new.always and not one.always else {}
        if new.why not in ("", one.why):
            changes["why"] = new.why
        category = new.category if new.names_category else one.category
        is_new = bool(changes) or category is not one.category
        may_edit = caller.allows(policy.LearningPolicy.approve) or not state.approved
        if new.detected is not None or not is_new or not may_edit:
            return
        self._table.keep_vectors(self._record.transaction, [state.id])  # the situation stays the same
        edit = CORRECTION.edited(known, changes, category.value)
        write_edit(self._store, self._record, known, edit, said.at, said.actor or caller.actor())

    def _append(self, draft: Draft, *others: Draft, of: CorrectionInput) -> None:
        """With the outcome of the context that the AI had: somebody had to correct what came of it."""
        named = {"context": of.context, "unit": of.session, "speaker": of.actor}
        given = given_context(self._store, draft.at, **named)
        agent = None if given is None else given.meta.get("agent")
        if agent is not None:
            draft = draft._replace(meta_json=encode({**decode(draft.meta_json), "agent": agent}))
        said, *_ = self._record.append_new([draft, *others])
        if given is not None:
            derive_outcome(self._store, self._record, said, 0.0, context=given.id, output=of.output)

    def _repeated(self, known: Event, one: CorrectionInput, draft: Draft, number: int) -> RecordedCorrection:
        """An id that is known must come with the same words, person and topic."""
        if known.kind in (REPORTED, CONFIRMED) and self._is_repeat(known, one, draft):
            confirmed = known.kind == CONFIRMED and known.entity is not None
            row = self._row(known.entity.id if confirmed and known.entity else known.id)
            if one.about in (row.state.scope, CORRECTION.scope(row.first)):  # somebody may have moved it
                return RecordedCorrection(row, known=confirmed)
        taken = Conflict(
            f"The id {draft.id!r} is recorded already, with different content.",
            hint="Give a new correction a new id; to send the same again, send it unchanged.",
        )
        taken.item = number
        raise taken

    def _is_repeat(self, known: Event, one: CorrectionInput, draft: Draft) -> bool:
        """The key it comes with does not matter, and the topic is that of the learning."""
        actors = {one.actor} if one.actor is None else {one.actor, self._store.secret.person(one.actor)}
        return (
            (known.before_json, known.after_json) == (draft.before_json, draft.after_json)
            and {**known.meta, **_ELSEWHERE} == {**decode(draft.meta_json), **_ELSEWHERE}
            and known.actor in actors
            and one.at in (None, known.at)
        )

    def _related(
        self, words: CorrectionWording, new: CorrectionInput, meaning: Meaning | None
    ) -> tuple[LearningRow | None, list[LearningRow]]:
        """The learning that says the same, if any, and those that contradict it; of the same topic and audience."""
        same, contrary = None, list[LearningRow]()
        wanted = {
            "kind": CORRECTION.name,
            "status": Status.ACTIVE.value,
            "scope": NONE if new.about is None else new.about,
            "owner": self._owner(new),
        }
        for row in self._near(words, wanted):
            categories = (new.category.value, row.state.category or "")
            relation = CORRECTION.compare(words, CORRECTION.words_of(row), categories).relation
            if relation is Relation.SAME:
                same = same or row
            if relation is Relation.CONTRARY:
                contrary.append(row)
        replaced = self._taking_back.corrections(new, meaning, self._owner(new))
        known = {row.state.id for row in contrary} | ({same.state.id} if same is not None else set())
        return same, [*contrary, *(row for row in replaced if row.state.id not in known)]

    def _near(self, words: CorrectionWording, wanted: Mapping[str, str | None]) -> list[LearningRow]:
        """What has the same words, then what was said about the same question."""
        found = self._search.in_words_of(words, _RELATED, wanted)
        about = words._replace(wrong="", right="", said=words.query or words.context)
        if about.said:
            found += self._search.in_words_of(about, _RELATED, wanted)
        return list({one.row.state.id: one.row for one in found}.values())

    def _owner(self, one: CorrectionInput) -> str:
        return owner(self._store, one.actor) if one.audience is Audience.ME else NONE

    def _draft(self, one: CorrectionInput) -> Draft:
        actor = one.actor
        if actor is not None and self._privacy.anonymize_users:
            actor = self._store.secret.person(actor)
        words = _storable_words(one, self._privacy)
        voice = caller.voice(one.actor)
        meta = {
            "voice": None if voice in (None, one.actor) else self._store.secret.person(voice),
            "category": one.category.value,
            "severity": round(one.severity, 3),
            "confidence": round(one.confidence, 4),
            "why": words.why,
            "query": words.query,
            "context": one.sentence if self._privacy.store_original_text else "",
            "said": one.said if self._privacy.store_original_text else "",
            "fixed": words.fixed,
            "understood": words.understood,
            "opening": words.opening,
            "occasions": list(words.occasions),
            "session": one.session,
            "detected": one.detected,
            "unanswered": one.unanswered,
            "always": one.always or None,
            "owner": self._owner(one),
        }
        return Draft(
            one.id or str(uuid7()),
            REPORTED,
            one.at or aware(self._store.clock()),
            actor,
            None if one.about is None else Entity("topic", one.about),
            None,
            *bounded(
                {"wrong": words.wrong} if words.wrong else {},
                {"right": words.right} if words.right else {},
                {name: value for name, value in meta.items() if value not in (None, "", [])},
            ),
            own_id=one.id is not None,
            own_time=one.at is not None,
        )

    def _row(self, id: str) -> LearningRow:
        found = self._table.get(id) or self._table.folded(id)
        assert found is not None  # it was written just now
        return found


def _storable_words(one: CorrectionInput, privacy: Privacy) -> CorrectionWording:
    """The words that may be stored: always those of the correction, but not always the query."""
    if privacy.store_original_text:
        return one.words
    return one.words._replace(query="", said="", context="", fixed="", understood="", opening="", occasions=())


def _with_topic(draft: Draft) -> str:
    """The facts of a confirmation, whose entity is the learning and not the topic."""
    return draft.meta_json if draft.entity is None else encode({**decode(draft.meta_json), "about": draft.entity.id})

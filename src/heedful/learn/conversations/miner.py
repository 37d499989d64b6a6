"""Mines one conversation: reads its messages, extracts insights and records them exactly once.

All results are written in one transaction, together with the last message and the version of the extraction. A worker
can be killed at any time, and two workers can mine the same conversation: it has the effect of mining it once.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from heedful.errors import NotFound, ProviderError
from heedful.learn.conversations.exam import exam_id, examined
from heedful.learn.conversations.fates import fates
from heedful.learn.conversations.marks import Marks
from heedful.learn.conversations.merging import InsightMerger, MergeResult, Origin
from heedful.learn.conversations.pipeline import Case, run, unanswered
from heedful.learn.conversations.quality import JudgedCandidate
from heedful.learn.conversations.sessions import HeardRetraction, shares
from heedful.learn.conversations.taking_back import TakingBack
from heedful.learn.conversations.verdicts import Verdicts
from heedful.learnings.content import shortened
from heedful.learnings.kinds.insight import INSIGHT, InsightWording
from heedful.learnings.search import Search
from heedful.learnings.table import LearningTable
from heedful.records import mining
from heedful.records.clock import aware
from heedful.records.embedding import Meaning, meanings
from heedful.records.event import Entity, Event, EventFilter, noted
from heedful.records.insight import InsightCategory, Quote
from heedful.records.language import LanguageModel
from heedful.records.learning import Status
from heedful.records.mining import Mined, MiningOutcome, MiningStep, message_of, mined_of, source_of, template
from heedful.records.outside import Outside
from heedful.records.transcript import Message, Source, Speaker, Transcript
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.store.vectors import packed
from heedful.text.terms import terms

if TYPE_CHECKING:
    from heedful.learn.conversations.model_extraction import ModelExtractor

EXTRACTION = "10"
"""The version of the extraction. Conversations mined by an older version can be mined again."""

_MOST_MESSAGES = 6_000  # the last ones of an endless conversation
_PAGE = 1_000
_FEW, _SHARED = 5, 2  # learnings, and terms in common
_FINDINGS = 40
_SAYS = 240


@dataclass(frozen=True, slots=True)
class _Recorded:
    source: Source
    actor: str | None
    messages: tuple[Message, ...]
    through: str
    """The id of the last message."""


class _Placed(NamedTuple):
    """A candidate, and what became of it."""

    judged: JudgedCandidate
    result: MergeResult

    @property
    def holds(self) -> bool:
        return self.result.how in _LEARNED

    def quotes(self, sentence: Quote) -> bool:
        return any(shares(quote, sentence) for quote in self.judged.candidate.quotes)

    def said(self, messages: Mapping[str, Message]) -> HeardRetraction | None:
        """Where a person said it: what holds from now on may end something, in whatever words."""
        quote = self.judged.candidate.quotes[0]
        at = messages[quote.message].text.find(quote.text) if quote.message in messages else -1
        if quote.role is not Speaker.USER or at < 0:
            return None
        return HeardRetraction(quote.message, (at, at + len(quote.text)))


class Miner:
    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._search = Search(store)
        self._outside, self._embedder, self._reader = outside, outside.embedder, outside.reader
        self._model = None if outside.language is None else _model(outside.language, outside.prompts)

    def mine(self, conversation: str) -> Mined:
        """The outcome; if no message was added since it was last mined, the outcome of that time."""
        started = time.monotonic()
        recorded = self._recorded(conversation)
        id = self._id(recorded, mining.LOCAL if self._model is None else self._model.language.name)
        known = self._store.log.get(id)
        if known is not None:
            return mined_of(known)
        transcript = Transcript(recorded.source, recorded.messages)
        case = self._begun(Case(transcript, self._reader, verdicts=self._verdicts()))
        case = run(case)
        if case.unanswered:
            id = self._id(recorded, mining.LOCAL)  # so that the model is asked next time
        faint = case.faint
        vectors = self._prepared(case.insights, faint)
        with self._store.recording() as record:
            there = self._store.log.known([id, recorded.through])
            if id in there:  # another worker was faster, or the model failed again
                return replace(mined_of(there[id]), unanswered=case.unanswered)
            if recorded.through not in there:
                raise _missing(conversation)  # it was deleted meanwhile
            prompts = {one.prompt: f"{one.variant}@{one.digest}" for one in case.askings}
            origin = Origin(recorded.source, recorded.actor, EXTRACTION, case.by, prompts)
            merger = InsightMerger(self._store, record, origin)
            said = {message.id: message for message in recorded.messages}
            last = recorded.messages[-1].at or self._store.clock()
            placed: list[_Placed] = []
            for number, (one, meaning) in enumerate(zip((*case.insights, *faint), vectors, strict=True)):
                merge = merger.merge if number < len(case.insights) else merger.said_again
                if (result := merge(one, _message_time(one, said) or last, meaning)) is not None:
                    placed.append(_Placed(one, self._waiting(result)))
            results = [one.result for one in placed]
            became = fates(case, results)
            disputed = {one.other for one in results if one.how == "disputed" and one.other is not None}
            back = TakingBack(self._store, record, origin, self._outside, disputed)
            results += self._taken_back(back, case, placed, said, last)
            retired = merger.retire_missing()
            event = self._record_outcome(
                record, id, recorded, case, results, retired, became, time.monotonic() - started
            )
        return mined_of(event)

    def _begun(self, case: Case) -> Case:
        """With the language model, if there is one and it answers."""
        if self._model is None:
            return case
        try:
            model = replace(self._model, marks=self._marks(self._model))
        except ProviderError as error:
            return unanswered(case, mining.EXAM, error)
        return replace(case.found(mining.EXAM, str(model.marks)), model=model)

    def _marks(self, model: ModelExtractor) -> Marks:
        """Of the exam, which is held once for each model and its prompts."""
        id = exam_id(model)
        known = self._store.log.get(id)
        if known is None:
            marks = examined(model)
            draft = noted(
                mining.EXAMINED,
                self._store.clock(),
                entity=Entity(mining.MODEL, model.language.name),
                meta=marks._asdict(),
            )
            with self._store.recording() as record:
                if id in (there := self._store.log.known([id])):  # another worker was faster
                    known = there[id]
                else:
                    known = record.append([draft._replace(id=id, own_id=True)])[0]
        return Marks(*(known.meta[name] for name in Marks._fields))

    def is_done(self, mined: Mined) -> bool:
        """Whether this extraction and model have mined it."""
        by = mining.LOCAL if self._model is None else self._model.language.name
        return mined.version == EXTRACTION and mined.by == by

    def _recorded(self, conversation: str) -> _Recorded:
        entity = Entity(mining.ENTITY, conversation)
        start = self._store.log.page(EventFilter(kind=mining.STARTED, entity=entity), None, 1)
        said = self._message_events(entity)
        if not said:
            raise _missing(conversation)
        source = source_of(start[0]) if start else Source(conversation, "unknown")
        actor = start[0].actor if start else None
        return _Recorded(source, actor, tuple(map(self._message, said)), said[-1].id)

    def _message(self, event: Event) -> Message:
        message, mark = message_of(event), template(event)
        if mark is None or self._store.projections.count_of(mining.PROJECTION, mining.TEMPLATES, mark) < mining.OFTEN:
            return message
        return replace(message, role=Speaker.SYSTEM)

    def _message_events(self, entity: Entity) -> list[Event]:
        """The last messages: of a very long conversation the end counts."""
        found: list[Event] = []
        previous: int | None = None
        while len(found) < _MOST_MESSAGES:
            wanted = EventFilter(kind=mining.SAID, entity=entity, newest_first=True)
            page = self._store.log.page(wanted, previous, _PAGE)
            found += page
            if len(page) < _PAGE:
                break
            previous = page[-1].seq
        return found[::-1]

    def _verdicts(self) -> dict[InsightCategory, Verdicts]:
        found = self._table.verdicts(INSIGHT.name, INSIGHT.initial_confidence)
        return {one: Verdicts(*found[one.value]) for one in InsightCategory if one.value in found}

    def _id(self, recorded: _Recorded, by: str) -> str:
        said = "\x1f".join((recorded.source.conversation, recorded.through, EXTRACTION, by))
        return f"mined/{blake2b(said.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"

    def _waiting(self, result: MergeResult) -> MergeResult:
        """What is known, and not decided yet, still waits for a person."""
        row = self._table.get(result.id) if result.how == "known" else None
        is_possible = row is not None and row.state.status == Status.POSSIBLE
        return result._replace(how="waiting") if is_possible else result

    def _taken_back(
        self,
        back: TakingBack,
        case: Case,
        placed: Sequence[_Placed],
        said: Mapping[str, Message],
        last: datetime,
    ) -> list[MergeResult]:
        """What this conversation takes back of others, and later ones of this."""
        taken: list[MergeResult] = []
        flagged = case.session.retractions
        learned = (span for one in placed if one.holds and (span := one.said(said)) is not None)
        for one in (*flagged, *(one for one in learned if not any(map(one.overlaps, flagged)))):
            message = said[one.message]
            sentence = Quote(one.message, Speaker.USER, message.text[slice(*one.sentence)])
            instead = (each.result.id for each in placed if each.holds and each.quotes(sentence))
            taken += back.take_back(one, message.text, message.at or last, next(instead, None))
        begun = [one.result.id for one in placed if one.result.how in _BEGUN]
        return [*taken, *back.taken_back_later(begun)]

    def _prepared(self, insights: Sequence[JudgedCandidate], faint: Sequence[JudgedCandidate]) -> list[Meaning | None]:
        """Embeds before the transaction, which should be short. What is heard faintly counts only if it says again what
        is known, so it needs a vector only if it has words of that."""
        return [
            *self._embedded(insights),
            *(self._embedded([one])[0] if self._has_known_words(one) else None for one in faint),
        ]

    def _has_known_words(self, judged: JudgedCandidate) -> bool:
        said = frozenset(terms(judged.candidate.title))
        found = (
            hit
            for status in (Status.ACTIVE, Status.POSSIBLE)
            for hit in self._search.find(
                judged.candidate.title, None, _FEW, {"kind": INSIGHT.name, "status": status.value}
            )
        )
        return any(len(said & frozenset(INSIGHT.words_of(hit.row).own_terms())) >= _SHARED for hit in found)

    def _embedded(self, judged: Sequence[JudgedCandidate]) -> list[Meaning | None]:
        gists = [_words(one).gist() for one in judged]
        found = meanings(self._embedder, gists) if gists else []
        if found is None:
            return [None] * len(gists)
        for gist, meaning in zip(gists, found, strict=True):
            self._table.prepare(meaning.embedder, gist, packed(meaning.vector))
        return list(found)

    def _record_outcome(
        self,
        record: Recording,
        id: str,
        recorded: _Recorded,
        case: Case,
        results: list[MergeResult],
        retired: list[str],
        became: list[str],
        seconds: float,
    ) -> Event:
        findings = [*case.findings, *(_finding(one) for one in results)]
        findings += [MiningStep("versions", f"{id} is not found any more, and retired") for id in retired]
        taken_back = [one.id for one in results if one.how in ("taken back", "replaced")]
        taken_back += [one.other for one in results if one.how == "new" and one.other is not None]
        learned = [one.id for one in results if one.how in _LEARNED and one.id not in taken_back]
        confirmed = [one.other for one in results if one.how == "merged" and one.other is not None]
        proposals = list(dict.fromkeys(one.proposal for one in results if one.proposal is not None))
        outcome = (
            (learned and MiningOutcome.LEARNED)
            or (proposals and MiningOutcome.DISPUTED)
            or (taken_back and MiningOutcome.TAKEN_BACK)
            or (confirmed and MiningOutcome.KNOWN)
            or case.outcome
            or MiningOutcome.KNOWN
        )
        meta: dict[str, Any] = {
            "tool": recorded.source.tool,
            "project": recorded.source.project,
            "title": recorded.source.title,
            "messages": len(recorded.messages),
            "until": _last_time(recorded.messages),
            "outcome": outcome.value,
            "version": EXTRACTION,
            "by": case.by,
            "unanswered": case.unanswered,
            "value": round(case.value, 4),
            "categories": [one.category.value for one in case.detected],
            "prompts": sorted({(one.prompt, f"{one.variant}@{one.digest}") for one in case.askings}),
            "findings": [{"step": one.step, "says": shortened(one.says, _SAYS)} for one in findings[:_FINDINGS]],
            "became": became,
            "learned": learned,
            "confirmed": confirmed,
            "possible": [one.id for one in results if one.how in _POSSIBLE and one.id not in taken_back],
            "taken_back": taken_back,
            "proposals": proposals,
            "duplicates": sum(1 for one in results if one.how in ("merged", "known", "waiting")),
            "seconds": round(seconds, 4),
        }
        draft = noted(
            mining.MINED,
            aware(self._store.clock()),
            actor=recorded.actor,
            entity=Entity(mining.ENTITY, recorded.source.conversation),
            meta={name: value for name, value in meta.items() if value not in (None, "")},
        )
        return record.append([draft._replace(id=id, own_id=True)])[0]


def _model(language: LanguageModel, prompts: Path | None) -> ModelExtractor:
    from heedful.learn.conversations.model_extraction import ModelExtractor  # noqa: PLC0415 - pydantic is an extra

    return ModelExtractor(language, prompts)


def _missing(conversation: str) -> NotFound:
    return NotFound(
        f"There is no conversation {conversation!r} here.",
        hint="Check its id with `heedful conversations list`, or record it first.",
    )


def _last_time(messages: Sequence[Message]) -> str | None:
    last = next((message.at for message in reversed(messages) if message.at is not None), None)
    return None if last is None else last.isoformat()


def _words(judged: JudgedCandidate) -> InsightWording:
    one = judged.candidate
    return InsightWording(one.title, one.content, one.tags)


def _message_time(judged: JudgedCandidate, said: Mapping[str, Message]) -> datetime | None:
    times = (said[quote.message].at for quote in judged.candidate.quotes if quote.message in said)
    return next((at for at in times if at is not None), None)


def _finding(results: MergeResult) -> MiningStep:
    if results.how == "new" and results.other is None:
        return MiningStep("place", f"{results.id} is new")
    # The reason of a contradiction quotes both, and one of them may be deleted later.
    reason = f" ({results.reason})" if results.reason and results.how in _EXPLAINED else ""
    return MiningStep("place", f"{results.id} is {_HOW[results.how]} {results.other or ''}".rstrip() + reason)


_BEGUN = ("new", "possible")
_POSSIBLE = ("possible", "waiting")
_EXPLAINED = ("merged", "known", "waiting", "unwanted")
_LEARNED = ("new", "surer", "settled")
_HOW = {
    "new": "new, and supersedes",
    "possible": "not sure enough to be used",
    "surer": "heard more surely, and used from now on",
    "settled": "said often enough, and used from now on",
    "merged": "evidence for",
    "known": mining.KNOWN_ALREADY,
    "waiting": f"{mining.KNOWN_ALREADY}, and for a person to decide",
    "outdated": "older than, and contrary to",
    "disputed": "contrary to what people stand behind; they are asked about",
    "unwanted": "what somebody took out of use as",
    "taken back": "taken back, and out of use",
    "replaced": "out of use, and replaced by",
    "doubted": "perhaps taken back; people are asked about it",
}

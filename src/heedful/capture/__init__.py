"""Capture: records what people did and said as events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from uuid_utils import uuid7

from heedful.capture import reviews
from heedful.capture import suggestions as fixes
from heedful.capture.conversations import recording as conversations
from heedful.capture.conversations.importing import ImportResult, TranscriptImporter
from heedful.capture.conversations.recording import ConversationRecorder
from heedful.capture.conversations.transcripts import UnreadableFile, files
from heedful.capture.corrections import recording as corrections
from heedful.capture.corrections import reported
from heedful.capture.corrections.messages import MessageCapture, MessageInput
from heedful.capture.corrections.rereading import CorrectionRereading, RereadingOutcome
from heedful.capture.documents import DocumentCapture
from heedful.capture.payload import bounded
from heedful.capture.shapes import require_shape
from heedful.errors import Closed, Conflict, Forbidden, HeedfulError, InvalidInput, Misconfigured, NotFound, StoreError
from heedful.learnings.events import LEARNING_EVENTS, REPORTED
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.reviews import ReviewLog
from heedful.operations import caller, policy
from heedful.operations.caller import Caller
from heedful.operations.operation import operation, operation_of
from heedful.operations.toolset import ToolSet
from heedful.records import names
from heedful.records.clock import Time, aware, moment
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.correction import AnyCategory, Correction, Detection, MessageResult
from heedful.records.document import OWN_KINDS as DOCUMENT_KINDS
from heedful.records.event import Draft, Entity, EntityPair, Event, EventFilter, EventReceipt
from heedful.records.json import Json
from heedful.records.learning import AnyAudience, Audience
from heedful.records.lines import act
from heedful.records.mining import EXAMINED, OWN_KINDS, SAID, Received
from heedful.records.names import Count, Kind, Name, Share, identifier
from heedful.records.outcome import OUTCOME_REPORTED
from heedful.records.outside import Outside
from heedful.records.proposal import KINDS as PROPOSAL_KINDS
from heedful.records.review import AnyReviewDecision, Review
from heedful.records.suggestion import LEARNING_KINDS, AnyDecision
from heedful.records.tier import Tier
from heedful.records.transcript import Source
from heedful.store import Store
from heedful.text.checks import checked_text

if TYPE_CHECKING:
    from os import PathLike

_LOG = logging.getLogger(__name__)

T = TypeVar("T")
_CHUNK = 10_000
_LOOKED_AT_TOGETHER = 32
_CORRECTIONS = 200  # at once, each compared with what is known
_RESERVED = "AUDIT_"
_OF_CONTEXTS = (CONTEXT_GIVEN, OUTCOME_REPORTED)
_OWN_KINDS = frozenset((*LEARNING_EVENTS, *OWN_KINDS, EXAMINED, *PROPOSAL_KINDS, *DOCUMENT_KINDS, *_OF_CONTEXTS)) - {
    REPORTED
}

Item = Mapping[str, Any] | bytes
"""The arguments of `event`, or a line of JSON that holds them."""


class Capture(DocumentCapture):
    """`loop.capture`: records what happened. Whatever a call returned for is on disk."""

    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside

    @operation(
        "POST /events",
        policy.EventPolicy.record,
        example={
            "kind": "MAPPING_CONFIRMED",
            "actor": "dana",
            "entity": {"kind": "sku_mapping", "id": "ABC-123"},
            "before": {"sku": "INT-998"},
            "after": {"sku": "INT-999"},
            "id": "order-4711-line-2",
        },
        errors=(Conflict,),
        creates=True,
        tool="record_event",
        together="record",
    )
    def event(
        self,
        kind: Kind,
        *,
        actor: Name | None = None,
        entity: EntityPair | None = None,
        layout: Name | None = None,
        before: Json | None = None,
        after: Json | None = None,
        meta: Json | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Event:
        """Record one event, with the counters it changes and the jobs it queues, in one transaction.

        With an `id` of your own, recording the same event again changes nothing and returns the first one.
        """
        _refuse_reserved(kind, caller.current())
        draft = self.draft(
            kind, actor=actor, entity=entity, layout=layout, before=before, after=after, meta=meta, at=at, id=id
        )
        return self._store.record([draft])[0]

    @operation(
        "POST /corrections",
        policy.CorrectionPolicy.record,
        example={
            "wrong": "Deploy with `make ship`.",
            "right": "Deploy with `make release`; `ship` is gone.",
            "why": "The target was renamed in March.",
            "about": "deployment",
            "actor": "dana",
        },
        errors=(Conflict, InvalidInput),
        creates=True,
        tool="report_correction",
        tools=ToolSet.AGENTS,
    )
    def correction(
        self,
        wrong: str = "",
        right: str = "",
        *,
        why: str | None = None,
        query: str | None = None,
        sentence: str | None = None,
        about: Name | None = None,
        session: Name | None = None,
        context: Name | None = None,
        actor: Name | None = None,
        category: AnyCategory | None = None,
        severity: Share | None = None,
        confidence: Share | None = None,
        always: bool = False,
        audience: AnyAudience = Audience.TEAM,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Correction:
        """Report that a person corrected an output of an AI.

        Call it whenever someone says "no, not like that". Quote only the words that were wrong, and write those that
        replace them; `why` is the reason if they gave one, `query` what the AI had been asked, `sentence` the one that
        was wrong, `about` the topic, agent or rule. `context` is the id of the context that the AI had, by default the
        last one of the `session`: its outcome is a failure. `always` says that it holds beyond this question: a name, a
        preference, a rule. With the `audience` me it is given back to its `actor` only (without one, to the caller's
        key), otherwise to the whole team.

        A known correction is confirmed by it, and takes over what is new: that it holds `always`, another `why`, a
        `category` that is named. That is an edit by the `actor`; what is approved stays as it is unless the caller may
        approve. A contrary one of the same person is superseded; between people somebody
        decides (`govern.proposals`), and both are `contradicted_by` each other until then.
        """
        checked = reported.checked(
            wrong,
            right,
            why=why,
            query=query,
            sentence=sentence,
            about=about,
            session=session,
            context=context,
            actor=actor,
            category=category,
            severity=severity,
            confidence=confidence,
            always=always,
            audience=audience,
            at=at,
            id=id,
        )
        return CORRECTION.record(corrections.record(self._store, self._outside, [checked])[0].row)

    def corrections(self, items: Iterable[Mapping[str, Any]]) -> int:
        """Record many corrections, each a mapping with the arguments of `correction`; return their number.

        They are written in chunks of some hundred, each all or nothing. If one is refused, the chunks before it stay.
        """
        if self._store.remote is not None:
            return sum(1 for item in items if self.correction(**item))
        caller.require(policy.CorrectionPolicy.record)
        clean = partial(_CORRECTION.redacted, self._store)
        done, source = 0, iter(items)
        while chunk := list(islice(source, _CORRECTIONS)):
            checked = [reported.checked_item(item, done + number, clean) for number, item in enumerate(chunk)]
            done += len(corrections.record(self._store, self._outside, checked, first=done))
        return done

    @operation(
        "POST /detections",
        policy.CorrectionPolicy.detect,
        example={
            "message": "Actually it should return nil, not an error",
            "last_output": "The function returns an error when the input is empty.",
        },
        errors=(InvalidInput,),
        redact=False,
    )
    def detect(self, message: str, *, last_output: str, query: str | None = None) -> Detection:
        """Detect whether a message corrects the output before it, and what it corrects. Stores nothing.

        `query` is what the AI had been asked.
        """
        return self._messages.detect(message, last_output, query).detection

    @operation(
        "POST /messages",
        policy.CorrectionPolicy.record,
        example={
            "message": "Actually it should return nil, not an error",
            "last_output": "The function returns an error when the input is empty.",
            "query": "What does parse() return?",
            "session": "chat-17",
            "actor": "dana",
        },
        errors=(Conflict, InvalidInput),
        creates=True,
    )
    def message(
        self,
        message: str,
        *,
        last_output: str,
        query: str | None = None,
        session: Name | None = None,
        context: Name | None = None,
        about: Name | None = None,
        actor: Name | None = None,
        audience: AnyAudience = Audience.TEAM,
        at: Time | None = None,
        id: Name | None = None,
    ) -> MessageResult:
        """Check a message to an AI for a correction of its last output, and record the correction if there is one.

        Send every message; most are no corrections and are not stored. `query` is what the AI had been asked, `context`
        the id of the context it had, by default the last one of the `session`: a correction is its failure. With the
        `audience` me, a correction is given back to its `actor` only.
        """
        told = MessageInput(message, last_output, query, session, about, actor, at, id, audience, context)
        return self._messages.record(told)

    def reread(self, correction: str) -> RereadingOutcome:
        """Ask the language model about a correction that only the local reader has read; what it understands is
        recorded as an edit. Workers do it where the model did not answer at the time."""
        caller.owner_only("read corrections again")
        rereading = CorrectionRereading(self._store, self._outside)
        return rereading.read(identifier(correction, "correction"))

    def reread_all(self) -> int:
        """Queue the corrections that only the local reader has read, for example from before there was a language
        model; returns how many. Those that people edited or approved stay as they are."""
        caller.owner_only("read corrections again")
        return CorrectionRereading(self._store, self._outside).queue()

    @operation(
        "POST /conversations",
        policy.ConversationPolicy.record,
        example={
            "id": "chat-17",
            "messages": [
                {"role": "user", "text": "The build fails with a missing module."},
                {"role": "assistant", "text": "The cause is a stale cache: clear it with `make clean`."},
                {"role": "user", "text": "That was it. Always run make clean after changing the lock file."},
            ],
            "tool": "support-bot",
            "project": "shop",
        },
        errors=(Forbidden, InvalidInput),
        creates=True,
        redact=False,
    )
    def conversation(
        self,
        messages: Sequence[Json],
        *,
        id: Name,
        tool: Name = "api",
        project: Name | None = None,
        title: str | None = None,
        complete: bool = True,
        actor: Name | None = None,
    ) -> Received:
        """Record a conversation with an AI, whole or in parts; once it is complete, it is mined.

        Each message has a `role` (user, assistant, tool, system) and a `text`; it may have an `id`, a time `at`, and
        `tools`, a list of name and input, which is a text or an object. Messages in the format of language model APIs
        are accepted, with `content` in parts and `tool_calls`. Secrets and personal data are redacted before anything
        is stored. Repeated messages are ignored; in parts, give each message an id. `actor` is the person.
        """
        parsed = conversations.parse_messages(messages)
        source = Source(
            identifier(id, "id"),
            identifier(tool, "tool"),
            None if project is None else identifier(project, "project"),
            None if title is None else checked_text(title, "title", conversations.TEXT_LIMIT),
        )
        if not isinstance(complete, bool):
            raise InvalidInput(f"complete is {complete!r}.", hint="Pass true or false.")
        recorder = ConversationRecorder(self._store, actor=None if actor is None else identifier(actor, "actor"))
        return recorder.record(recorder.batch(source, parsed, complete=complete))

    @operation(
        "POST /conversations/{id}/completion",
        policy.ConversationPolicy.record,
        example={"id": "chat-17"},
        errors=(Forbidden, NotFound),
    )
    def complete(self, id: Name) -> Received:
        """Mark a conversation that was recorded in parts as complete, so that it is mined."""
        entity = Entity("conversation", identifier(id, "id"))
        if not self._store.log.page(EventFilter(kind=SAID, entity=entity), None, 1):
            raise NotFound(f"There is no conversation {id!r} here.", hint="Hand in its messages first.")
        return Received(entity.id, 0, 0, ConversationRecorder(self._store).complete(entity.id))

    def transcripts(
        self,
        *paths: str | PathLike[str],
        actor: str | None = None,
        progress: Callable[[int, int], object] = lambda *_: None,
        skipped: Callable[[UnreadableFile], object] = lambda _: None,
    ) -> ImportResult:
        """Import files and folders of conversations as AI tools store them, and queue new ones for mining.

        Secrets and personal data are redacted before anything is stored. Importing a file again adds only what is new,
        and an interrupted import continues where it stopped. `progress` gets the bytes done and in all, `skipped` each
        file that could not be read; the others are imported.
        """
        if self._store.remote is not None:
            hint = "Read them where the database is, or hand them in with `capture.conversation`."
            raise InvalidInput("Files cannot be read through a server.", hint=hint)
        caller.owner_only("read files")
        result = ImportResult()
        found = [one for path in paths for one in files(Path(path).expanduser(), skipped, result.pass_over)]
        total, done = sum(_size(path) for path, _ in found), 0

        raised: BaseException | None = None

        def advance(more: int) -> None:
            nonlocal done, raised
            done += more
            try:
                progress(done, total)
            except BaseException as error:
                raised = error  # the caller's own, which no file is to blame for
                raise

        recorder = ConversationRecorder(self._store, actor=None if actor is None else identifier(actor, "actor"))
        importer = TranscriptImporter(self._store, recorder, advance, result)
        for path, reader in dict(found).items():
            try:
                importer.import_file(path, reader)
            except (StoreError, Closed, Misconfigured):
                raise  # no file of the others could be read either
            except Exception as error:
                if error is raised:
                    raise
                _LOG.warning("a file of conversations is set aside: %s", type(error).__name__)
                skipped(UnreadableFile(path, _why_not(error)))  # whatever it holds, those beside it are read
        return importer.result

    @property
    def _messages(self) -> MessageCapture:
        return MessageCapture(self._store, self._outside)

    @operation(
        "POST /reviews",
        policy.ReviewPolicy.record,
        example={
            "agent": "coder",
            "decision": "APPROVED_WITH_CHANGES",
            "gate": "HITL-2",
            "task": "T-7",
            "reviewer": "lee",
            "output": "db.insert(form)",
            "diff": "@@ -1 +1 @@\n-db.insert(form)\n+db.insert(validated(form))\n",
            "comment": "Validate input at the boundary.",
            "tags": ["security"],
            "id": "review-4711",
        },
        errors=(Conflict, InvalidInput),
        creates=True,
        tool="record_review",
        tools=ToolSet.REVIEWS,
    )
    def review(
        self,
        agent: Name,
        decision: AnyReviewDecision,
        *,
        output: str = "",
        approved: str | None = None,
        diff: str | None = None,
        comment: str | None = None,
        reviewer: Name | None = None,
        gate: Name | None = None,
        epic: Name | None = None,
        task: Name | None = None,
        tags: Sequence[Name] = (),
        seconds: Count | None = None,
        output_sha: Name | None = None,
        approved_sha: Name | None = None,
        diff_path: str | None = None,
        context: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Review:
        """Record a reviewer's decision about the output of an agent: APPROVED, REJECTED or APPROVED_WITH_CHANGES.

        `output` is what the agent made, `approved` what the reviewer let through; or pass a unified `diff`, the
        `diff_path` of one inside HEEDFUL_DIFFS, or only hashes. `comment` is what the reviewer said. Remarks that
        several reviewers make become proposals of rules (`govern.proposals`). The decision is also the outcome of the
        `context` that the agent had, by its id; by default the last one that the agent got for the `task`.
        """
        if diff is None and diff_path is not None:
            found = reviews.read_diff(self._outside.diffs, diff_path)
            diff = None if found is None else self._store.redactor.texts(found)[0]
        checked = reviews.checked(
            agent,
            decision,
            output=output,
            approved=approved,
            diff=diff,
            comment=comment,
            reviewer=reviewer,
            gate=gate,
            epic=epic,
            task=task,
            tags=tags,
            seconds=seconds,
            output_sha=output_sha,
            approved_sha=approved_sha,
            diff_path=diff_path,
            context=context,
            at=at,
            id=id,
        )
        return ReviewLog(self._store).of(reviews.record(self._store, self._outside.embedder, checked))

    @operation(
        "POST /fixes",
        policy.FixPolicy.record,
        example={
            "rule": "no-passive",
            "decision": "modified",
            "category": "style",
            "original": "was done",
            "suggested": "did",
            "final": "we did",
            "confidence": 0.82,
            "actor": "dana",
            "comment": "keep the subject",
            "id": "fix-2026-01-05-17",
        },
        errors=(Conflict,),
        creates=True,
        tier=Tier.TEAMS,
        tool="record_fix",
        tools=ToolSet.SUGGESTIONS,
    )
    def fix(
        self,
        rule: Name,
        decision: AnyDecision,
        *,
        category: Name = "general",
        original: str = "",
        suggested: str = "",
        final: str | None = None,
        modification: str | None = None,
        confidence: Share | None = None,
        actor: Name | None = None,
        comment: str | None = None,
        rule_name: Name | None = None,
        suggestion: Name | None = None,
        deviation: Name | None = None,
        bulk: bool = False,
        context: Name | None = None,
        at: Time | None = None,
        id: Name | None = None,
    ) -> Event:
        """Record a person's decision about a suggestion: accepted, rejected, modified or skipped.

        Call it for each suggestion a person saw. `rule` is what the suggestion was made for, `final` the resulting
        text, `modification` the edited suggestion if that differs, `confidence` the one stated with the suggestion,
        `comment` the person's reason; `bulk` marks decisions made for many at once. With the id of the `context` that
        it was made with, the decision is also the outcome of that context. `govern.privacy` decides what is stored.
        """
        checked = fixes.checked(
            rule,
            decision,
            category=category,
            original=original,
            suggested=suggested,
            final=final,
            modification=modification,
            confidence=confidence,
            actor=actor,
            comment=comment,
            rule_name=rule_name,
            suggestion=suggestion,
            deviation=deviation,
            bulk=bulk,
            context=context,
            at=at,
            id=id,
        )
        return fixes.record(self._store, [checked])[0]

    def fixes(self, items: Iterable[Mapping[str, Any]]) -> int:
        """Record many decisions, each a mapping with the arguments of `fix`; return their number.

        They are written in chunks of some thousands, each all or nothing. If one is refused, the chunks before it stay.
        """
        if self._store.remote is not None:
            return sum(1 for item in items if self.fix(**item))
        caller.require(policy.FixPolicy.record)
        self._store.tier().require(Tier.TEAMS, "Feedback on suggestions")
        clean = partial(_FIX.redacted, self._store)
        done, source = 0, iter(items)
        while chunk := list(islice(source, _CHUNK)):
            checked = [fixes.checked_item(item, done + number, clean) for number, item in enumerate(chunk)]
            done += len(fixes.record(self._store, checked, first=done))
        return done

    def events(self, items: Iterable[Item]) -> int:
        """Record many events, each a mapping with the arguments of `event`; return their number.

        They are written in chunks of some thousands, each all or nothing. If one is refused, the chunks before it stay.
        """
        return sum(1 for _ in self.batch(items, whole=True))

    @operation("POST /events:batch", policy.EventPolicy.record, errors=(Conflict,), streams=True, redact=False)
    def batch(self, items: Iterable[Item], *, whole: bool = False) -> Iterator[EventReceipt | HeedfulError]:
        """Record many events, and return a result for each, in the same order.

        Refused events are skipped; with `whole`, the first refusal ends the call and rolls back its chunk of some
        thousands.
        """
        return self._batch(iter(items), whole, caller.current())

    def _batch(self, items: Iterator[Item], whole: bool, who: Caller | None) -> Iterator[EventReceipt | HeedfulError]:
        done = 0
        while chunk := self._drafts(islice(items, _CHUNK), who):
            if whole:
                drafts = _good(chunk, done)
                with self._store.recording() as record:
                    answers: Sequence[Event | HeedfulError] = _good(record.append_fitting(drafts), done)
            else:
                answers = self._record(chunk)
            for answer in answers:
                yield EventReceipt(answer.id, answer.seq) if isinstance(answer, Event) else answer
            done += len(chunk)

    def record(self, calls: Sequence[Mapping[str, Any]]) -> list[Event | HeedfulError]:
        """Runs several calls of `event` at once, with a result for each."""
        self._store.log  # noqa: B018 - a client has none, and says so for all of them
        return self._record(self._drafts(iter(calls), caller.current()))

    def _record(self, chunk: Sequence[Draft | HeedfulError]) -> list[Event | HeedfulError]:
        drafts = [draft for draft in chunk if isinstance(draft, Draft)]
        if not drafts:
            return [*chunk]  # type: ignore[list-item]
        with self._store.recording() as record:
            answers = iter(record.append_fitting(drafts, whole=False))
        return [next(answers) if isinstance(draft, Draft) else draft for draft in chunk]

    def _drafts(self, items: Iterator[Item], who: Caller | None) -> list[Draft | HeedfulError]:
        """Checks events for secrets some at a time: hardly slower than one, and it rules out nearly all."""
        drafts: list[Draft | HeedfulError] = []
        while parsed := [_parse_item(item) for item in islice(items, _LOOKED_AT_TOGETHER)]:
            harmless = self._store.redactor.is_harmless(parsed)
            drafts += [self._draft_of(one, who, harmless=harmless) for one in parsed]
        return drafts

    def _draft_of(
        self, item: Mapping[str, Any] | HeedfulError, who: Caller | None, *, harmless: bool
    ) -> Draft | HeedfulError:
        if isinstance(item, HeedfulError):
            return item
        try:
            draft = self.draft(**(item if harmless else _EVENT.redacted(self._store, item)))
            _refuse_reserved(draft.kind, who)
        except HeedfulError as error:
            return error
        except TypeError as error:
            return InvalidInput(
                f"An item cannot be recorded: {error}.".replace("Capture.draft() ", ""),
                hint="Each item is a dict with a kind and any other arguments of `event`.",
            )
        return draft

    def draft(
        self,
        kind: str,
        *,
        actor: str | None = None,
        entity: Sequence[str] | None = None,
        layout: str | None = None,
        before: Json | None = None,
        after: Json | None = None,
        meta: Json | None = None,
        at: Time | None = None,
        id: str | None = None,
    ) -> Draft:
        """Checks an event without recording it."""
        draft = Draft(
            str(uuid7()) if id is None else identifier(id, "id"),
            names.kind(kind),
            aware(self._store.clock()) if at is None else moment(at),
            None if actor is None else identifier(actor, "actor"),
            None if entity is None else Entity.of(entity),
            None if layout is None else identifier(layout, "layout"),
            *bounded(before, after, meta),
            id is not None,
            at is not None,
        )
        if kind in LEARNING_KINDS:
            fixes.require_own(self._store, draft)
        require_shape(draft)
        return draft


def _why_not(error: Exception) -> str:
    if isinstance(error, HeedfulError):
        return error.message
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    return f"it cannot be read ({type(error).__name__})"  # never its text, which may quote what the file holds


def _size(path: Path) -> int:
    """0 if the file has gone since; reading it reports the error."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _refuse_reserved(kind: object, who: Caller | None) -> None:
    """Keys may not write the audit trail, nor events that other operations record."""
    if who is None or not isinstance(kind, str):
        return
    if kind.startswith(_RESERVED):
        raise Forbidden(f"{kind} is for the audit trail.", hint=f"Choose a kind that does not begin with {_RESERVED}.")
    if kind in _OWN_KINDS:
        hint = "Use the operations on corrections, contexts, conversations, documents and learnings."
        raise Forbidden(f"{kind} is recorded in another way.", hint=hint)


def _parse_item(item: Item) -> Mapping[str, Any] | HeedfulError:
    try:
        return act(item) if isinstance(item, bytes) else item
    except HeedfulError as error:
        return error


def _good(found: Sequence[T | Conflict] | Sequence[T | HeedfulError], before: int) -> list[T]:
    """All items, or raises the first error with the number of its item."""
    for number, one in enumerate(found):
        if isinstance(one, HeedfulError):
            one.item = before + number
            raise one
    return cast("list[T]", found)


_EVENT = operation_of(Capture.event)
_FIX = operation_of(Capture.fix)
_CORRECTION = operation_of(Capture.correction)

"""Messages to an AI: one that corrects its last output is recorded as a correction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from heedful.capture.corrections.detection import DetectionResult, detect
from heedful.capture.corrections.recording import record
from heedful.capture.corrections.reported import checked
from heedful.errors import Conflict
from heedful.learnings.events import CONFIRMED, REPORTED
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.outcomes import derive_outcome
from heedful.learnings.table import LearningTable
from heedful.records.clock import Time, aware, moment
from heedful.records.correction import (
    COMPLAINT,
    DISPUTED,
    LONG_LIMIT,
    QUERY_LIMIT,
    TEXT_LIMIT,
    Correction,
    Detection,
    MessageResult,
)
from heedful.records.event import Entity, Event, noted
from heedful.records.learning import AnyAudience, Audience
from heedful.records.names import identifier
from heedful.records.outside import Outside
from heedful.records.reading import Exchange
from heedful.store import Store
from heedful.text.checks import checked_text, clipped
from heedful.text.fence import without_own
from heedful.text.sentences import sentence_at

_SIDE = 400  # characters of a sentence that are kept on either side of what was wrong


class MessageInput(NamedTuple):
    """A message to an AI, with what is known of it besides."""

    text: str
    last_output: str
    query: str | None
    session: str | None
    about: str | None
    actor: str | None
    at: Time | None
    id: str | None
    audience: AnyAudience = Audience.TEAM
    context: str | None = None
    """The id of the context that the AI had."""
    to_agent: bool = False
    """It is a prompt to a coding agent."""

    def checked(self) -> MessageInput:
        for name in ("session", "about", "actor", "id", "context"):
            if (value := getattr(self, name)) is not None:
                identifier(value, name)  # also where there is nothing to record
        checked_text(self.query or "", "query", LONG_LIMIT)
        Audience.of(self.audience)
        return self if self.at is None else self._replace(at=moment(self.at))


@dataclass(frozen=True, slots=True)
class MessageCapture:
    store: Store
    outside: Outside

    def detect(self, message: str, last_output: str, query: str | None, *, to_agent: bool = False) -> DetectionResult:
        """Text that heedful itself injected is not a correction."""
        message = checked_text(message, "message", LONG_LIMIT, hint="Send its end.")
        question = checked_text(query or "", "query", LONG_LIMIT)
        exchange = Exchange(question, last_output, without_own(message))
        if self.outside.language is None or not self.store.database.in_transaction():
            return detect(exchange, self.outside.reader, self.outside.language, to_agent=to_agent)
        alone = detect(exchange, self.outside.reader, None, to_agent=to_agent)
        return alone._replace(detection=replace(alone.detection, unanswered="in_transaction"))

    def record(self, message: MessageInput) -> MessageResult:
        message = message.checked()
        if message.id is not None and (known := self.store.log.get(message.id)) is not None:
            return self._repeated(known, message)
        told = self.detect(message.text, message.last_output, message.query, to_agent=message.to_agent)
        found, by = told.detection, told.by
        message = message._replace(text=self._stored_text(message.text, told))
        keeps_text = self.store.privacy().store_original_text
        if found.is_correction and told.contributes and (keeps_text or found.right):
            correction = checked(
                found.wrong[:TEXT_LIMIT],
                found.right[:TEXT_LIMIT],
                why=found.why,
                query=message.query,
                sentence=_corrected_sentence(message.last_output, found),
                context=message.context,
                output=message.last_output,
                fixed=found.fixed,
                understood=found.understood,
                occasions=found.occasions,
                always=found.always,
                said=message.text,
                about=message.about,
                session=message.session,
                actor=message.actor,
                audience=message.audience,
                category=found.category,
                severity=found.severity,
                confidence=found.confidence,
                detected=by,
                unanswered=found.unanswered,
                at=message.at,
                id=message.id,
            )
            recorded = record(self.store, self.outside, [correction])[0]
            return MessageResult(found, CORRECTION.record(recorded.row), known=recorded.known)
        if found.is_correction or found.disputed:
            self._note(COMPLAINT if found.is_correction else DISPUTED, message, by)
        return MessageResult(found, None)

    def _stored_text(self, text: str, told: DetectionResult) -> str:
        return self.store.redactor.without(text, told.secret) if told.secret else text

    def _is_same(self, recorded: str | None, message: MessageInput) -> bool:
        if recorded in (None, clipped(message.text, QUERY_LIMIT)):
            return True
        told = self.detect(message.text, message.last_output, message.query, to_agent=message.to_agent)
        return recorded == clipped(self._stored_text(message.text, told), QUERY_LIMIT)

    def _repeated(self, known: Event, message: MessageInput) -> MessageResult:
        """The same message sent again gets the same result."""
        noted_only = known.kind in (COMPLAINT, DISPUTED)
        recorded = known.after.get("text") if noted_only else known.meta.get("said")
        if not (noted_only or known.kind in (REPORTED, CONFIRMED)) or not self._is_same(recorded, message):
            raise Conflict(
                f"The id {known.id!r} is recorded already, with different content.",
                hint="Give a new message a new id; to send the same again, send it unchanged.",
            )
        if noted_only:
            return MessageResult(_past_detection(known.meta, None, is_correction=known.kind == COMPLAINT), None)
        confirmed = known.kind == CONFIRMED and known.entity is not None
        table, id = LearningTable(self.store), known.entity.id if confirmed and known.entity else known.id
        row = table.get(id) or table.folded(id)
        correction = None if row is None else CORRECTION.record(row)
        detection = _past_detection(known.meta, correction, is_correction=True)
        return MessageResult(detection, correction, known=confirmed)

    def _note(self, kind: str, message: MessageInput, by: Mapping[str, float]) -> None:
        privacy = self.store.privacy()
        actor = message.actor
        if actor is not None and privacy.anonymize_users:
            actor = self.store.secret.person(actor)
        draft = noted(
            kind,
            aware(self.store.clock()) if message.at is None else moment(message.at),
            actor=actor,
            entity=None if message.about is None else Entity("topic", message.about),
            after={"text": clipped(message.text, QUERY_LIMIT)} if privacy.store_original_text else {},
            meta={"detected": by} if message.session is None else {"detected": by, "session": message.session},
        )
        with self.store.recording() as record:
            head = record.head
            heard = record.append([draft if message.id is None else draft._replace(id=message.id, own_id=True)])[0]
            if kind == COMPLAINT and heard.seq > head:
                named = {"context": message.context, "unit": message.session, "speaker": message.actor}
                derive_outcome(self.store, record, heard, 0.0, **named, output=message.last_output)


def _past_detection(meta: Mapping[str, Any], correction: Correction | None, *, is_correction: bool) -> Detection:
    """The detection of a message that was recorded before."""
    detected = meta.get("detected") or {}
    confidence = float(detected.get("llm", detected.get("local", meta.get("confidence", 1.0))))
    if correction is None:
        return Detection(is_correction, confidence, None, 0.0, "", "", "", signals=())
    words = (correction.wrong, correction.right, correction.why)
    return Detection(is_correction, confidence, correction.category, correction.severity, *words, signals=())


def _corrected_sentence(output: str, found: Detection) -> str:
    """The sentence that is corrected: the one that was put right, the one with the wrong words, or the reader's."""
    if found.fixed or (found.wrong and found.wrong in found.sentence):
        return found.sentence
    return _sentence(output, found.wrong) or found.sentence


def _sentence(output: str, words: str) -> str:
    """The sentence of the output that contains the words."""
    at = output.casefold().find(words.casefold()) if words else -1
    if at < 0:
        return ""
    start, end = sentence_at(output, at, at + len(words), _SIDE)
    return output[start:end].strip()

"""Hearing what people say to an AI: a message that corrects its last output becomes a correction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from heedful.capture.corrections.detection import Detected, detect
from heedful.capture.corrections.recording import Recorded, checked, record
from heedful.errors import Conflict
from heedful.learnings.events import CONFIRMED, REPORTED
from heedful.learnings.kinds.correction import CORRECTION
from heedful.learnings.table import LearningTable
from heedful.records.clock import Time, aware, moment
from heedful.records.correction import (
    COMPLAINT,
    DISPUTED,
    LONG_LIMIT,
    QUERY_LIMIT,
    TEXT_LIMIT,
    Category,
    Correction,
    Detection,
    MessageResult,
)
from heedful.records.embedding import Embedder
from heedful.records.event import Entity, Event, noted
from heedful.records.language import LanguageModel
from heedful.records.names import identifier
from heedful.store import Store
from heedful.text.checks import checked_text, clipped
from heedful.text.fence import without_own
from heedful.text.sentences import sentence_at

_SIDE = 100  # characters of a sentence that are kept on either side of what was wrong


@dataclass(frozen=True, slots=True)
class Hearing:
    store: Store
    embedder: Embedder
    language: LanguageModel | None

    def detect(self, message: str, last_output: str) -> Detected:
        """What heedful itself had put into a conversation is nobody's correction."""
        message = checked_text(message, "message", LONG_LIMIT, hint="Send its end.")
        return detect(without_own(message), last_output, self.language)

    def message(
        self,
        message: str,
        last_output: str,
        *,
        query: str | None,
        session: str | None,
        about: str | None,
        actor: str | None,
        at: Time | None,
        id: str | None,
    ) -> MessageResult:
        for name, value in (("session", session), ("about", about), ("actor", actor)):
            if value is not None:
                identifier(value, name)  # also where there is nothing to record
        checked_text(query or "", "query", LONG_LIMIT)
        at = None if at is None else moment(at)
        if id is not None and (known := self.store.log.get(identifier(id, "id"))) is not None:
            return self._again(known, message)
        found, by = self.detect(message, last_output)
        if found.is_correction and found.wrong != found.right:
            told = checked(
                found.wrong[:TEXT_LIMIT],
                found.right[:TEXT_LIMIT],
                why=found.why,
                query=query,
                context=_sentence(last_output, found.wrong),
                said=message,
                about=about,
                session=session,
                actor=actor,
                category=found.category,
                severity=found.severity,
                confidence=found.confidence,
                detected=by,
                at=at,
                id=id,
            )
            return _heard(found, record(self.store, self.embedder, [told])[0])
        if found.is_correction or found.disputed:
            self._note(COMPLAINT if found.is_correction else DISPUTED, message, by, session, about, actor, at, id)
        return MessageResult(found, None)

    def _again(self, known: Event, message: str) -> MessageResult:
        """The same message, sent a second time: it is what it was."""
        said = known.after.get("text") if known.kind in (COMPLAINT, DISPUTED) else known.meta.get("said")
        if known.kind not in (REPORTED, CONFIRMED, COMPLAINT, DISPUTED) or said not in (
            None,
            clipped(message, QUERY_LIMIT),
        ):
            raise Conflict(
                f"The id {known.id!r} is recorded already, with different content.",
                hint="Give a new message a new id; to send the same again, send it unchanged.",
            )
        if known.kind in (COMPLAINT, DISPUTED):
            return MessageResult(_remembered(known.meta, None, heard=known.kind == COMPLAINT), None)
        confirmed = known.kind == CONFIRMED and known.entity is not None
        kept = LearningTable(self.store).folded(known.entity.id if confirmed and known.entity else known.id)
        made = None if kept is None else CORRECTION.record(kept)
        return MessageResult(_remembered(known.meta, made, heard=True), made, known=confirmed)

    def _note(
        self,
        kind: str,
        message: str,
        by: Mapping[str, float],
        session: str | None,
        about: str | None,
        actor: str | None,
        at: datetime | None,
        id: str | None,
    ) -> None:
        privacy = self.store.privacy()
        if actor is not None and privacy.anonymize_users:
            actor = self.store.secret.person(actor)
        meta: dict[str, Any] = {"detected": by} if session is None else {"detected": by, "session": session}
        draft = noted(
            kind,
            aware(self.store.clock()) if at is None else at,
            actor=actor,
            entity=None if about is None else Entity("topic", about),
            after={"text": clipped(message, QUERY_LIMIT)} if privacy.store_original_text else {},
            meta=meta,
        )
        if id is not None:
            draft = draft._replace(id=id, own_id=True)
        self.store.record([draft])


def _heard(found: Detection, recorded: Recorded) -> MessageResult:
    return MessageResult(found, CORRECTION.record(recorded.row), known=recorded.known)


def _remembered(meta: Mapping[str, Any], made: Correction | None, *, heard: bool) -> Detection:
    detected = meta.get("detected") or {}
    sure = float(detected.get("llm", detected.get("local", meta.get("confidence", 1.0))))
    category: Category | None = None if made is None else made.category
    told = ("", "", "") if made is None else (made.wrong, made.right, made.why)
    return Detection(heard, sure, category, 0.0 if made is None else made.severity, *told, signals=())


def _sentence(output: str, words: str) -> str:
    """The one that the words stand in: it tells where they were wrong."""
    at = output.casefold().find(words.casefold()) if words else -1
    if at < 0:
        return ""
    start, end = sentence_at(output, at, at + len(words), _SIDE)
    return output[start:end].strip()

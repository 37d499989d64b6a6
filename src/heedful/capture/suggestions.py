"""Records feedback on suggestions as events, as far as the organisation's privacy options allow.

Patterns are extracted here, because the text may not be stored. Each is counted by its id, a keyed digest of its words.
The words themselves are stored if texts may be, or once enough different people did the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from uuid_utils import uuid7

from heedful.capture.items import check_item
from heedful.capture.payload import bounded
from heedful.errors import Conflict, InvalidInput, InvalidKind, InvalidPayload
from heedful.learnings.outcomes import derive_outcome
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.operations import caller
from heedful.records.clock import Time, aware, moment
from heedful.records.event import Draft, Entity, Event
from heedful.records.json import decode, encode
from heedful.records.names import identifier
from heedful.records.privacy import Privacy
from heedful.records.suggestion import DECISIONS, PATTERN_BYTES, RETENTION, Decision, is_feedback
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.text.checks import checked_text
from heedful.text.diff import differences, improvement, kept
from heedful.text.gist import gist
from heedful.text.normalize import normal

_TEXT_LIMIT = 1_000_000
_SHORT = 80  # characters
_PARTLY = 0.5  # the outcome of a modified suggestion whose texts are not given


class Fix(NamedTuple):
    """A checked decision."""

    id: str | None
    rule: str
    rule_name: str | None
    category: str
    decision: Decision
    original: str
    suggested: str
    final: str | None
    modification: str | None
    confidence: float | None
    actor: str | None
    comment: str | None
    suggestion: str | None
    deviation: str | None
    bulk: bool
    context: str | None
    at: datetime | None


def checked(
    rule: str,
    decision: Decision | str,
    *,
    category: str = "general",
    original: str = "",
    suggested: str = "",
    final: str | None = None,
    modification: str | None = None,
    confidence: float | None = None,
    actor: str | None = None,
    comment: str | None = None,
    rule_name: str | None = None,
    suggestion: str | None = None,
    deviation: str | None = None,
    bulk: bool = False,
    context: str | None = None,
    at: Time | None = None,
    id: str | None = None,
) -> Fix:
    decided = Decision.of(decision)
    texts = {"original": original, "suggested": suggested, "final": final, "modification": modification}
    for name, text in {**texts, "comment": comment}.items():
        if text is not None or name in ("original", "suggested"):
            checked_text(text, name, _TEXT_LIMIT, hint="Send the passage that the suggestion is about.")
    if not isinstance(bulk, bool):
        raise InvalidInput(f"bulk is {bulk!r}.", hint="Pass True or False.")
    return Fix(
        id=_optional(id, "id"),
        rule=identifier(rule, "rule"),
        rule_name=_optional(rule_name, "rule_name"),
        category=identifier(category, "category"),
        decision=decided,
        original=original,
        suggested=suggested,
        final=final,
        modification=modification,
        confidence=_confidence(confidence),
        actor=_optional(actor, "actor"),
        comment=comment or None,
        suggestion=_optional(suggestion, "suggestion"),
        deviation=_optional(deviation, "deviation"),
        bulk=bulk,
        context=_optional(context, "context"),
        at=None if at is None else moment(at),
    )


checked_item = partial(
    check_item, checked, "Each item is a dict with a rule, a decision and any other arguments of `fix`."
)
"""Checks one item of a batch."""


def record(store: Store, fixes: Sequence[Fix], *, first: int = 0) -> list[Event]:
    """Writes decisions to the log, all or none; a decision recorded before returns its event. `first` numbers errors.

    It is one transaction, because whether a phrase may be stored depends on who did the same before.
    """
    store.secret.load()
    with store.recording() as record:
        if store.secret.check(record):
            record.queue([RETENTION])  # from the first feedback on
        writer = FixWriter(store, record.privacy)
        known: dict[str, Event | Draft] = {**store.log.known([fix.id for fix in fixes if fix.id is not None])}
        drafts: list[Draft] = []
        answers: list[Event | int] = []  # what is known already, or the place among the new ones
        places: dict[str, int] = {}
        judged: list[tuple[int, Fix]] = []  # new ones that name a context, and their place
        for number, fix in enumerate(fixes):
            before = None if fix.id is None else known.get(fix.id)
            if before is None:
                if fix.context is not None:
                    judged.append((len(drafts), fix))
                answers.append(len(drafts))
                drafts.append(writer.draft(fix))
                if fix.id is not None:
                    known[fix.id], places[fix.id] = drafts[-1], len(drafts) - 1
            elif not writer.is_same(before, fix):
                raise _conflict(fix, first + number)
            else:
                answers.append(before if isinstance(before, Event) else places[before.id])
        new = record.append_new(drafts)
        for place, fix in judged:
            _derive(store, record, fix, new[place])
    return [new[answer] if isinstance(answer, int) else answer for answer in answers]


def _derive(store: Store, record: Recording, fix: Fix, event: Event) -> None:
    """The outcome of the context with which the suggestion was made. Whoever skips it says nothing."""
    value = _outcome(fix)
    if value is None:
        return
    derive_outcome(store, record, event, value, context=fix.context, output=fix.suggested)


def _outcome(fix: Fix) -> float | None:
    if fix.decision is Decision.MODIFIED:
        modified = fix.modification if fix.modification is not None else fix.final
        return _PARTLY if modified is None or not fix.suggested else kept(fix.suggested, modified)
    return {Decision.ACCEPTED: 1.0, Decision.REJECTED: 0.0}.get(fix.decision)


def require_own(store: Store, draft: Draft) -> None:
    """Accepts feedback as a plain event only from an export of this installation, made with the same secret."""
    learned = decode(draft.meta_json).get("learned")
    if caller.current() is not None or not isinstance(learned, dict):
        raise InvalidKind(f"{draft.kind} is recorded in another way.", hint="Use capture.fix, or `heedful fix`.")
    if learned.get("mark") != store.secret.fingerprint:
        raise InvalidPayload(
            "This feedback was recorded with another secret, by which its patterns cannot be recognised here.",
            hint="Copy the file that ends in .secret with the database, or set HEEDFUL_SECRET to the same in both.",
        )
    event = Event(draft.id, store.org, 0, *draft[1:9])
    if not is_feedback(event):
        raise InvalidPayload("The event is not about a rule.", hint="Export it again.")


class FixWriter:
    """Writes decisions as the privacy options allow."""

    def __init__(self, store: Store, privacy: Privacy) -> None:
        self._store = store
        self._counts = SuggestionTallies(store)
        self._secret = store.secret
        self._privacy = privacy
        self._people: dict[tuple[str, str], set[str]] = {}

    def draft(self, fix: Fix) -> Draft:
        person = None if fix.actor is None else self._secret.person(fix.actor)
        actor = person if self._privacy.anonymize_users else fix.actor
        before, after, meta = bounded(*self._payload(fix, person, self._voice(fix)))
        return Draft(
            fix.id or str(uuid7()),
            fix.decision.kind,
            fix.at or aware(self._store.clock()),
            actor,
            Entity("rule", fix.rule),
            None,
            before,
            after,
            meta,
            own_id=fix.id is not None,
            own_time=fix.at is not None,
        )

    def _voice(self, fix: Fix) -> str | None:
        """Who is counted: the named person, or the key."""
        voice = caller.voice(fix.actor)
        return None if voice is None else self._secret.person(voice)

    def fingerprint(self, fix: Fix) -> str:
        """A digest of all arguments, to recognise a repeated decision when little of it is stored."""
        at = None if fix.at is None else fix.at.isoformat()
        return self._secret.digest("fingerprint", encode([*fix[1:-1], at]))

    def is_same(self, known: Event | Draft, fix: Fix) -> bool:
        return known.kind in DECISIONS and decode(known.meta_json).get("fingerprint") == self.fingerprint(fix)

    def _payload(
        self, fix: Fix, person: str | None, voice: str | None
    ) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        before, after = {}, {}
        details = {
            "category": fix.category,
            "confidence": fix.confidence,
            "bulk": fix.bulk or None,
            "rule_name": fix.rule_name,
            "suggestion": fix.suggestion,
            "deviation": fix.deviation,
            "fingerprint": None if fix.id is None else self.fingerprint(fix),
        }
        if self._privacy.store_original_text:
            before = _without_none({"original": fix.original or None, "suggested": fix.suggested or None})
            after = _without_none({"final": fix.final, "modification": fix.modification})
            details["comment"] = None if fix.comment is None else _clipped_bytes(fix.comment, 2 * PATTERN_BYTES)
        return before, after, {**_without_none(details), "learned": self._learned(fix, person, voice)}

    def _learned(self, fix: Fix, person: str | None, voice: str | None) -> dict[str, Any]:
        learned: dict[str, Any] = {"mark": self._secret.fingerprint}
        if self._privacy.store_original_text:
            learned["texts"] = True
        if person is not None and not self._privacy.anonymize_users:
            learned["by"] = person  # so that a person is not counted twice when the option changes
        if voice != person:
            learned["voice"] = voice
        if fix.decision is Decision.SKIPPED:
            return learned
        if patterns := self._patterns(fix, voice):
            learned["patterns"] = patterns
        if fix.decision is Decision.MODIFIED and (edit := self._edit(fix, voice)) is not None:
            learned["edit"] = edit
        if fix.decision is Decision.REJECTED and (reason := self._reason(fix, voice)) is not None:
            learned["reason"] = reason
        return learned

    def _patterns(self, fix: Fix, voice: str | None) -> list[dict[str, Any]]:
        """The words that differ; and both whole texts if they are short, or if there is no other pattern."""
        whole = normal(fix.original), normal(fix.suggested)
        if not whole[0]:
            return []  # without what it was about, a suggestion cannot come again
        phrases = differences(fix.original, fix.suggested)
        found = [self._pattern(fix.rule, tuple(phrase), voice) for phrase in dict.fromkeys(phrases)]
        short = max(map(len, whole)) <= _SHORT
        if whole[0] != whole[1] and (short or not phrases) and whole not in [tuple(phrase) for phrase in phrases]:
            literal = {"id": self._secret.digest("literal", *whole), "of": [pattern["id"] for pattern in found]}
            text = (
                list(map(_clipped_bytes, whole)) if self._privacy.store_original_text else list(map(_word_count, whole))
            )
            found.append({**literal, "text": text})
        return found

    def _pattern(self, rule: str, phrase: tuple[str, ...], voice: str | None) -> dict[str, Any]:
        id = self._secret.digest("pattern", *phrase)
        readable = self._is_readable(rule, id, voice)
        return {"id": id, "text": list(map(_clipped_bytes if readable else _word_count, phrase))}

    def _edit(self, fix: Fix, voice: str | None) -> dict[str, Any] | None:
        modified = fix.modification if fix.modification is not None else fix.final
        how = None if modified is None else improvement(fix.suggested, modified)
        if modified is None or how is None:
            return None
        id = self._secret.digest("edit", how.kind, how.removed, how.added)
        text: list[str] = []
        if self._privacy.store_original_text:
            text = [how.removed, how.added, _clipped_bytes(fix.suggested), _clipped_bytes(modified)]
        elif self._is_readable(fix.rule, id, voice):
            text = [how.removed, how.added]
        return {"kind": how.kind, "id": id, "text": text}

    def _reason(self, fix: Fix, voice: str | None) -> dict[str, Any] | None:
        """The reason for a rejection. Without stored texts, only words that all such comments share are readable."""
        reason_words = gist(fix.comment or "")
        if not reason_words:
            return None
        id = self._secret.digest("reason", *reason_words)
        details = (
            [_clipped_bytes(fix.comment or "")]
            if self._privacy.store_original_text
            else [_clipped_bytes(" ".join(reason_words)), "in common"]
        )
        return {
            "id": id,
            "gist": sorted(self._secret.digest("word", word)[:8] for word in reason_words),
            "text": details if self._is_readable(fix.rule, id, voice) else [],
        }

    def _is_readable(self, rule: str, id: str, voice: str | None) -> bool:
        """Whether the words may be stored: enough people did the same."""
        if self._privacy.store_original_text:
            return True
        enough = self._privacy.min_people
        if (rule, id) not in self._people:
            self._people[rule, id] = set(self._counts.people(rule, id, enough))
        people = self._people[rule, id]
        if voice is not None:
            people.add(voice)
        return len(people) >= enough


def _conflict(fix: Fix, number: int) -> Conflict:
    taken = Conflict(
        f"Feedback with the id {fix.id!r} is recorded already, with different content.",
        hint="Give new feedback a new id; to send the same again, send it unchanged.",
    )
    taken.item = number
    return taken


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _clipped_bytes(text: str, most: int = PATTERN_BYTES) -> str:
    """As much of a text as an index can hold."""
    if len(text) * 4 <= most or len(text.encode()) <= most:
        return text
    return text.encode()[: most - 3].decode(errors="ignore") + "…"


def _word_count(text: str) -> int:
    """Stands for a text that must not be stored."""
    return len(text.split())


def _confidence(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and 0 <= value <= 1):
        raise InvalidInput(f"confidence is {value!r}.", hint="Pass a number from 0 to 1, or leave it out.")
    return float(value)


def _optional(value: str | None, name: str) -> str | None:
    return None if value is None else identifier(value, name)

"""A learning: what events taught, in words. One kind of thing, whatever taught it: one table, one search, one decay.

Its words stay in the event that said them last, and its numbers are a fold over the events that are about it, in the
order of the log. So it names its evidence, and can be thrown away and made again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

from heedful.errors import InvalidInput
from heedful.records.clock import to_micros
from heedful.records.event import Event
from heedful.records.json import Json, encode
from heedful.records.names import ID_LIMIT
from heedful.text.terms import terms

ENTITY = "learning"
"""The kind of entity that events about a learning name; the one that begins it has the same id as the learning."""

REPORTED = "CORRECTION_REPORTED"
EXTRACTED = "INSIGHT_EXTRACTED"
CONFIRMED = "LEARNING_CONFIRMED"
UNCONFIRMED = "LEARNING_UNCONFIRMED"
"""A note that a merge was undone: what had confirmed it was erased."""
EDITED = "LEARNING_EDITED"
ADJUSTED = "LEARNING_ADJUSTED"
RATED = "LEARNING_RATED"
APPROVED = "LEARNING_APPROVED"
APPLIED = "LEARNING_APPLIED"
SUPERSEDED = "LEARNING_SUPERSEDED"
MERGED = "LEARNING_MERGED"
RETIRED = "LEARNING_RETIRED"
RESTORED = "LEARNING_RESTORED"

BEGINNINGS = (REPORTED, EXTRACTED)
"""What begins a learning."""

ABOUT_LEARNINGS = (
    CONFIRMED, UNCONFIRMED, EDITED, ADJUSTED, RATED, APPROVED, APPLIED, SUPERSEDED, MERGED, RETIRED, RESTORED,
)  # fmt: skip
"""What becomes of it; only heedful's own operations record these."""

LEARNING_EVENTS = (*BEGINNINGS, *ABOUT_LEARNINGS)

PROJECTION = "learnings"
"""The projection that derives them."""

TOLD = 0.9
"""The confidence of what somebody reported on purpose, unless they say otherwise."""

_FOUND = 0.6  # of what was extracted: less would not have been stored
_APPROVED = 0.9  # at least, of what a person has approved
_GIST_LIMIT = 400  # characters: what it is about is said by then, and time grows with length
_LABEL = re.compile(r"^[A-Z]{3,12}: ", re.MULTILINE)
_CIRCUMSTANCE = re.compile(r"^(?:WHEN: |CONTEXT: |HOW: The agent then ).*\n?", re.MULTILINE)


class Kind(StrEnum):
    CORRECTION = "correction"
    """What somebody said was wrong, and what is right."""
    INSIGHT = "insight"
    """What a conversation taught."""


class Status(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    """Somebody has said something newer about the same thing."""
    MERGED = "merged"
    """It says the same as another one, and is evidence for that."""
    RETIRED = "retired"
    """It does not hold any more, or is of no use."""

    @classmethod
    def of(cls, status: object) -> Status:
        try:
            return cls(str(status))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{status!r} is not a status.", hint=f"There are: {known}.") from None


AnyStatus = Status | Literal["active", "superseded", "merged", "retired"]
"""A status, or its word."""


class State(NamedTuple):
    """What is derived of a learning; its words are in the event at place `said`."""

    no: int
    """The place of the event that began it."""
    id: str
    kind: str
    scope: str | None
    category: str | None
    status: str
    superseded_by: str | None
    confidence: float
    version: int
    confirmed: int
    applied: int
    applied_at: int | None
    renewed_at: int
    """When it was last said, confirmed or used: age counts from here."""
    said: int
    changed: int
    """The place of the last event about it."""
    rated_up: int = 0
    rated_down: int = 0
    contributor: str | None = None
    """Who it was learned from."""
    words: str = ""
    """The digest of what it says now."""
    approval: str | None = None
    """The digest of what somebody approved last."""

    @property
    def approved(self) -> bool:
        """Whether it says now, word for word, what was approved: whoever rewords it takes the approval from it, and
        whoever takes that back gives it back."""
        return self.approval == self.words


def subject(event: Event) -> str | None:
    """The id of the learning that an event is about."""
    if event.kind in BEGINNINGS:
        return event.id
    if event.kind in ABOUT_LEARNINGS and event.entity is not None and event.entity.kind == ENTITY:
        return event.entity.id
    return None


def advanced(state: State | None, event: Event) -> State | None:
    """The next state. What cannot be read as heedful would have written it changes nothing: another program may have
    used the same kinds before."""
    if state is None:
        begins = _BEGINNING.get(event.kind)
        words = None if begins is None else begins(event)
        return None if words is None else _begun(event, words)
    following = _FOLLOWING.get(event.kind)
    state = state._replace(changed=event.seq)
    return state if following is None else following(state, event, event.meta)


_SURER = {Kind.CORRECTION.value: 0.5, Kind.INSIGHT.value: 0.25}
"""The share of what is missing to certainty that a confirmation gives: somebody's word more than a likeness."""


def _confirmed(state: State, event: Event, meta: Json) -> State:
    """What was learned in two projects holds in all of them."""
    sure = max(state.confidence, _number(meta, "confidence", 0.0) if state.kind == Kind.INSIGHT else 0.0)
    sure = _share(sure + (1 - sure) * _SURER[state.kind])
    scope = None if meta.get("widens") is True else state.scope
    return _renewed(state, event)._replace(confirmed=state.confirmed + 1, confidence=sure, scope=scope)


def _edited(state: State, event: Event, meta: Json) -> State:
    words = stated(event) if state.kind == Kind.INSIGHT else corrected(event)
    if words is None:
        return state
    category = _name(meta, "category")
    edited = state._replace(said=event.seq, version=state.version + 1, category=category, words=digest(words, category))
    return _renewed(edited, event)


def _adjusted(state: State, _: Event, meta: Json) -> State:
    return state._replace(confidence=_share(state.confidence + _number(meta, "by", 0.0)))


def _rated(state: State, _: Event, meta: Json) -> State:
    if meta.get("up") is True:
        return state._replace(rated_up=state.rated_up + 1, confidence=_share(state.confidence * 0.8 + 0.2))
    return state._replace(rated_down=state.rated_down + 1, confidence=_share(state.confidence * 0.75))


def _approved(state: State, event: Event, meta: Json) -> State:
    """The event names the words that were approved: those that stand here may be others, where an edit was erased."""
    approved = state._replace(approval=_text(meta, "words"))
    if not approved.approved:
        return approved
    return _renewed(approved, event)._replace(confidence=max(state.confidence, _APPROVED))


def _applied(state: State, event: Event, _: Json) -> State:
    at = to_micros(event.at)
    return _renewed(state, event)._replace(applied=state.applied + 1, applied_at=max(at, state.applied_at or at))


def _superseded(state: State, _: Event, meta: Json) -> State:
    return state._replace(status=Status.SUPERSEDED.value, superseded_by=_name(meta, "by"))


def _merged(state: State, _: Event, meta: Json) -> State:
    return state._replace(status=Status.MERGED.value, superseded_by=_name(meta, "into"))


def _retired(state: State, _: Event, __: Json) -> State:
    return state._replace(status=Status.RETIRED.value, superseded_by=None)


def _restored(state: State, _: Event, __: Json) -> State:
    return state._replace(status=Status.ACTIVE.value, superseded_by=None)


_FOLLOWING: Mapping[str, Callable[[State, Event, Json], State]] = {
    CONFIRMED: _confirmed,
    EDITED: _edited,
    ADJUSTED: _adjusted,
    RATED: _rated,
    APPROVED: _approved,
    APPLIED: _applied,
    SUPERSEDED: _superseded,
    MERGED: _merged,
    RETIRED: _retired,
    RESTORED: _restored,
}


class Corrected(NamedTuple):
    """What a correction says."""

    wrong: str
    right: str
    why: str
    query: str

    def terms(self) -> list[str]:
        """What full text search finds it by."""
        return [*self.own_terms(), *terms(f"{self.why}\n{self.query}")]

    def own_terms(self) -> list[str]:
        """Those of what was wrong and of what is right: each by itself, for of words as frequent as `who` and `whom`
        there are terms only where there are no others."""
        return [*terms(self.wrong), *terms(self.right)]

    def gist(self) -> str:
        """What it is compared by in meaning: what it is about, and what it is about it."""
        return " ".join(part for part in (self.query, self.wrong, self.right) if part)


class Stated(NamedTuple):
    """What an insight says."""

    title: str
    content: str
    tags: tuple[str, ...] = ()

    def terms(self) -> list[str]:
        """The title counts twice: it is in the content as well, mostly."""
        return [*terms(self.title), *self.own_terms(), *terms(" ".join(self.tags))]

    def own_terms(self) -> list[str]:
        return terms(f"{self.title}\n{self.content}")

    def core(self) -> str:
        """What it says without the circumstances in which it was said: these differ from one telling to the next."""
        return _CIRCUMSTANCE.sub("", self.content).strip() or self.content

    def gist(self) -> str:
        """Its core, without the labels that every content has."""
        return f"{self.title}. {' '.join(_LABEL.sub('', self.core()).split())}"[:_GIST_LIMIT]


Wording = Corrected | Stated
"""What a learning says."""


def digest(words: Wording, category: str | None) -> str:
    """What an approval is about: all that an edit can change. A category is part of it: what stands under "To avoid"
    says the contrary under "Practices"."""
    return blake2b(encode([category, *words]).encode(), digest_size=16).hexdigest()


def told(event: Event) -> Wording | None:
    """The words of an event that says what a learning says; None if it says nothing."""
    return stated(event) or corrected(event)


def corrected(event: Event) -> Corrected | None:
    before, after, meta = event.before, event.after, event.meta
    words = Corrected(
        *(_text(*at) or "" for at in ((before, "wrong"), (after, "right"), (meta, "why"), (meta, "query")))
    )
    return words if words.wrong or words.right else None


def stated(event: Event) -> Stated | None:
    after = event.after
    title, content, tags = _text(after, "title"), _text(after, "content"), after.get("tags")
    if not title or not content:
        return None
    return Stated(title, content, tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ())


_BEGINNING: Mapping[str, Callable[[Event], Wording | None]] = {REPORTED: corrected, EXTRACTED: stated}


def _begun(event: Event, words: Wording) -> State:
    meta, at, extracted = event.meta, to_micros(event.at), event.kind == EXTRACTED
    topic = event.entity.id if event.entity is not None and event.entity.kind == "topic" else None
    category = _name(meta, "category")
    return State(
        no=event.seq,
        id=event.id,
        kind=(Kind.INSIGHT if extracted else Kind.CORRECTION).value,
        scope=_name(meta, "project") if extracted else topic,
        category=category,
        status=Status.ACTIVE.value,
        superseded_by=None,
        confidence=_share(_number(meta, "confidence", _FOUND if extracted else TOLD)),
        version=1,
        confirmed=0,
        applied=0,
        applied_at=None,
        renewed_at=at,
        said=event.seq,
        changed=event.seq,
        contributor=event.actor,
        words=digest(words, category),
    )


def _renewed(state: State, event: Event) -> State:
    return state._replace(renewed_at=max(state.renewed_at, to_micros(event.at)))


def _share(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 6)


def _text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) else None


def _name(values: Mapping[str, Any], name: str) -> str | None:
    """A short text that any column takes."""
    value = _text(values, name)
    return value if value is not None and len(value) <= ID_LIMIT and value.isprintable() else None


def _number(values: Mapping[str, Any], name: str, otherwise: float) -> float:
    value = values.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise

"""A learning: what events taught, in words. One kind of thing, whatever taught it: one table, one search, one decay.

Its words stay in the event that said them last, and its numbers are a fold over the events that are about it, in the
order of the log. So it names its evidence, and can be thrown away and made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from heedful.errors import InvalidInput
from heedful.model.clock import to_micros
from heedful.model.event import Event
from heedful.model.json import Json
from heedful.model.names import ID_LIMIT
from heedful.model.terms import terms

ENTITY = "learning"
"""The kind of entity that events about a learning name; the one that begins it has the same id as the learning."""

REPORTED = "CORRECTION_REPORTED"
CONFIRMED = "LEARNING_CONFIRMED"
EDITED = "LEARNING_EDITED"
ADJUSTED = "LEARNING_ADJUSTED"
APPLIED = "LEARNING_APPLIED"
SUPERSEDED = "LEARNING_SUPERSEDED"

ABOUT_LEARNINGS = (CONFIRMED, EDITED, ADJUSTED, APPLIED, SUPERSEDED)
"""Only heedful's own operations record these."""

LEARNING_EVENTS = (REPORTED, *ABOUT_LEARNINGS)

PROJECTION = "learnings"
"""The projection that derives them."""

TOLD = 0.9
"""The confidence of what somebody reported on purpose, unless they say otherwise."""


class Kind(StrEnum):
    CORRECTION = "correction"


class Status(StrEnum):
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    """Somebody has said something newer about the same thing."""

    @classmethod
    def of(cls, status: object) -> Status:
        try:
            return cls(str(status))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{status!r} is not a status.", hint=f"There are: {known}.") from None


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


def subject(event: Event) -> str | None:
    """The id of the learning that an event is about."""
    if event.kind == REPORTED:
        return event.id
    if event.kind in ABOUT_LEARNINGS and event.entity is not None and event.entity.kind == ENTITY:
        return event.entity.id
    return None


def advanced(state: State | None, event: Event) -> State | None:
    """The next state. What cannot be read as heedful would have written it changes nothing: another program may have
    used the same kinds before."""
    if state is None:
        return _begun(event) if event.kind == REPORTED and told(event) is not None else None
    following = _FOLLOWING.get(event.kind)
    state = state._replace(changed=event.seq)
    return state if following is None else following(state, event, event.meta)


def _confirmed(state: State, event: Event, _: Json) -> State:
    sure = _share(state.confidence + (1 - state.confidence) / 2)
    return _renewed(state, event)._replace(confirmed=state.confirmed + 1, confidence=sure)


def _edited(state: State, event: Event, meta: Json) -> State:
    if told(event) is None:
        return state
    edited = state._replace(said=event.seq, version=state.version + 1, category=_name(meta, "category"))
    return _renewed(edited, event)


def _adjusted(state: State, _: Event, meta: Json) -> State:
    return state._replace(confidence=_share(state.confidence + _number(meta, "by", 0.0)))


def _applied(state: State, event: Event, _: Json) -> State:
    at = to_micros(event.at)
    return _renewed(state, event)._replace(applied=state.applied + 1, applied_at=max(at, state.applied_at or at))


def _superseded(state: State, _: Event, meta: Json) -> State:
    return state._replace(status=Status.SUPERSEDED.value, superseded_by=_name(meta, "by"))


_FOLLOWING: Mapping[str, Callable[[State, Event, Json], State]] = {
    CONFIRMED: _confirmed,
    EDITED: _edited,
    ADJUSTED: _adjusted,
    APPLIED: _applied,
    SUPERSEDED: _superseded,
}


class Words(NamedTuple):
    """What a learning says."""

    original: str
    corrected: str
    explanation: str
    query: str

    def terms(self) -> list[str]:
        """What full text search finds it by."""
        return [*self.own_terms(), *terms(f"{self.explanation}\n{self.query}")]

    def own_terms(self) -> list[str]:
        """Those of what was wrong and of what is right: each by itself, for of words as frequent as `who` and `whom`
        there are terms only where there are no others."""
        return [*terms(self.original), *terms(self.corrected)]

    def gist(self) -> str:
        """What it is compared by in meaning: what it is about, and what it is about it."""
        return " ".join(part for part in (self.query, self.original, self.corrected) if part)


def told(event: Event) -> Words | None:
    """The words of an event that says what a learning says; None if it says nothing."""
    before, after, meta = event.before, event.after, event.meta
    words = Words(*(_text(*at) or "" for at in ((before, "text"), (after, "text"), (meta, "why"), (meta, "query"))))
    return words if words.original or words.corrected else None


def _begun(event: Event) -> State:
    meta, at = event.meta, to_micros(event.at)
    return State(
        no=event.seq,
        id=event.id,
        kind=Kind.CORRECTION.value,
        scope=event.entity.id if event.entity is not None and event.entity.kind == "topic" else None,
        category=_name(meta, "category"),
        status=Status.ACTIVE.value,
        superseded_by=None,
        confidence=_share(_number(meta, "confidence", TOLD)),
        version=1,
        confirmed=0,
        applied=0,
        applied_at=None,
        renewed_at=at,
        said=event.seq,
        changed=event.seq,
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

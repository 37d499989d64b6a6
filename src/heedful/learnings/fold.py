"""The state of a learning: a fold over its events, in the order of the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from heedful.learnings import events
from heedful.learnings.kinds import BY_BEGINNING, kind_of
from heedful.learnings.row import LearningRow, State
from heedful.records.clock import to_micros
from heedful.records.event import Event
from heedful.records.json import Json, decode, encode
from heedful.records.learning import Status
from heedful.records.names import ID_LIMIT

_LEAST_APPROVED = 0.9  # the confidence of an approved learning
_MOST_CONTRADICTIONS = 20  # the newest


def advanced(state: State | None, event: Event) -> State | None:
    """The next state. Events that heedful would not have written change nothing."""
    if state is None:
        return _begun(event)
    following = _FOLLOWING.get(event.kind)
    state = state._replace(changed=event.seq)
    return state if following is None else following(state, event, event.meta)


def _begun(event: Event) -> State | None:
    kind = BY_BEGINNING.get(event.kind)
    words = None if kind is None else kind.wording(event)
    if kind is None or words is None:
        return None
    category = _name(event.meta, "category")
    scope = kind.scope(event)
    return State(
        no=event.seq,
        id=event.id,
        kind=kind.name,
        scope=scope if scope is not None and _is_name(scope) else None,
        category=category,
        status=_status(event.meta),
        superseded_by=None,
        confidence=_share(_number(event.meta, "confidence", kind.initial_confidence)),
        version=1,
        confirmed=0,
        applied=0,
        applied_at=None,
        renewed_at=to_micros(event.at),
        said=event.seq,
        changed=event.seq,
        contributor=event.actor,
        words=kind.digest(words, category),
        owner=_name(event.meta, "owner"),
    )


def _confirmed(state: State, event: Event, meta: Json) -> State:
    """A learning found in two projects applies to all projects, unless a person approved it for one."""
    sure = max(state.confidence, _number(meta, "confidence", 0.0) if "by" in meta else 0.0)
    sure = _share(sure + (1 - sure) * kind_of(state).confirmation)
    scope = None if meta.get("widens") is True and not state.approved else state.scope
    said_again = _renewed(state, event)._replace(confirmed=state.confirmed + 1, confidence=sure, scope=scope)
    return _in_use(said_again) if sure >= kind_of(state).initial_confidence else said_again


def _in_use(state: State) -> State:
    """What was only possible is used from now on."""
    return state._replace(status=Status.ACTIVE.value) if state.status == Status.POSSIBLE else state


def _edited(state: State, event: Event, meta: Json) -> State:
    kind = kind_of(state)
    words = kind.wording(event)
    if words is None:
        return state
    category = _name(meta, "category")
    digest = kind.digest(words, category)
    edited = state._replace(said=event.seq, version=state.version + 1, category=category, words=digest)
    if kind.first_hand and events.READ_BY not in meta:  # a person said how it was meant
        edited = edited._replace(confidence=max(state.confidence, kind.initial_confidence))
    return _renewed(_moved(edited, meta), event)


def _moved(state: State, meta: Json) -> State:
    """To another topic or project, or to none; to one person, or to the team. It was approved for what it was."""
    scope = _name(meta, "about")
    moved = state if scope is None else state._replace(scope=scope or None)
    if "audience" in kind_of(state).moves:  # each edit names the owner, so the last one counts
        moved = moved._replace(owner=_name(meta, "owner"))
    same = (moved.scope, moved.owner) == (state.scope, state.owner)
    return moved if same else moved._replace(approval=None)


def _adjusted(state: State, _: Event, meta: Json) -> State:
    return state._replace(confidence=_share(state.confidence + _number(meta, "by", 0.0)))


def _rated(state: State, _: Event, meta: Json) -> State:
    if meta.get("up") is True:
        return state._replace(rated_up=state.rated_up + 1, confidence=_share(state.confidence * 0.8 + 0.2))
    return state._replace(rated_down=state.rated_down + 1, confidence=_share(state.confidence * 0.75))


def _approved(state: State, event: Event, meta: Json) -> State:
    """The event contains the digest of the approved wording: the current one may differ if an edit was erased."""
    words = meta.get("words")
    approved = state._replace(approval=words if isinstance(words, str) else None)
    if not approved.approved:
        return approved
    return _in_use(_renewed(approved, event))._replace(confidence=max(state.confidence, _LEAST_APPROVED))


def _applied(state: State, event: Event, meta: Json) -> State:
    """In a context it is only shown, which does not say that it still holds."""
    at = to_micros(event.at)
    used = state._replace(applied=state.applied + 1, applied_at=max(at, state.applied_at or at))
    return used if "context" in meta else _renewed(used, event)


def _contradicted(state: State, _: Event, meta: Json) -> State:
    other = _name(meta, "by")
    if other in (None, state.id):
        return state
    others = [id for id in decode(state.contradicted or "[]") if id != other]
    return state._replace(contradicted=encode([*others, other][-_MOST_CONTRADICTIONS:]))


def _evaluated(state: State, _: Event, meta: Json) -> State:
    category, sure = _name(meta, "category") or state.category, _share(_number(meta, "confidence", state.confidence))
    return state._replace(category=category, confidence=sure)


def _turned(status: Status, by: str = "") -> Callable[[State, Event, Json], State]:
    """To another status; `by` names the other learning in the event."""
    return lambda state, _, meta: state._replace(status=status.value, superseded_by=_name(meta, by))


def _restored(state: State, _: Event, meta: Json) -> State:
    confidence = max(state.confidence, _share(_number(meta, "confidence", 0.0)))
    return state._replace(status=_status(meta), superseded_by=None, confidence=confidence)


def restoration(row: LearningRow) -> dict[str, Any]:
    """The `meta` of the event that restores a learning: one that was only possible is no more than that again."""
    unsure = row.state.confidence < kind_of(row.state).initial_confidence
    return {"possible": True} if unsure and row.first.meta.get("possible") is True else {}


def _status(meta: Json) -> str:
    """As an event that begins or restores a learning has it."""
    return (Status.POSSIBLE if meta.get("possible") is True else Status.ACTIVE).value


_FOLLOWING: Mapping[str, Callable[[State, Event, Json], State]] = {
    events.CONFIRMED: _confirmed,
    events.EDITED: _edited,
    events.ADJUSTED: _adjusted,
    events.RATED: _rated,
    events.APPROVED: _approved,
    events.APPLIED: _applied,
    events.CONTRADICTED: _contradicted,
    events.SUPERSEDED: _turned(Status.SUPERSEDED, "by"),
    events.MERGED: _turned(Status.MERGED, "into"),
    events.RETIRED: _turned(Status.RETIRED),
    events.RESTORED: _restored,
    events.EVALUATED: _evaluated,
}


def _renewed(state: State, event: Event) -> State:
    return state._replace(renewed_at=max(state.renewed_at, to_micros(event.at)))


def _share(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 6)


def _is_name(value: str) -> bool:
    """A short text that fits every column."""
    return len(value) <= ID_LIMIT and value.isprintable()


def _name(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) and _is_name(value) else None


def _number(values: Mapping[str, Any], name: str, otherwise: float) -> float:
    value = values.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise

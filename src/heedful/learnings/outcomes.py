"""Outcomes of contexts: reported by programs, or derived from what people did next.

Contexts and outcomes are events of a unit: a session, a task or a document, or the context alone. A unit counts once
for each of its learnings, with the mean of its contexts; `values_by_context` says what counts of a context. Each event
carries what it changes in the counts (`CountedChange`), so that counting is a sum (`learnings/exposures.py`). That is
computed under the organisation's lock: nobody else reports in between. A unit is measured by its first thousand
contexts and outcomes, so that the lock is short however long a session lives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from uuid_utils import uuid7

from heedful.errors import NotFound
from heedful.learnings.exposures import WHOLE
from heedful.learnings.kinds import KINDS, record_of
from heedful.learnings.table import LearningTable
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.event import Draft, Entity, Event, EventFilter
from heedful.records.json import encode
from heedful.records.outcome import OUTCOME_REPORTED, SHOWN, UNIT, WITHHELD, CountedChange, Outcome, compared_arm
from heedful.store import Store
from heedful.store.recording import Recording

PLACES = 4
"""Decimal places of an outcome: as many as are counted."""
_MEASURED = 1_000  # contexts and outcomes of a unit, read under the lock; later ones are recorded and not counted
_LOOKED_AT = 200  # of the newest of a unit, for the one that somebody speaks of


class Adherence(NamedTuple):
    """Which learnings of a context an output follows, as far as that can be checked."""

    followed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


class NewOutcome(NamedTuple):
    """An outcome that is not recorded yet."""

    value: float | None
    """From 0 to 1; None if only the output was checked."""
    adherence: Adherence | None
    """None without an output."""
    actor: str | None
    at: datetime
    derived_from: str | None = None
    note: str | None = None
    id: str | None = None


def context_of(store: Store, id: str) -> Event:
    found = store.log.get(id)
    if found is None or not _is_context(found):
        raise NotFound(
            f"There is no context {id!r}.",
            hint="Pass the id that apply.context returned. A context that was forgotten has no outcome.",
        )
    return found


def checked_adherence(store: Store, context: Event, output: str) -> Adherence:
    """Of the learnings that were shown. Those that were deleted since are left out."""
    table, found = LearningTable(store), Adherence()
    for id in _ids(context.meta, "learnings"):
        row = table.get(id)
        is_followed = None if row is None else KINDS[row.state.kind].followed(record_of(row), output)
        if is_followed is True:
            found = found._replace(followed=(*found.followed, id))
        elif is_followed is False:
            found = found._replace(broken=(*found.broken, id))
    return found


def append_outcome(store: Store, record: Recording, context: Event, new: NewOutcome) -> Event:
    """Record an outcome, with what it changes in the counts of each learning."""
    unit = _unit(context)
    value = None if new.value is None else round(new.value, PLACES)
    known = store.log.page(EventFilter(entity=Entity(UNIT, unit)), None, _MEASURED)
    meta: dict[str, Any] = {
        "context": context.id,
        "value": value,
        "followed": None if new.adherence is None else list(new.adherence.followed),
        "broken": None if new.adherence is None else list(new.adherence.broken),
        "derived_from": new.derived_from,
        "note": new.note,
    }
    meta = {name: one for name, one in meta.items() if one is not None}
    id = new.id or str(uuid7())
    latest = _OutcomeFacts.of(meta, new.at, record.head + 1)
    changes = _UnitHistory(known).changes(context, latest) if len(known) < _MEASURED else ()
    meta["counts"] = {learning: list(change) for learning, change in changes}
    draft = Draft(
        id, OUTCOME_REPORTED, new.at, new.actor, Entity(UNIT, unit), None, "{}", "{}", encode(meta), own_id=False,
        own_time=False,
    )  # fmt: skip
    return record.append_new([draft])[0]


def derive_outcome(
    store: Store,
    record: Recording,
    act: Event,
    value: float,
    *,
    context: str | None = None,
    unit: str | None = None,
    agent: str | None = None,
    speaker: str | None = None,
    output: str | None = None,
) -> Event | None:
    """The outcome that follows from an act of a person, in the transaction of the act; None without a context: what a
    person says is recorded all the same."""
    given = given_context(store, act.at, context=context, unit=unit, agent=agent, speaker=speaker)
    if given is None:
        return None
    adherence = checked_adherence(store, given, output) if output else None
    return append_outcome(store, record, given, NewOutcome(value, adherence, act.actor, act.at, act.id))


def given_context(
    store: Store,
    before: datetime,
    *,
    context: str | None = None,
    unit: str | None = None,
    agent: str | None = None,
    speaker: str | None = None,
) -> Event | None:
    """The context that an act of a person is about: the one that they name, or the last one that was given for the same
    session, task or document before, to that agent, and for no other person than the speaker. None if there is none, or
    if the one they name is not known (any more)."""
    if context is None:
        return None if unit is None else _last_given(store, unit, before, agent, speaker)
    named = store.log.get(context)
    return named if named is not None and _is_context(named) else None


def outcome_of(event: Event) -> Outcome:
    meta = event.meta
    return Outcome(
        id=event.id,
        context=str(meta.get("context", "")),
        unit=_unit(event),
        value=meta.get("value"),
        followed=tuple(meta.get("followed", ())),
        broken=tuple(meta.get("broken", ())),
        derived_from=meta.get("derived_from"),
        at=event.at,
    )


def values_by_context(events: Iterable[Event]) -> dict[str, float]:
    """What counts of each context, from the events of its unit: the latest outcome that was reported; without one, the
    mean over the acts of people from which outcomes were derived. Contexts without a value are left out."""
    values = {id: _value(outcomes) for id, outcomes in _outcomes_by_context(events).items()}
    return {id: value / WHOLE for id, value in values.items() if value is not None}


def events_of_units(store: Store, units: Collection[str]) -> list[Event]:
    """All contexts and outcomes of these units, to be erased together: an outcome counts as a difference to those
    before it, so erasing one of them alone would leave wrong sums."""
    return store.log.about(UNIT, sorted(units))


def _last_given(store: Store, unit: str, before: datetime, agent: str | None, speaker: str | None) -> Event | None:
    whose = None if speaker is None else store.secret.person(speaker)
    newest = store.log.page(EventFilter(entity=Entity(UNIT, unit), newest_first=True), None, _LOOKED_AT)
    fitting = (
        event
        for event in newest
        if _is_context(event)
        and event.at <= before
        and (agent is None or event.meta.get("agent") in (None, agent))
        and (whose is None or event.meta.get("user") in (None, whose, speaker))
    )
    return next(fitting, None)


def _is_context(event: Event) -> bool:
    return event.kind == CONTEXT_GIVEN and event.entity is not None and event.entity.kind == UNIT


def _unit(event: Event) -> str:
    return event.entity.id if event.entity is not None and event.entity.kind == UNIT else ""


def _ids(meta: Mapping[str, Any], name: str) -> list[str]:
    """Of learnings in a context; once each."""
    return list(dict.fromkeys(meta.get(name, ())))


class _OutcomeFacts(NamedTuple):
    """What counts of an outcome."""

    value: int | None
    derived_from: str | None
    at: datetime
    seq: int
    adherence: Adherence | None

    @classmethod
    def of(cls, meta: Mapping[str, Any], at: datetime, seq: int) -> _OutcomeFacts:
        value = meta.get("value")
        checked = "followed" in meta or "broken" in meta
        found = Adherence(tuple(meta.get("followed", ())), tuple(meta.get("broken", ())))
        counted = None if value is None else round(value * WHOLE)
        return cls(counted, meta.get("derived_from"), at, seq, found if checked else None)


class _ContextResult(NamedTuple):
    """What counts of all outcomes of a context."""

    value: int | None = None
    adherence: Adherence = Adherence()

    @classmethod
    def of(cls, outcomes: Sequence[_OutcomeFacts]) -> _ContextResult:
        checked = [one for one in outcomes if one.adherence is not None]
        adherence = max(checked, key=lambda one: (one.at, one.seq)).adherence if checked else None
        return cls(_value(outcomes), adherence or Adherence())


class _UnitHistory:
    """The contexts of a unit, and their outcomes."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._arms = {event.id: _arms(event.meta) for event in events if _is_context(event)}
        self._outcomes = _outcomes_by_context(events)

    def changes(self, context: Event, new: _OutcomeFacts) -> Iterable[tuple[str, CountedChange]]:
        """For each learning of the context: what one more outcome of it changes."""
        said = self._outcomes.get(context.id, [])
        was, now = _ContextResult.of(said), _ContextResult.of([*said, new])
        besides = (id for id in self._outcomes if id != context.id)
        others = [(self._arms.get(id, {}), _ContextResult.of(self._outcomes[id]).value) for id in besides]
        for learning, arm in self._arms[context.id].items():
            beside = [value for arms, value in others if value is not None and arms.get(learning) == arm]
            values = (beside if one.value is None else [*beside, one.value] for one in (was, now))
            old, mean = map(_mean, values)
            change = CountedChange(
                arm,
                first=int(old is None and mean is not None),
                new=mean or 0,
                old=old or 0,
                followed=(learning in now.adherence.followed) - (learning in was.adherence.followed),
                broken=(learning in now.adherence.broken) - (learning in was.adherence.broken),
            )
            if any((change.first, change.new - change.old, change.followed, change.broken)):
                yield learning, change


def _arms(context: Mapping[str, Any]) -> dict[str, str]:
    """The side of each learning of a context. Only what chance could have put on the other side is compared; the rest
    is counted by itself."""
    share = context.get("share")
    compared = {} if share is None else {
        **dict.fromkeys(_ids(context, "withheld"), compared_arm(WITHHELD, share)),
        **dict.fromkeys(_ids(context, "measured"), compared_arm(SHOWN, share)),
    }  # fmt: skip
    return {**dict.fromkeys(_ids(context, "learnings"), SHOWN), **compared}


def _outcomes_by_context(events: Iterable[Event]) -> dict[str, list[_OutcomeFacts]]:
    found: dict[str, list[_OutcomeFacts]] = {}
    for event in events:
        if event.kind == OUTCOME_REPORTED:
            of = found.setdefault(str(event.meta.get("context")), [])
            of.append(_OutcomeFacts.of(event.meta, event.at, event.seq))
    return found


def _value(outcomes: Iterable[_OutcomeFacts]) -> int | None:
    """Of one context. An act counts once, with its latest outcome."""
    ordered = sorted(outcomes, key=lambda one: (one.at, one.seq))
    valued = [(one.derived_from, one.value) for one in ordered if one.value is not None]
    reported = [value for act, value in valued if act is None]
    return reported[-1] if reported else _mean(list(dict(valued).values()))


def _mean(values: Sequence[int]) -> int | None:
    """Rounded to a whole number, half up."""
    return (2 * sum(values) + len(values)) // (2 * len(values)) if values else None

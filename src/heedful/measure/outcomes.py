"""Outcomes that programs and people report: what happened after a context was used."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from heedful.errors import Conflict, InvalidInput, InvalidTime
from heedful.learnings.outcomes import PLACES, NewOutcome, append_outcome, checked_adherence, context_of, outcome_of
from heedful.records.clock import Time, aware, moment
from heedful.records.correction import LONG_LIMIT, QUERY_LIMIT, share
from heedful.records.event import Event
from heedful.records.names import identifier
from heedful.records.outcome import OUTCOME_REPORTED, Outcome
from heedful.store import Store
from heedful.text.checks import checked_text, clipped
from heedful.text.diff import kept

_HOW = "Pass one of success, score, accepted, or output with edited_to; or output alone to check what it follows."

_AHEAD = timedelta(minutes=5)  # that the clock of another machine may be fast


class OutcomeInput(NamedTuple):
    """A checked report."""

    context: str | None
    """None for an empty context."""
    value: float | None
    output: str | None
    edited_to: str | None
    note: str | None
    actor: str | None
    at: datetime | None
    id: str | None


def checked(
    context: str | None,
    *,
    success: bool | None,
    score: float | None,
    accepted: bool | None,
    output: str | None,
    edited_to: str | None,
    note: str | None,
    actor: str | None,
    at: Time | None,
    id: str | None,
) -> OutcomeInput:
    for name, text in (("output", output), ("edited_to", edited_to)):
        if text is not None:
            checked_text(text, name, LONG_LIMIT)
    given = {"success": success, "score": score, "accepted": accepted, "edited_to": edited_to}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InvalidInput(f"An outcome is given twice: by {' and by '.join(named)}.", hint=_HOW)
    if not named and output is None:
        raise InvalidInput("The outcome is missing.", hint=_HOW)
    return OutcomeInput(
        context=None if context is None else identifier(context, "context"),
        value=_value(success, score, accepted, output, edited_to),
        output=output,
        edited_to=edited_to,
        note=None if note is None else clipped(checked_text(note, "note", LONG_LIMIT), QUERY_LIMIT) or None,
        actor=None if actor is None else identifier(actor, "actor"),
        at=None if at is None else moment(at),
        id=None if id is None else identifier(id, "id"),
    )


def _value(
    success: bool | None, score: float | None, accepted: bool | None, output: str | None, edited_to: str | None
) -> float | None:
    for name, flag in (("success", success), ("accepted", accepted)):
        if flag is not None and not isinstance(flag, bool):
            raise InvalidInput(f"{name} is {flag!r}.", hint="Pass True or False; for a share pass score.")
    if edited_to is not None:
        if output is None:
            raise InvalidInput("edited_to is given without output.", hint="Pass output too: what it was before.")
        return kept(output, edited_to)
    if score is not None:
        return share(score, "score")
    decided = accepted if success is None else success
    return None if decided is None else float(decided)


def record(store: Store, one: OutcomeInput) -> Outcome | None:
    """The same report under the same id again returns the first one. Of an empty context there is nothing to learn."""
    if one.context is None:
        return None
    _check_time(store, one.at)
    store.secret.load()
    context = context_of(store, one.context)
    adherence = None if one.output is None else checked_adherence(store, context, one.output)
    with store.recording() as recording:
        if one.id is not None and (known := store.log.get(one.id)) is not None:
            return _repeated(store, known, one)
        privacy = recording.privacy
        actor = store.secret.person(one.actor) if one.actor is not None and privacy.anonymize_users else one.actor
        note = one.note if privacy.store_original_text else None
        context = context_of(store, one.context)  # somebody may have forgotten it meanwhile
        _check_order(context, one.at)
        new = NewOutcome(one.value, adherence, actor, one.at or aware(store.clock()), note=note, id=one.id)
        return outcome_of(append_outcome(store, recording, context, new))


def _check_time(store: Store, at: datetime | None) -> None:
    """The latest outcome counts, so one from the future would count for ever."""
    now = aware(store.clock())
    if at is not None and at > now + _AHEAD:
        raise InvalidTime(
            f"at is {at.isoformat()}, but it is {now.isoformat()}.", hint="Pass when it happened, or none."
        )


def _check_order(context: Event, at: datetime | None) -> None:
    if at is not None and at < context.at - _AHEAD:
        raise InvalidTime(
            f"at is {at.isoformat()}, but the context was given later, at {context.at.isoformat()}.",
            hint="Pass when the outcome happened, or none for now.",
        )


def _repeated(store: Store, known: Event, one: OutcomeInput) -> Outcome:
    """An id that is known must come with the same outcome, person and time, as far as they are stored."""
    first, meta = outcome_of(known), known.meta
    actors = {one.actor} if one.actor is None else {one.actor, store.secret.person(one.actor)}
    value = None if one.value is None else round(one.value, PLACES)
    is_same = (
        known.kind == OUTCOME_REPORTED
        and (first.context, first.value, first.derived_from) == (one.context, value, None)
        and ("followed" in meta) == (one.output is not None)
        and meta.get("note", one.note) == one.note
        and known.actor in actors
        and one.at in (None, known.at)
    )
    if is_same:
        return first
    raise Conflict(
        f"The id {known.id!r} is recorded already, with different content.",
        hint="Give another outcome another id; to send the same again, send it unchanged.",
    )

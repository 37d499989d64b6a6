"""What operators do with a draft: correct it, choose the customer, confirm it. Each act is one event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from uuid_utils import uuid7

from heedful.capture.documents.receiving import actor_of, begin
from heedful.capture.payload import bounded
from heedful.errors import Conflict, InvalidInput, NotFound
from heedful.learnings.documents.drafts import LAST_LINE, Drafts, DraftState
from heedful.learnings.documents.library import Library
from heedful.learnings.outcomes import derive_outcome
from heedful.operations import caller
from heedful.records.clock import aware
from heedful.records.document import (
    ADDED,
    CORRECTIONS,
    CUSTOMER_SELECTED,
    DRAFT,
    DRAFT_CONFIRMED,
    FIELD_CORRECTED,
    LINE_CORRECTED,
    REMOVED,
    DraftStatus,
    Value,
)
from heedful.records.event import Draft, Entity, Event
from heedful.records.json import encode
from heedful.records.names import identifier, whole
from heedful.records.people import one_person
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.text.checks import checked_text, clipped, visible

_VALUE_LIMIT = 1_000
_DESCRIBED = 500  # characters of a text in an event
_MOST_FIELDS = 50


class DraftAct(NamedTuple):
    """Who did something to a draft, and when."""

    draft: str
    by: str | None
    at: datetime | None
    id: str | None


def checked_value(value: object, name: str) -> Value | None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15):
        return value
    if isinstance(value, str):
        return " ".join(visible(checked_text(value, name, _VALUE_LIMIT)).split()) or None
    raise InvalidInput(f"{name} is {value!r}.", hint="Pass a text, a number, or None if there is none.")


def field_name(name: object) -> str:
    found = identifier(name, "field")
    if found == "field":
        raise InvalidInput("No field can be named 'field'.", hint="Choose another name.")
    return found


def line_values(values: Mapping[str, object]) -> dict[str, Value | None]:
    if len(values) > _MOST_FIELDS:
        raise InvalidInput(f"There are {len(values)} values; {_MOST_FIELDS} are allowed.", hint="Pass fewer.")
    return {field_name(name): checked_value(value, name) for name, value in values.items()}


class DraftActs:
    """Each is one event, with what was before and what is after."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._drafts = Drafts(store)

    def correct_field(self, act: DraftAct, field: str, value: Value | None) -> Event:
        def payload(state: DraftState) -> _Payload:
            found = state.fields.get(field)
            before = {"field": field, field: None if found is None else found.value}
            return _Payload(FIELD_CORRECTED, before, {"field": field, field: value}, {"field": field})

        return self._record(act, [FIELD_CORRECTED, field, value], payload)

    def correct_line(self, act: DraftAct, number: int, values: Mapping[str, Value | None]) -> Event:
        if not values:
            raise InvalidInput("No value was given.", hint="Pass what is right, such as qty=12.")
        line = whole(number, "line", LAST_LINE)

        def payload(state: DraftState) -> _Payload:
            found = _line(state, line)
            before = {name: found[name].value if name in found else None for name in values}
            return _Payload(LINE_CORRECTED, before, dict(values), {"line": line})

        return self._record(act, [LINE_CORRECTED, line, dict(values)], payload)

    def add_line(self, act: DraftAct, values: Mapping[str, Value | None]) -> Event:
        if not values:
            raise InvalidInput("No value was given.", hint="Pass what the line says, such as sku='A-1', qty=12.")

        def payload(state: DraftState) -> _Payload:
            return _Payload(LINE_CORRECTED, {}, dict(values), {"line": state.last_line + 1, "act": ADDED})

        return self._record(act, [ADDED, dict(values)], payload)

    def remove_line(self, act: DraftAct, number: int) -> Event:
        line = whole(number, "line", LAST_LINE)

        def payload(state: DraftState) -> _Payload:
            before = {name: found.value for name, found in _line(state, line).items()}
            return _Payload(LINE_CORRECTED, before, {}, {"line": line, "act": REMOVED})

        return self._record(act, [REMOVED, line], payload)

    def select_customer(self, act: DraftAct, customer: str) -> Event:
        chosen = identifier(customer, "customer")

        def payload(state: DraftState) -> _Payload:
            known = Library(self._store).customers(state.family)
            before = {"customer_id": state.customer, "candidates": [one.customer for one in known]}
            return _Payload(
                CUSTOMER_SELECTED, before, {"customer_id": chosen}, {"instead_of": self._known_customer(state)}
            )

        return self._record(act, [CUSTOMER_SELECTED, chosen], payload)

    def _known_customer(self, state: DraftState) -> str | None:
        """Whose document it was said to be before, by a person or when it was received; not what was only inferred."""
        chosen = [act.after.get("customer_id") for act in state.acts if act.kind == CUSTOMER_SELECTED]
        document = self._store.log.get(state.document)
        known = chosen[-1] if chosen else None if document is None else document.after.get("customer")
        return known if isinstance(known, str) else None

    def confirm(self, act: DraftAct) -> Event:
        return self._record(act, [DRAFT_CONFIRMED], lambda _: _Payload(DRAFT_CONFIRMED, {}, {}, {}))

    def _record(self, act: DraftAct, given: list[Any], payload: Callable[[DraftState], _Payload]) -> Event:
        """`given` is what the caller passed: the same again under the same id returns the first event."""
        self._store.secret.load()
        self._drafts.event(act.draft)
        mark = None if act.id is None else self._store.secret.digest("draft", encode([act.draft, *given]))
        with self._store.recording() as record:
            begin(self._store, record)
            if act.id is not None and (known := self._store.log.get(act.id)) is not None:
                return _repeated(known, mark)
            state = self._drafts.state(act.draft)
            if state.status is DraftStatus.DELETED:
                raise NotFound(f"The document of {act.draft!r} was deleted.", hint="Send it again.")
            event = record.append([self._draft(record, act, state, payload(state), mark)])[0]
            if event.kind == DRAFT_CONFIRMED and (share := state.share_left()) is not None:
                derive_outcome(self._store, record, event, share, unit=state.document)
            return event

    def _draft(self, record: Recording, act: DraftAct, state: DraftState, made: _Payload, mark: str | None) -> Draft:
        voice = caller.voice(act.by)
        is_first = made.kind in CORRECTIONS and not state.corrections
        meta = {
            **made.meta,
            "document": state.document,
            "family": state.family,
            "voice": None if voice is None else self._store.secret.person(one_person(voice)),
            "fingerprint": mark,
            "first": True if is_first else None,
            "extracted_on": state.event.at.date().isoformat() if is_first else None,
            "input_snippet": self._snippet(record, state) if made.kind in CORRECTIONS else None,
        }
        return Draft(
            act.id or str(uuid7()),
            made.kind,
            act.at or aware(self._store.clock()),
            actor_of(self._store, act.by),
            Entity(DRAFT, state.event.id),
            (state.layout or None) if made.kind != DRAFT_CONFIRMED else None,  # examples are looked up by layout
            *bounded(_short(made.before), _short(made.after), {k: v for k, v in meta.items() if v is not None}),
            own_id=act.id is not None,
            own_time=act.at is not None,
        )

    def _snippet(self, record: Recording, state: DraftState) -> str | None:
        """The beginning of the document's text, by which the correction becomes an example for a language model."""
        if not record.privacy.store_original_text:
            return None
        document = self._store.log.get(state.document)  # it may be too old, and gone
        snippet = None if document is None else document.meta.get("input_snippet")
        return snippet if isinstance(snippet, str) else None


class _Payload(NamedTuple):
    kind: str
    before: dict[str, Any]
    after: dict[str, Any]
    meta: dict[str, Any]


def _line(state: DraftState, number: int) -> Mapping[str, Any]:
    if number in state.lines:
        return state.lines[number]
    known = ", ".join(map(str, sorted(state.lines))) or "none"
    raise NotFound(f"The draft has no line {number}.", hint=f"Its lines: {known}.")


def _short(values: dict[str, Any]) -> dict[str, Any]:
    return {name: clipped(value, _DESCRIBED) if isinstance(value, str) else value for name, value in values.items()}


def _repeated(known: Event, mark: str | None) -> Event:
    if known.meta.get("fingerprint") == mark:
        return known
    raise Conflict(
        f"The id {known.id!r} is recorded already, with different content.",
        hint="Give a new act a new id; to send the same again, send it unchanged.",
    )

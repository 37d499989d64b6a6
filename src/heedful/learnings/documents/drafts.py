"""Drafts: what was extracted from a document, with what people corrected since.

The extracted values are a file of the event that made the draft; corrections are events about it. So the current state
is always the first one, and what people did to it in the order of the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from heedful.errors import NotFound
from heedful.learnings.documents.library import Library
from heedful.learnings.documents.mappings import Mappings, TypedKey
from heedful.learnings.documents.words import VALUES, WORDS, values_of, words_of
from heedful.records.document import (
    CORRECTIONS,
    CUSTOMER_SELECTED,
    DOCUMENT,
    DOCUMENT_DELETED,
    DRAFT,
    DRAFT_CONFIRMED,
    EXTRACTED,
    FIELD_CORRECTED,
    LINE_CORRECTED,
    REMOVED,
    DocumentDraft,
    DraftLine,
    DraftStatus,
    Example,
    Extraction,
    Found,
    MappingMatch,
    Value,
)
from heedful.records.event import Event
from heedful.records.mapping import MappingType
from heedful.records.names import identifier
from heedful.store import Store

LAST_LINE = 100_000
_BY_A_PERSON = "corrected"  # the source of a value that a person gave
_SUGGESTED_LINES = 20  # for how many unmapped lines suggestions are looked up
_MOST_EXAMPLES = 8
_LOOKED_AT = 32  # drafts, of which some may be deleted
_MAPPED = {
    "sku": MappingType.SKU, "uom": MappingType.UNIT, "price": MappingType.PRICE, "date": MappingType.DATE,
}  # fmt: skip


class DraftState(NamedTuple):
    """A draft with all corrections."""

    event: Event
    """The one that made it."""
    fields: Mapping[str, Found]
    lines: Mapping[int, Mapping[str, Found]]
    """By number."""
    last_line: int
    """The highest number that any line has or had."""
    customer: str | None
    status: DraftStatus
    acts: tuple[Event, ...]

    @property
    def document(self) -> str:
        assert self.event.entity is not None  # written by heedful only
        return self.event.entity.id

    @property
    def family(self) -> str:
        return str(self.event.meta.get("family", ""))

    @property
    def layout(self) -> str:
        return str(self.event.meta.get("layout", ""))

    @property
    def corrections(self) -> list[Event]:
        return [act for act in self.acts if act.kind in CORRECTIONS]

    def share_left(self) -> float | None:
        """The share of values that people left as they were extracted; None if there are none."""
        values = [*self.fields.values(), *(found for line in self.lines.values() for found in line.values())]
        removed = sum(len(act.before) for act in self.acts if act.meta.get("act") == REMOVED)
        total = len(values) + removed
        return sum(found.source != _BY_A_PERSON for found in values) / total if total else None


class Drafts:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._log = store.log
        self._library = Library(store)

    def event(self, id: str) -> Event:
        found = self._log.get(identifier(id, "draft"))
        if found is None or found.kind != EXTRACTED or found.entity is None:
            raise NotFound(f"There is no draft {id!r}.", hint="Make one with apply.extract(document).")
        return found

    def state(self, id: str) -> DraftState:
        event = self.event(id)
        content = self._store.files.text(event.id, VALUES)
        if content is None:
            raise NotFound(f"The values of {id!r} are not there any more.", hint="Extract the document again.")
        assert event.entity is not None
        gone = any(act.kind == DOCUMENT_DELETED for act in self._log.about(DOCUMENT, [event.entity.id]))
        return _replayed(event, values_of(content), self._log.about(DRAFT, [event.id]), deleted=gone)

    def get(self, id: str) -> DocumentDraft:
        return self.of(self.state(id))

    def of(self, state: DraftState) -> DocumentDraft:
        after = state.event.after
        return DocumentDraft(
            id=state.event.id,
            document=state.document,
            at=state.event.at,
            status=state.status,
            method=str(after.get("method", "local")),
            confidence=float(after.get("confidence", 0.0)),
            layout=state.layout,
            family=state.family,
            customer=state.customer,
            candidates=() if state.customer is not None else self._library.customers(state.family),
            fields=state.fields,
            lines=self.mapped(state.customer, state.lines),
            corrections=tuple(act.id for act in state.corrections),
        )

    def mapped(self, customer: str | None, lines: Mapping[int, Mapping[str, Found]]) -> tuple[DraftLine, ...]:
        """The lines with the mappings of their article numbers, as they are confirmed now."""
        mappings = Mappings(self._store)
        keys = {(number, name): key for number, fields in lines.items() for name, key in _keys(fields)}
        matches = mappings.matches(customer, list(dict.fromkeys(keys.values()))) if keys and mappings.any() else {}
        articles = {number: key for (number, name), key in sorted(keys.items()) if name == "sku"}
        unknown = [number for number, key in articles.items() if key not in matches][:_SUGGESTED_LINES]
        suggested = {
            number: mappings.suggestions(MappingType.SKU, customer, articles[number].key)
            for number in (unknown if unknown and mappings.any() else ())
        }
        applied: dict[int, dict[str, MappingMatch]] = {}
        for (number, name), key in keys.items():
            if key in matches:
                applied.setdefault(number, {})[name] = matches[key]
        return tuple(
            DraftLine(number, fields, applied.get(number, {}), suggested.get(number, ()))
            for number, fields in sorted(lines.items())
        )

    def examples(self, family: str) -> list[Example]:
        """Documents of a family with the values that people left in them, newest first."""
        taught = map(self._known, self._library.taught(family, _LOOKED_AT))
        usable = (state for state in taught if state is not None and state.status is not DraftStatus.DELETED)
        states = list(islice(usable, _MOST_EXAMPLES))
        words = self._store.files.texts(WORDS, [state.document for state in states])
        return [_example(state, words[state.document]) for state in states if state.document in words]

    def _known(self, id: str) -> DraftState | None:
        try:
            return self.state(id)
        except NotFound:  # erased since
            return None


def _keys(fields: Mapping[str, Found]) -> Iterator[tuple[str, TypedKey]]:
    """What may be mapped in a line, by field."""
    for name, type in _MAPPED.items():
        value = fields[name].value if name in fields else None
        if value is not None and (text := str(value).strip()):
            yield name, TypedKey(type, text)


def _replayed(event: Event, made: Extraction, acts: Sequence[Event], *, deleted: bool) -> DraftState:
    fields = dict(made.fields)
    lines = {number: dict(line) for number, line in enumerate(made.lines, 1)}
    last, customer, status = len(lines), event.meta.get("customer"), DraftStatus.OPEN
    for act in acts:
        if act.kind == FIELD_CORRECTED:
            name = str(act.after.get("field", ""))
            fields |= _corrected({name: act.after.get(name)}, act)
        elif act.kind == LINE_CORRECTED:
            last = max(last, _correct_line(lines, act))
        elif act.kind == CUSTOMER_SELECTED and isinstance(chosen := act.after.get("customer_id"), str):
            customer = chosen
        if act.kind == DRAFT_CONFIRMED:
            status = DraftStatus.CONFIRMED
        elif act.kind in (*CORRECTIONS, CUSTOMER_SELECTED):
            status = DraftStatus.OPEN  # somebody had to change it after all
    kept = {name: found for name, found in fields.items() if name}
    return DraftState(event, kept, lines, last, customer, DraftStatus.DELETED if deleted else status, tuple(acts))


def line_of(act: Event) -> int | None:
    """The line that a correction is about. Programs may record corrections as well, so it can be anything."""
    number = act.meta.get("line")
    return number if type(number) is int and 1 <= number <= LAST_LINE else None


def _correct_line(lines: dict[int, dict[str, Found]], act: Event) -> int:
    number = line_of(act)
    if number is None:
        return 0
    if act.meta.get("act") == REMOVED:
        lines.pop(number, None)
        return number
    lines.setdefault(number, {}).update(_corrected(act.after, act))
    return number


def _corrected(values: Mapping[str, Any], act: Event) -> dict[str, Found]:
    """The place of a corrected value is looked for when the next document is extracted. Programs may record corrections
    as well: what cannot be the value of a field is left out."""
    return {
        name: Found(value, 1.0, "" if value is None else str(value), source=_BY_A_PERSON, taught_by=(act.id,))
        for name, value in values.items()
        if value is None or (isinstance(value, str | int | float) and not isinstance(value, bool))
    }


def _example(state: DraftState, words: bytes) -> Example:
    taught: dict[str, str] = {}
    for act in state.corrections:
        if act.kind == FIELD_CORRECTED:
            taught[str(act.after.get("field", ""))] = act.id
        else:
            names = {*act.before, *act.after} if act.meta.get("act") != REMOVED else {REMOVED}
            taught |= {f"lines.{name}": act.id for name in names}
    return Example(
        words_of(words),
        _values(state.fields),
        tuple(_values(line) for _, line in sorted(state.lines.items())),
        taught,
        state.status is DraftStatus.CONFIRMED,
    )


def _values(fields: Mapping[str, Found]) -> dict[str, Value | None]:
    return {name: found.value for name, found in fields.items()}

"""A draft as its page shows it: each value with how sure it is, how it was found, and what it was before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from heedful.edges.web.paper import Place, printed_at
from heedful.edges.web.shown_values import label, shown
from heedful.learnings.documents.drafts import line_of
from heedful.learnings.documents.mappings import Mappings
from heedful.loop import Loop
from heedful.records.document import (
    ADDED,
    DRAFT,
    FIELD_CORRECTED,
    HEADER_FIELDS,
    LINE_CORRECTED,
    LINE_FIELDS,
    Box,
    DocumentDraft,
    DocumentText,
    DraftLine,
    Found,
    MappingMatch,
)
from heedful.records.event import Event
from heedful.records.json import encode
from heedful.records.learning import Status
from heedful.records.mapping import MappingType
from heedful.records.proposal import Proposal

SURE, LIKELY = 0.8, 0.5
_ALWAYS = ("qty", "uom", "price", "amount")
"""The columns beside the article that every table has."""
_RIGHT = ("qty", "price", "amount")
_MOST_PROPOSALS = 1_000
_SOURCES = {
    "label": "by its label",
    "shape": "by what it looks like",
    "position": "by its place",
    "model": "by a language model",
}
_METHODS = {"other_customer": "other customer", "similar_key": "like {key}"}


@dataclass(frozen=True, slots=True)
class ValueView:
    key: str
    """Of its input and its box."""
    name: str
    label: str
    text: str
    level: str
    """sure, likely, unsure, corrected, or none if there is no value."""
    percent: int | None
    note: str
    """How sure it is and how it was found, in a sentence."""
    place: Place | None
    old: str | None
    """What it was before somebody corrected it."""
    numeric: bool = False

    @property
    def is_corrected(self) -> bool:
        return self.level == "corrected"


@dataclass(frozen=True, slots=True)
class Suggestion:
    value: str
    why: str


@dataclass(frozen=True, slots=True)
class MappingView:
    """What the article number of a line means."""

    key: str
    value: str
    """The number that is applied; empty if there is none."""
    for_all: bool
    """It is applied to all customers."""
    suggestions: tuple[Suggestion, ...]
    disputed: bool
    proposal: str | None
    """Where people decide about it."""


@dataclass(frozen=True, slots=True)
class LineView:
    number: int
    cells: Mapping[str, ValueView]
    percent: int | None
    """How sure the least sure value of it is."""
    level: str
    mapping: MappingView | None
    added: bool


@dataclass(frozen=True, slots=True)
class DraftView:
    draft: DocumentDraft
    fields: tuple[ValueView, ...]
    columns: tuple[str, ...]
    lines: tuple[LineView, ...]
    state: str
    percent: int | None

    # What the forms say when the page is opened, so that only what somebody changed there is recorded.

    @property
    def fields_were(self) -> str:
        return encode({view.name: view.text for view in self.fields})

    @property
    def lines_were(self) -> str:
        return encode({f"{line.number}:{cell.name}": cell.text for line in self.lines for cell in line.cells.values()})

    @property
    def mappings_were(self) -> str:
        return encode({str(line.number): line.mapping.value for line in self.lines if line.mapping is not None})

    @property
    def values(self) -> list[ValueView]:
        return [*self.fields, *(cell for line in self.lines for cell in line.cells.values())]

    def on_page(self, page: int) -> list[tuple[ValueView, Box]]:
        places = [(view, view.place) for view in self.values]
        return [(view, place.box) for view, place in places if place is not None and place.page == page]


class _Change(NamedTuple):
    """What a person did to a value."""

    before: object
    event: Event


class _Changes:
    """The values that people changed, each with the first value it had."""

    def __init__(self, acts: Iterable[Event]) -> None:
        self.fields: dict[str, _Change] = {}
        self.lines: dict[tuple[int, str], _Change] = {}
        self.added: set[int] = set()
        for act in acts:
            self._note(act)

    def _note(self, act: Event) -> None:
        if act.kind == FIELD_CORRECTED:
            name = str(act.after.get("field", ""))
            self.fields.setdefault(name, _Change(act.before.get(name), act))
        elif act.kind == LINE_CORRECTED and (number := line_of(act)) is not None:
            if act.meta.get("act") == ADDED:
                self.added.add(number)
            for name in act.after:
                self.lines.setdefault((number, name), _Change(act.before.get(name), act))


def state_of(*, status: str, corrected: bool) -> str:
    """open, corrected or confirmed."""
    return "corrected" if status == "open" and corrected else status


def draft_view(loop: Loop, draft: DocumentDraft, text: DocumentText, more: Sequence[str] = ()) -> DraftView:
    """`more` are columns to show though no line has them."""
    changes = _Changes(loop.store.log.about(DRAFT, [draft.id]))
    names = [*HEADER_FIELDS, *(name for name in draft.fields if name not in HEADER_FIELDS)]
    fields = tuple(
        _value(f"f{place}", name, draft.fields.get(name), changes.fields.get(name), text)
        for place, name in enumerate(names)
    )
    others = [name for line in draft.lines for name in line.fields if name not in ("sku", "description")]
    listed = [name for name in LINE_FIELDS if name in (*others, *more)]
    columns = tuple(dict.fromkeys([*_ALWAYS, *listed, *others, *more]))
    mappings = _Mappings(loop, draft)
    return DraftView(
        draft=draft,
        fields=fields,
        columns=columns,
        lines=tuple(_line(line, ("sku", "description", *columns), changes, text, mappings) for line in draft.lines),
        state=state_of(status=draft.status.value, corrected=bool(draft.corrections)),
        percent=_mean([*draft.fields.values(), *(one for line in draft.lines for one in line.fields.values())]),
    )


def _mean(found: Sequence[Found]) -> int | None:
    return round(100 * fmean(one.confidence for one in found)) if found else None


def _line(
    line: DraftLine, names: Sequence[str], changes: _Changes, text: DocumentText, mappings: _Mappings
) -> LineView:
    near = _near(line, text)
    cells = {
        name: _value(
            f"l{line.number}-{place}", name, line.fields.get(name), changes.lines.get((line.number, name)), text, near
        )
        for place, name in enumerate(names)
    }
    percents = [cell.percent for cell in cells.values() if cell.percent is not None and not cell.is_corrected]
    least = min(percents) if percents else None
    return LineView(
        number=line.number,
        cells=cells,
        percent=least,
        level="corrected" if least is None else level(least / 100),
        mapping=mappings.of(line),
        added=line.number in changes.added,
    )


def _near(line: DraftLine, text: DocumentText) -> Place | None:
    """Where a line stands: by a value that was found in it, else by its article number or description."""
    found = next((Place(one.page, one.box) for one in line.fields.values() if one.page and one.box), None)
    known = [value for name in ("sku", "description") if (value := line.values.get(name)) is not None]
    return found or next((place for value in known if (place := printed_at(text, value, None)) is not None), None)


def level(confidence: float) -> str:
    return "sure" if confidence >= SURE else "likely" if confidence >= LIKELY else "unsure"


def _value(
    key: str, name: str, found: Found | None, change: _Change | None, text: DocumentText, near: Place | None = None
) -> ValueView:
    said, numeric = shown(None if found is None else found.value, name), name in _RIGHT
    if found is None:
        return ValueView(key, name, label(name), "", "none", None, f"{label(name)} was not found.", None, None, numeric)
    if change is not None:
        place = None if found.value is None else printed_at(text, found.value, near)
        old = shown(change.before, name)
        note = f"{label(name)}: corrected" + (f"; it was “{old}”." if old else "; it had not been found.")
        return ValueView(key, name, label(name), said, "corrected", 100, note, place, old, numeric)
    place = Place(found.page, found.box) if found.page and found.box else None
    percent = round(100 * found.confidence)
    return ValueView(
        key, name, label(name), said, level(found.confidence), percent, _note(name, found), place, None, numeric
    )


def _note(name: str, found: Found) -> str:
    parts = [f"{round(100 * found.confidence)} % sure"]
    if found.text and found.text != shown(found.value, name):
        parts.append(f"printed as “{found.text}”")
    if found.page:
        parts.append(f"on page {found.page}")
    how = found.how or _SOURCES.get(found.source, "")
    if how:
        parts.append(f"found {how}")
    if found.taught_by:
        count = len(found.taught_by)
        parts.append(f"learned from {count} correction{'' if count == 1 else 's'}")
    return f"{label(name)}: {', '.join(parts)}."


class _Mappings:
    def __init__(self, loop: Loop, draft: DocumentDraft) -> None:
        self._loop = loop
        self._customer = draft.customer
        self._proposals: Sequence[Proposal] | None = None

    def of(self, line: DraftLine) -> MappingView | None:
        """None if the line has no article number."""
        sku = line.fields["sku"].value if "sku" in line.fields else None
        key = shown(sku, "sku").strip()
        if not key:
            return None
        match = line.mapping
        rivals = self._rivals(key) if match is None or match.contradicted else []
        disputed = len(rivals) > 1
        offered = [Suggestion(one.value, _why(one)) for one in line.suggestions]
        if disputed and match is None:
            offered = [Suggestion(value, "say some") for _, value in rivals]
        return MappingView(
            key=key,
            value="" if match is None else match.value,
            for_all=self._customer is None,
            suggestions=tuple(offered),
            disputed=disputed,
            proposal=proposal_about(self._waiting(), [id for id, _ in rivals]) if disputed else None,
        )

    def _rivals(self, key: str) -> list[tuple[str, str]]:
        """What different people say the key means: ids and values."""
        table = Mappings(self._loop.store)
        for customer in dict.fromkeys((self._customer, None)):
            rows = table.of_key(MappingType.SKU, customer, key)
            active = [table.record(row) for row in rows if row.state.status == Status.ACTIVE]
            if active:
                return [(one.id, one.value) for one in active]
        return []

    def _waiting(self) -> Sequence[Proposal]:
        if self._proposals is None:
            self._proposals = waiting(self._loop)
        return self._proposals


def waiting(loop: Loop) -> Sequence[Proposal]:
    return loop.govern.proposals.page(limit=_MOST_PROPOSALS).items


def proposal_about(proposals: Iterable[Proposal], learnings: Sequence[str]) -> str | None:
    return next((one.id for one in proposals if set(one.learnings) & set(learnings)), None)


def _why(match: MappingMatch) -> str:
    return _METHODS.get(match.method, "").format(key=match.key)

"""What a correction changes for the next document of the same layout, tried on the latest one there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heedful.edges.web.shown_values import label, shown
from heedful.errors import NotFound
from heedful.learnings.documents.drafts import Drafts
from heedful.learnings.documents.library import Library, family_of
from heedful.loop import Loop
from heedful.records.document import (
    CORRECTIONS,
    DRAFT,
    FIELD_CORRECTED,
    REMOVED,
    Document,
    DocumentDraft,
    DraftStatus,
    Found,
    Value,
)
from heedful.records.event import Event
from heedful.text.printed_values import same

_RECENT = 200  # documents among which one of the same layout is looked for
_LISTED = 5  # values of a column that are told


@dataclass(frozen=True, slots=True)
class Trial:
    """What one field or column of another document would be now."""

    label: str
    before: str
    """As its draft says."""
    after: str
    how: str


@dataclass(frozen=True, slots=True)
class Learned:
    document: Document
    """The one that it was tried on."""
    is_other: bool
    """Otherwise there is no other document of this layout, and it was tried on the same one."""
    trials: tuple[Trial, ...]
    right: bool
    """On the same document: whether the corrected values come out."""


def corrections_of(loop: Loop, draft: DocumentDraft, ids: Sequence[str]) -> list[Event]:
    """Those of these events that are corrections of the draft."""
    return [act for act in loop.store.log.about(DRAFT, [draft.id]) if act.id in ids and act.kind in CORRECTIONS]


def told(act: Event) -> str:
    """What a person corrected, in a sentence."""
    if act.kind == FIELD_CORRECTED:
        name = str(act.after.get("field", ""))
        return _changed(name, label(name), act.before.get(name), act.after.get(name))
    line = f"Line {act.meta.get('line')}"
    if act.meta.get("act") == REMOVED:
        return f"{line} was removed."
    if not act.before:
        return f"{line} was added."
    return " ".join(
        _changed(name, f"{label(name)} of line {act.meta.get('line')}", act.before.get(name), value)
        for name, value in act.after.items()
    )


def _changed(field: str, what: str, before: Value | None, after: Value | None) -> str:
    if after is None:
        return f"{what} has no value; it was “{shown(before, field)}”."
    was = f"; it was “{shown(before, field)}”." if before is not None else "."
    return f"{what} is “{shown(after, field)}”{was}"


def learned(loop: Loop, document: Document, acts: Sequence[Event]) -> Learned | None:
    """None if nothing can be tried."""
    other = _other(loop, document)
    tried = other or document
    try:
        now = loop.apply.preview(tried.id)
    except NotFound:  # deleted meanwhile
        return None
    was = loop.learn.documents.draft(tried.drafts[-1]) if other is not None and tried.drafts else None
    trials = tuple(trial for act in acts for trial in _trials(act, now, was))
    return Learned(tried, other is not None, trials, all(_comes_out(act, now) for act in acts))


def _other(loop: Loop, document: Document) -> Document | None:
    """The most recent other document of the same family."""
    library = Library(loop.store)
    alike = [
        event.id
        for event in library.recent(None, _RECENT)
        if family_of(event) == document.family and event.id != document.id
    ]
    gone = library.deleted(alike) if alike else set()
    newest = next((id for id in alike if id not in gone), None)
    return None if newest is None else loop.learn.documents.get(newest)


def _trials(act: Event, now: DocumentDraft, was: DocumentDraft | None) -> Iterator[Trial]:
    if act.kind == FIELD_CORRECTED:
        name = str(act.after.get("field", ""))
        found = now.fields.get(name)
        before = None if was is None or name not in was.fields else was.fields[name].value
        after = None if found is None else found.value
        yield Trial(label(name), shown(before, name), shown(after, name), _how(found))
    elif act.meta.get("act") == REMOVED or not act.before:
        count = "" if was is None else str(len(was.lines))
        yield Trial("Lines", count, str(len(now.lines)), "")
    else:
        for name in act.after:
            found = next((line.fields[name] for line in now.lines if name in line.fields), None)
            yield Trial(label(name), "" if was is None else _column(was, name), _column(now, name), _how(found))


def _column(draft: DocumentDraft, name: str) -> str:
    values = [shown(line.fields[name].value, name) or "–" if name in line.fields else "–" for line in draft.lines]
    return ", ".join(values[:_LISTED]) + (" …" if len(values) > _LISTED else "")


def _how(found: Found | None) -> str:
    return "" if found is None else found.how


def _comes_out(act: Event, now: DocumentDraft) -> bool:
    if act.kind == FIELD_CORRECTED:
        name = str(act.after.get("field", ""))
        found = now.fields.get(name)
        return same(None if found is None else found.value, act.after.get(name))
    if act.meta.get("act") == REMOVED or not act.before:
        return True
    return all(
        any(name in line.fields and same(line.fields[name].value, value) for line in now.lines)
        for name, value in act.after.items()
    )


def next_open(loop: Loop, besides: str, most: int) -> Document | None:
    """The newest document whose draft waits for a person."""
    drafts = Drafts(loop.store)
    for document in loop.learn.documents.page(limit=most).items:
        if document.id == besides or document.deleted or not document.drafts:
            continue
        try:
            status = drafts.state(document.drafts[-1]).status
        except NotFound:  # its values are erased
            continue
        if status is DraftStatus.OPEN:
            return document
    return None

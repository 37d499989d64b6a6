"""A draft is what was extracted and what people did to it since, in their order; on every database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heedful
from heedful.capture import Capture
from heedful.edges.web.draft_view import draft_view
from heedful.errors import NotFound
from heedful.learnings.documents.library import Library
from heedful.records.document import DocumentDraft
from heedful.testing import FrozenClock
from tests.contract.extracting import FEEDBACK, check_sound, derived, extracted, feedback, values
from tests.examples import examples

FIELDS = ["order_number", "currency", "cost_centre"]
COLUMNS = ["sku", "qty", "price", "colour"]
ANY_VALUE = st.none() | st.integers(-99, 99) | st.floats(-9, 9).map(lambda n: round(n, 2)) | st.sampled_from(["A", "ä"])
_CELLS = st.dictionaries(st.sampled_from(COLUMNS), ANY_VALUE, min_size=1, max_size=3)


class Step(NamedTuple):
    """One act of a person: what they do, to which line or field, and the values."""

    act: str
    where: Any
    values: Any


STEPS = st.lists(
    st.one_of(
        st.builds(Step, st.just("field"), st.sampled_from(FIELDS), ANY_VALUE),
        st.builds(Step, st.just("line"), st.integers(1, 8), _CELLS),
        st.builds(Step, st.just("add"), st.none(), _CELLS),
        st.builds(Step, st.just("remove"), st.integers(1, 8), st.none()),
        st.builds(Step, st.just("customer"), st.none(), st.sampled_from(["C-1", "C-2"])),
        st.builds(Step, st.just("confirm"), st.none(), st.none()),
    ),
    max_size=10,
)


class Replay:
    """What a draft must be: the acts one after the other, on plain dictionaries."""

    def __init__(self, draft: DocumentDraft) -> None:
        self.fields: dict[str, Any] = dict(draft.values)
        self.lines: dict[int, dict[str, Any]] = {line.number: dict(line.values) for line in draft.lines}
        self.last = max(self.lines, default=0)
        self.customer = draft.customer
        self.status = "open"
        self.acts = 0

    def do(self, step: Step) -> None:
        if step.act in ("line", "remove") and step.where not in self.lines:
            return  # there is no such line
        self.acts += step.act != "confirm"
        self.status = "confirmed" if step.act == "confirm" else "open"
        if step.act == "field":
            self.fields[step.where] = step.values
        elif step.act == "line":
            self.lines[step.where] |= step.values
        elif step.act == "add":
            self.last += 1
            self.lines[self.last] = dict(step.values)
        elif step.act == "remove":
            del self.lines[step.where]
        elif step.act == "customer":
            self.customer = step.values


def _split(cells: Mapping[str, Any]) -> dict[str, Any]:
    """As arguments: columns that heedful names, and the others."""
    known = {name: value for name, value in cells.items() if name != "colour"}
    return known if "colour" not in cells else {**known, "values": {"colour": cells["colour"]}}


ACTS: dict[str, Callable[[Capture, str, Step], DocumentDraft]] = {
    "field": lambda capture, draft, step: capture.field_corrected(draft, step.where, step.values),
    "line": lambda capture, draft, step: capture.line_corrected(draft, line=step.where, **_split(step.values)),
    "add": lambda capture, draft, step: capture.line_added(draft, **_split(step.values)),
    "remove": lambda capture, draft, step: capture.line_removed(draft, step.where),
    "customer": lambda capture, draft, step: capture.customer_selected(draft, step.values),
    "confirm": lambda capture, draft, _: capture.draft_confirmed(draft),
}


def _do(loop: heedful.Loop, draft: str, step: Step) -> DocumentDraft | None:
    try:
        return ACTS[step.act](loop.capture, draft, step)
    except NotFound:  # there is no such line
        return None


@examples(12)
@given(steps=STEPS)
def test_a_draft_is_what_was_extracted_and_every_act_since(database: str, steps: list[Step]) -> None:
    """SC-001: each act of a person is one event, and the draft is the replay of them."""
    with heedful.open(database, org=f"o{hash(str(steps))}", clock=FrozenClock()) as loop:
        draft = extracted(loop)
        replay = Replay(draft)
        for step in steps:
            replay.do(step)
            now = _do(loop, draft.id, step)
            if now is not None:
                assert values(now) == (replay.fields, replay.lines)
        now = loop.learn.documents.draft(draft)
        assert values(now) == (replay.fields, replay.lines)
        assert (now.customer, now.status.value) == (replay.customer, replay.status)
        assert (now.document, now.confidence, now.layout) == (draft.document, draft.confidence, draft.layout)
        assert len(feedback(loop)) == replay.acts
        assert list(now.corrections) == [event.id for event in feedback(loop) if "CORRECTED" in event.kind]
        assert sum(loop.measure.learning().events_by_type.values()) == replay.acts
        before = derived(loop)
        loop.learn.rebuild()
        assert derived(loop) == before
        assert loop.learn.documents.draft(draft) == now
        check_sound(loop)


def test_each_extraction_of_a_document_is_a_draft_of_its_own(loop: heedful.Loop) -> None:
    first = extracted(loop, id="order-1")
    loop.capture.field_corrected(first, "cost_centre", "K-17")
    second = loop.apply.extract("order-1")

    assert first.id != second.id
    assert loop.learn.documents.get("order-1").drafts == (first.id, second.id)
    assert second.corrections == ()
    assert loop.learn.layouts.get(first.layout).extractions == 2


def test_a_preview_is_what_an_extraction_would_give_and_is_not_stored(loop: heedful.Loop) -> None:
    draft = extracted(loop, id="order-1")
    head = loop.store.log.head()
    preview = loop.apply.preview("order-1")

    assert preview.id == ""
    assert values(preview) == values(draft)
    assert loop.store.log.head() == head


def test_where_a_record_is_returned_it_may_be_passed_instead_of_its_id(loop: heedful.Loop) -> None:
    draft = extracted(loop)
    document = loop.learn.documents.get(draft.document)

    assert loop.learn.documents.get(document) == document
    assert loop.learn.documents.draft(draft) == loop.learn.documents.draft(draft.id)
    assert loop.apply.preview(document).document == document.id


def test_what_was_extracted_says_where_it_stands_and_how_sure_it_is(loop: heedful.Loop) -> None:
    draft = extracted(loop)

    assert str(draft.values["order_number"]) == "4711"
    for found in draft.fields.values():
        assert 0 < found.confidence <= 1
        assert found.page == 1
        assert found.box is not None
        assert 0 <= found.box.x0 < found.box.x1 <= 1
        assert 0 <= found.box.y0 < found.box.y1 <= 1
    assert 0 < draft.confidence <= 1


@pytest.mark.parametrize("kind", sorted(FEEDBACK))
def test_an_event_about_another_draft_changes_nothing_here(loop: heedful.Loop, kind: str) -> None:
    draft, other = extracted(loop, 4711), extracted(loop, 4712)
    loop.capture.event(kind, entity=("draft", other.id), after={"field": "currency", "currency": "XXX"})

    assert loop.learn.documents.draft(draft) == draft


@pytest.mark.parametrize("line", ["abc", None, 0, 10**9, [1]])
def test_odd_corrections_of_programs_do_not_spoil_the_page(loop: heedful.Loop, line: Any) -> None:
    draft = extracted(loop)
    payload: dict[str, Any] = {"before": {"qty": [1]}, "after": {"qty": {"a": 1}}, "entity": ("draft", draft.id)}
    loop.capture.event("EXTRACTION_LINE_CORRECTED", **payload, meta={"line": line})
    loop.capture.event("EXTRACTION_LINE_CORRECTED", **payload, meta={"line": 1})

    view = draft_view(loop, loop.learn.documents.draft(draft), Library(loop.store).words(draft.document))

    assert [cell.name for cell in view.values if cell.old == "[1]"] == ["qty"]

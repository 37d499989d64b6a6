"""What operators do with an extraction is recorded, each act once, with what was before and after; on every database.

The scenarios are those of story 1 of the specification "Feedback & Learning Loop".
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import heedful
from heedful.errors import Conflict, InvalidInput, Misconfigured, NotFound, PayloadTooLarge
from heedful.records.document import DocumentDraft, DraftStatus
from heedful.records.event import Entity
from heedful.settings import Settings
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import rows
from tests.contract.extracting import FEEDBACK, added, check_sound, extracted, feedback, order, received, values
from tests.feedback import dump, leaked

LIMIT = 10 * 1024
MANY = [f"INT-{number}" for number in range(21)]
Act = Callable[[heedful.Loop, DocumentDraft, str], object]

ACTS: dict[str, Act] = {
    "MAPPING_CONFIRMED": lambda loop, draft, by: loop.capture.mapping_confirmed(
        "ABC-123", "INT-999", customer="C-9", draft=draft, suggestions=["INT-998", "INT-999"], by=by
    ),
    "MAPPING_REJECTED": lambda loop, draft, by: loop.capture.mapping_rejected(
        "ABC-123", "INT-998", customer="C-9", draft=draft, by=by
    ),
    "EXTRACTION_LINE_CORRECTED": lambda loop, draft, by: loop.capture.line_added(draft, sku="ABC-9", qty=4, by=by),
    "EXTRACTION_FIELD_CORRECTED": lambda loop, draft, by: loop.capture.field_corrected(
        draft, "order_number", "4712", by=by
    ),
    "CUSTOMER_SELECTED": lambda loop, draft, by: loop.capture.customer_selected(draft, "C-9", by=by),
}
every_act = pytest.mark.parametrize("kind", ACTS)


@pytest.fixture
def draft(loop: heedful.Loop) -> DocumentDraft:
    return extracted(loop)


def test_confirming_a_mapping_records_what_was_suggested_and_what_was_chosen(loop: heedful.Loop) -> None:
    """Story 1, scenario 1."""
    made = loop.capture.mapping_confirmed(
        "ABC-123", "INT-999", customer="C-9", suggestions=["INT-998", "INT-999"], by="dana"
    )

    (event,) = feedback(loop)
    assert event.kind == "MAPPING_CONFIRMED"
    assert event.entity == Entity("sku_mapping", made.id)
    assert event.before == {"support_count": 0, "suggestions": ["INT-998", "INT-999"]}
    assert event.after == {
        "status": "CONFIRMED", "confidence": 1.0, "customer_sku": "ABC-123", "internal_sku": "INT-999"
    }  # fmt: skip


def test_confirming_again_records_the_state_of_the_mapping_before(loop: heedful.Loop) -> None:
    """The same, with the snapshot of the mapping that the specification's own example takes."""
    for _ in range(2):
        loop.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9")

    assert feedback(loop)[-1].before == {"status": "CONFIRMED", "confidence": 1.0, "support_count": 1}


def test_editing_a_quantity_records_the_old_and_the_new_one(loop: heedful.Loop, draft: DocumentDraft) -> None:
    """Story 1, scenario 2: qty from 10 to 12."""
    draft, line = added(loop, draft, sku="ABC-123", qty=10, uom="pcs")
    draft = loop.capture.line_corrected(draft, line=line, qty=12, by="dana")

    event = feedback(loop)[-1]
    assert event.kind == "EXTRACTION_LINE_CORRECTED"
    assert event.before == {"qty": 10}
    assert event.after == {"qty": 12}
    assert (event.meta["line"], event.layout) == (line, draft.layout)
    assert event.entity == Entity("draft", draft.id)  # the draft_order of the specification
    corrected = draft.line(line)
    assert corrected is not None
    assert corrected.values == {"sku": "ABC-123", "qty": 12, "uom": "pcs"}
    assert (corrected.fields["qty"].source, corrected.fields["qty"].taught_by) == ("corrected", (event.id,))


def test_a_quantity_that_was_extracted_is_what_was_before(loop: heedful.Loop, draft: DocumentDraft) -> None:
    """Story 1, scenario 2, on a line that stands in the document."""
    (first, *_) = draft.lines
    assert first.values["qty"] == 10

    loop.capture.line_corrected(draft, line=first.number, qty=12)

    (event,) = feedback(loop)
    assert (event.before, event.after) == ({"qty": 10}, {"qty": 12})


def test_selecting_a_customer_records_the_candidates_and_the_choice(loop: heedful.Loop) -> None:
    """Story 1, scenario 3."""
    for number, customer in enumerate(("C-1", "C-2", "C-2")):
        received(loop, 4000 + number, customer=customer)
    draft = extracted(loop, 4711)
    assert draft.customer is None
    assert [one.customer for one in draft.candidates] == ["C-2", "C-1"]

    draft = loop.capture.customer_selected(draft, "C-1", by="dana")

    (event,) = feedback(loop)
    assert event.kind == "CUSTOMER_SELECTED"
    assert event.before["candidates"] == ["C-2", "C-1"]
    assert event.after == {"customer_id": "C-1"}
    assert (draft.customer, draft.candidates) == ("C-1", ())


def test_a_customer_that_was_chosen_by_mistake_is_none_of_the_layout(loop: heedful.Loop) -> None:
    draft = extracted(loop, 4711)
    for chosen in ("C-1", "C-2", "C-2"):
        draft = loop.capture.customer_selected(draft, chosen)

    assert extracted(loop, 4712).customer == "C-2"

    loop.capture.customer_selected(extracted(loop, 4713, customer="C-3"), "C-2")

    assert extracted(loop, 4714).customer == "C-2"
    check_sound(loop)


def test_if_all_documents_of_a_layout_were_one_customers_so_is_the_next(loop: heedful.Loop) -> None:
    received(loop, 4000, customer="C-1")

    assert extracted(loop, 4711).customer == "C-1"
    assert extracted(loop, 4712, customer="C-2").customer == "C-2"  # unless it is told


def test_rejecting_a_mapping_records_what_was_rejected(loop: heedful.Loop) -> None:
    """Story 1, scenario 4."""
    made = loop.capture.mapping_rejected("ABC-123", "INT-998", customer="C-9", by="dana")

    (event,) = feedback(loop)
    assert (event.kind, event.entity) == ("MAPPING_REJECTED", Entity("sku_mapping", made.id))
    assert event.meta["internal_sku"] == "INT-998"
    assert event.after["status"] == "REJECTED"


@every_act
def test_an_event_has_organisation_person_type_before_after_and_time(
    loop: heedful.Loop, draft: DocumentDraft, clock: FrozenClock, kind: str
) -> None:
    """Story 1, scenario 5; FR-001, FR-003, FR-004, SC-001: every manual act is exactly one event of its type."""
    loop.govern.set_privacy(anonymize_users=False)
    clock.advance(minutes=5)
    ACTS[kind](loop, draft, "dana")

    (event,) = feedback(loop)
    assert (event.org, event.actor, event.kind, event.at) == ("acme", "dana", kind, clock())
    assert isinstance(event.before, dict)
    assert event.after
    assert event.kind in {row[0] for row in rows(loop, "feedback_event", "kind")}
    assert loop.events(actor="dana", kind=kind).__next__() == event


@every_act
def test_people_are_stored_under_a_pseudonym_unless_told_otherwise(
    loop: heedful.Loop, draft: DocumentDraft, kind: str
) -> None:
    """Story 1, scenario 5, with the privacy that heedful begins with: the same person has the same pseudonym."""
    ACTS[kind](loop, draft, "dana")
    loop.capture.field_corrected(draft, "currency", "EUR", by="dana")
    loop.capture.field_corrected(draft, "currency", "USD", by="lee")

    first, second, third = [event.actor for event in feedback(loop)]
    assert first == second != third
    assert "dana" not in str(first)


def test_a_field_of_the_header_is_corrected_by_name(loop: heedful.Loop, draft: DocumentDraft) -> None:
    """FR-003, FR-004: EXTRACTION_FIELD_CORRECTED."""
    was = draft.values.get("order_number")
    draft = loop.capture.field_corrected(draft, "order_number", "PO-4711", by="dana")

    (event,) = feedback(loop)
    assert event.before == {"field": "order_number", "order_number": was}
    assert event.after == {"field": "order_number", "order_number": "PO-4711"}
    assert draft.values["order_number"] == "PO-4711"
    assert draft.corrections == (event.id,)


def test_any_name_is_a_field_and_a_value_may_be_none(loop: heedful.Loop, draft: DocumentDraft) -> None:
    loop.capture.field_corrected(draft, "cost_centre", "K-17")
    draft = loop.capture.field_corrected(draft, "currency", None)

    assert draft.values["cost_centre"] == "K-17"
    assert draft.values["currency"] is None
    assert feedback(loop)[0].before == {"field": "cost_centre", "cost_centre": None}


def test_lines_are_added_and_removed_and_numbers_are_never_given_twice(
    loop: heedful.Loop, draft: DocumentDraft
) -> None:
    before = {line.number for line in draft.lines}
    draft, first = added(loop, draft, sku="A-1", qty=1)
    draft, second = added(loop, draft, sku="A-2", qty=2, values={"colour": "red"})
    draft = loop.capture.line_removed(draft, second)
    draft, third = added(loop, draft, sku="A-3", qty=3)

    assert {line.number for line in draft.lines} - before == {first, third}
    assert first < second < third
    assert [event.kind for event in feedback(loop)] == ["EXTRACTION_LINE_CORRECTED"] * 4
    assert feedback(loop)[2].before == {"sku": "A-2", "qty": 2, "colour": "red"}
    assert feedback(loop)[2].after == {}


def test_a_draft_that_is_corrected_after_it_was_confirmed_is_open_again(
    loop: heedful.Loop, draft: DocumentDraft
) -> None:
    assert draft.status is DraftStatus.OPEN
    assert loop.capture.draft_confirmed(draft).status is DraftStatus.CONFIRMED
    assert loop.capture.field_corrected(draft, "currency", "EUR").status is DraftStatus.OPEN
    assert loop.capture.draft_confirmed(draft.id).status is DraftStatus.CONFIRMED


def test_looking_at_a_draft_and_extracting_record_no_feedback(loop: heedful.Loop, draft: DocumentDraft) -> None:
    """FR-015: only what people do by hand is feedback."""
    loop.learn.documents.draft(draft)
    loop.apply.preview(draft.document)
    loop.apply.extract(draft.document)

    assert feedback(loop) == []


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda loop, _: loop.capture.field_corrected("nowhere", "currency", "EUR"), NotFound),
        (lambda loop, draft: loop.capture.field_corrected(draft.document, "currency", "EUR"), NotFound),
        (lambda loop, draft: loop.capture.line_corrected(draft, line=99, qty=1), NotFound),
        (lambda loop, draft: loop.capture.line_removed(draft, 99), NotFound),
        (lambda loop, draft: loop.capture.line_corrected(draft, line=0, qty=1), InvalidInput),
        (lambda loop, draft: loop.capture.line_corrected(draft, line=1), InvalidInput),
        (lambda loop, draft: loop.capture.line_added(draft), InvalidInput),
        (lambda loop, draft: loop.capture.line_added(draft, qty=float("nan")), InvalidInput),
        (lambda loop, draft: loop.capture.line_added(draft, qty=True), InvalidInput),
        (lambda loop, draft: loop.capture.line_added(draft, values={"colour": ["red"]}), InvalidInput),
        (lambda loop, draft: loop.capture.line_added(draft, values=["red"]), InvalidInput),
        (lambda loop, draft: loop.capture.field_corrected(draft, "", "EUR"), InvalidInput),
        (lambda loop, draft: loop.capture.field_corrected(draft, "field", "EUR"), InvalidInput),
        (lambda loop, draft: loop.capture.field_corrected(draft, "seller", "x" * 5_000), InvalidInput),
        (lambda loop, draft: loop.capture.customer_selected(draft, ""), InvalidInput),
        (lambda loop, _: loop.capture.mapping_confirmed("", "INT-1"), InvalidInput),
        (lambda loop, _: loop.capture.mapping_confirmed("A", "B", type="nonsense"), InvalidInput),
        (lambda loop, _: loop.capture.mapping_confirmed("A", "B", suggestions=MANY), InvalidInput),
        (lambda loop, _: loop.capture.document_words([]), InvalidInput),
        (lambda loop, _: loop.capture.document_words([{"width": 595, "height": 842, "words": []}]), InvalidInput),
        (lambda loop, _: loop.capture.document_words([{"width": 0, "height": 842, "words": [[0, 0, 1, 1, "a"]]}]),
         InvalidInput),
        (lambda loop, _: loop.capture.document_words([{"width": 5, "height": 8, "words": [[0, 0, 9, 1, "a"]]}]),
         InvalidInput),
        (lambda loop, _: loop.capture.document_words(order() * 201), InvalidInput),
        (lambda loop, _: loop.apply.extract("nowhere"), NotFound),
        (lambda loop, _: loop.capture.event("DOCUMENT_RECEIVED", after={"page_dimensions": 5}), InvalidInput),
        (lambda loop, _: loop.capture.event("DOCUMENT_EXTRACTED", meta={"mappings": 5}), InvalidInput),
        (lambda loop, _: loop.capture.event("MAPPING_LEARNED", after={"key": 5, "value": "B"}), InvalidInput),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_and_nothing_is_recorded(
    loop: heedful.Loop, draft: DocumentDraft, act: Callable[[Any, DocumentDraft], object], error: type[Exception]
) -> None:
    head = loop.store.log.head()
    with pytest.raises(error):
        act(loop, draft)

    assert loop.store.log.head() == head
    assert values(loop.learn.documents.draft(draft)) == values(draft)


def test_a_secret_that_somebody_types_into_a_field_is_redacted(
    loop: heedful.Loop, draft: DocumentDraft, database: str
) -> None:
    secret = "AK" + "IA" + "QWERTZUIOPASDFGH"
    loop.capture.field_corrected(draft, "note", secret)
    loop.capture.line_added(draft, description=secret)

    assert leaked(dump(database), [secret]) == []


# Edge cases of the specification


def test_each_correction_of_the_same_field_is_an_event_and_the_newest_is_the_example(
    loop: heedful.Loop, draft: DocumentDraft
) -> None:
    """Edge case: an operator corrects the same field several times."""
    for number in ("A-1", "A-2", "A-3", "A-4"):
        loop.capture.field_corrected(draft, "order_number", number, by="dana")

    assert [event.after["order_number"] for event in feedback(loop)] == ["A-1", "A-2", "A-3", "A-4"]
    assert [event.before["order_number"] for event in feedback(loop)[1:]] == ["A-1", "A-2", "A-3"]
    examples = loop.apply.hint_examples(draft.layout)
    assert [one.output["order_number"] for one in examples] == ["A-4", "A-3", "A-2"]


def test_feedback_of_several_people_is_captured_and_the_last_correction_wins(
    loop: heedful.Loop, draft: DocumentDraft
) -> None:
    """Edge case: different users correct the same draft."""
    loop.govern.set_privacy(anonymize_users=False)
    loop.capture.field_corrected(draft, "order_number", "A-1", by="dana")
    draft = loop.capture.field_corrected(draft, "order_number", "B-2", by="lee")

    assert [event.actor for event in feedback(loop)] == ["dana", "lee"]
    assert draft.values["order_number"] == "B-2"
    assert loop.learn.documents.draft(draft).corrections == tuple(event.id for event in feedback(loop))


def test_a_payload_of_ten_megabytes_keeps_only_what_changed(loop: heedful.Loop) -> None:
    """Edge case: before_json is very large; TC-006. From a program that sends a whole draft."""
    lines = [{"line": number, "text": "unchanged " * 100} for number in range(10_000)]
    before: dict[str, Any] = {"draft": "4711", "lines": lines}
    after: dict[str, Any] = {"draft": "4711", "lines": [*lines[:-1], {"line": 9_999, "text": "new"}]}
    event = loop.capture.event("EXTRACTION_LINE_CORRECTED", layout="abc123", before=before, after=after)

    assert len(str(before)) > 10_000_000
    assert len(event.before_json.encode()) <= LIMIT
    assert len(event.after_json.encode()) <= LIMIT
    assert event.after == {"draft": "4711", "lines": [{"line": 9_999, "text": "new"}]}
    assert event.meta["cut"]["bytes"]["before"] > 10_000_000


@pytest.mark.parametrize("text", ["x", "ä", "漢", "\U0001f600", '"'])
def test_large_values_of_a_line_stay_below_ten_kilobytes(loop: heedful.Loop, draft: DocumentDraft, text: str) -> None:
    """TC-006: at most 10 KB each, descriptions at most 500 characters; whatever a character weighs."""
    draft, line = added(loop, draft, description=text * 1_000)
    long = {f"column_{number}": text * 1_000 for number in range(40)}
    draft = loop.capture.line_corrected(draft, line=line, values=long)
    draft = loop.capture.line_corrected(draft, line=line, values=dict.fromkeys(long, text * 999))
    draft = loop.capture.line_removed(draft, line)

    for event in feedback(loop):
        assert len(event.before_json.encode()) <= LIMIT
        assert len(event.after_json.encode()) <= LIMIT
        assert all(len(str(value)) <= 500 for value in (*event.before.values(), *event.after.values()))
    assert len(feedback(loop)) == 4
    check_sound(loop)


def test_names_of_columns_that_fill_the_event_by_themselves_are_refused(
    loop: heedful.Loop, draft: DocumentDraft
) -> None:
    """TC-006, at its end: there is nothing left to shorten."""
    with pytest.raises(PayloadTooLarge):
        loop.capture.line_added(draft, values={f"{'漢' * 190}{number}": 1 for number in range(50)})

    assert feedback(loop) == []


# The same id twice


def test_the_same_document_under_the_same_id_is_received_once(loop: heedful.Loop) -> None:
    first = received(loop, id="order-1", customer="C-9")
    head = loop.store.log.head()
    again = received(loop, id="order-1", customer="C-9")

    assert again == first
    assert again.profile.seen_count == 1
    assert loop.store.log.head() == head


@pytest.mark.parametrize("other", [{"number": 4712}, {"customer": "C-8"}, {"lines": ()}])
def test_another_document_under_the_same_id_is_a_conflict(loop: heedful.Loop, other: dict[str, Any]) -> None:
    first = received(loop, id="order-1", customer="C-9")
    with pytest.raises(Conflict):
        received(loop, **{"id": "order-1", "customer": "C-9", **other})

    assert loop.learn.documents.get("order-1") == first


Repeatable = Callable[[heedful.Loop, DocumentDraft], object]
REPEATED: dict[str, tuple[Repeatable, Repeatable]] = {
    "field": (
        lambda loop, draft: loop.capture.field_corrected(draft, "currency", "EUR", id="act-1"),
        lambda loop, draft: loop.capture.field_corrected(draft, "currency", "USD", id="act-1"),
    ),
    "line": (
        lambda loop, draft: loop.capture.line_corrected(draft, line=1, qty=12, id="act-1"),
        lambda loop, draft: loop.capture.line_corrected(draft, line=1, qty=13, id="act-1"),
    ),
    "added": (
        lambda loop, draft: loop.capture.line_added(draft, qty=12, id="act-1"),
        lambda loop, draft: loop.capture.line_added(draft, qty="12", id="act-1"),
    ),
    "removed": (
        lambda loop, draft: loop.capture.line_removed(draft, 1, id="act-1"),
        lambda loop, draft: loop.capture.line_removed(draft, 2, id="act-1"),
    ),
    "customer": (
        lambda loop, draft: loop.capture.customer_selected(draft, "C-9", id="act-1"),
        lambda loop, draft: loop.capture.customer_selected(draft, "C-8", id="act-1"),
    ),
    "confirmed": (
        lambda loop, draft: loop.capture.draft_confirmed(draft, id="act-1"),
        lambda loop, draft: loop.capture.line_removed(draft, 1, id="act-1"),
    ),
    "mapping": (
        lambda loop, _: loop.capture.mapping_confirmed("A", "B", customer="C-9", id="act-1"),
        lambda loop, _: loop.capture.mapping_confirmed("A", "C", customer="C-9", id="act-1"),
    ),
    "rejection": (
        lambda loop, _: loop.capture.mapping_rejected("A", "B", customer="C-9", id="act-1"),
        lambda loop, _: loop.capture.mapping_confirmed("A", "B", customer="C-9", id="act-1"),
    ),
}


@pytest.mark.parametrize("name", REPEATED)
def test_the_same_act_under_the_same_id_counts_once_and_another_one_is_a_conflict(
    loop: heedful.Loop, draft: DocumentDraft, name: str
) -> None:
    same, other = REPEATED[name]
    while len(draft.lines) < 2:
        draft = loop.capture.line_added(draft, sku="A-1", qty=1)
    first = same(loop, draft)
    head = loop.store.log.head()

    assert same(loop, draft) == first
    with pytest.raises(Conflict):
        other(loop, draft)
    assert loop.store.log.head() == head


def test_an_id_that_something_else_has_is_a_conflict(loop: heedful.Loop, draft: DocumentDraft) -> None:
    for act in (
        lambda: loop.capture.field_corrected(draft, "currency", "EUR", id=draft.id),
        lambda: loop.capture.mapping_confirmed("A", "B", id=draft.document),
        lambda: received(loop, id=draft.id),
    ):
        with pytest.raises(Conflict):
            act()


def test_with_another_secret_nobody_is_recorded_under_another_pseudonym(open_loop: OpenLoop, database: str) -> None:
    """Otherwise the same person would be two, and one's own correction somebody else's."""
    draft = extracted(open_loop(), id="order-1", by="dana")
    other = open_loop(settings=Settings(database=database, secret="correct horse battery staple"))
    for act in (
        lambda: other.capture.field_corrected(draft, "currency", "EUR", by="dana"),
        lambda: other.capture.mapping_confirmed("A", "B", by="dana"),
        lambda: received(other, 4712, by="dana"),
    ):
        with pytest.raises(Misconfigured, match="secret"):
            act()
    assert feedback(other) == []


# Several at once


def test_two_people_correct_the_same_draft_at_the_same_moment(open_loop: OpenLoop) -> None:
    """Nobody's correction is lost, and each says what it found: the one that was recorded before it."""
    loops = [open_loop(), open_loop()]
    draft = extracted(loops[0])
    start = threading.Barrier(2)

    def correct(number: int) -> None:
        start.wait()
        for step in range(5):
            loops[number].capture.field_corrected(draft, "order_number", f"{number}-{step}", by=f"p{number}")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(correct, range(2)))

    events = feedback(loops[0])
    said = [event.after["order_number"] for event in events]
    assert sorted(said) == [f"{number}-{step}" for number in range(2) for step in range(5)]
    assert [event.before["order_number"] for event in events] == [draft.values.get("order_number"), *said[:-1]]
    assert loops[1].learn.documents.draft(draft).values["order_number"] == said[-1]
    assert loops[0].learn.layouts.get(draft.layout).corrected == 1  # one extraction, however often it was corrected
    check_sound(loops[0])


def test_lines_that_two_people_add_at_once_get_different_numbers(open_loop: OpenLoop) -> None:
    loops = [open_loop(), open_loop()]
    draft = extracted(loops[0])
    start = threading.Barrier(2)

    def add(number: int) -> None:
        start.wait()
        for step in range(4):
            loops[number].capture.line_added(draft, sku=f"{number}-{step}")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add, range(2)))

    now = loops[0].learn.documents.draft(draft)
    assert len(now.lines) == len(draft.lines) + 8
    assert len({line.number for line in now.lines}) == len(now.lines)


def test_one_document_that_is_sent_twice_at_once_is_received_once(open_loop: OpenLoop) -> None:
    loops = [open_loop(), open_loop()]
    start = threading.Barrier(2)

    def send(loop: heedful.Loop) -> str:
        start.wait()
        return received(loop, id="order-1").layout

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(send, loops)

    assert first == second
    assert loops[0].learn.layouts.get(first).seen_count == 1
    assert len(list(loops[0].learn.documents.all())) == 1


def test_a_new_layout_that_two_send_at_once_begins_one_family(open_loop: OpenLoop) -> None:
    loops = [open_loop(), open_loop()]
    start = threading.Barrier(2)

    def send(number: int) -> str:
        start.wait()
        return received(loops[number], 4711 + number).family

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(send, range(2))

    assert first == second


# Programs that extract by themselves, and record what people corrected


def test_corrections_that_a_program_records_are_examples_and_are_counted(loop: heedful.Loop) -> None:
    """FR-009, FR-012, FR-017 without heedful's own extraction."""
    loop.capture.event(
        "EXTRACTION_LINE_CORRECTED",
        layout="abc123",
        before={"qty": 10},
        after={"qty": 12},
        meta={"input_snippet": "Order 4711\nBrass screw 12"},
    )

    (example,) = loop.apply.hint_examples("abc123")
    assert example.to_dict() == {"input_snippet": "Order 4711\nBrass screw 12", "output": {"qty": 12}}
    shown = loop.measure.learning()
    assert shown.events_by_type == {"EXTRACTION_LINE_CORRECTED": 1}
    assert [(one.field, one.count) for one in shown.corrected_fields] == [("qty", 1)]
    profile = loop.learn.layouts.get("abc123")
    assert (profile.seen_count, profile.example_count, profile.extractions) == (0, 1, 0)
    check_sound(loop)


@pytest.mark.parametrize(
    "odd",
    [
        {"after": {"field": "order_number", "order_number": {"deep": [1]}}},
        {"after": {"field": ["order_number"]}},
        {"after": {}},
        {"after": {"field": "order_number", "order_number": True}},
        {"kind": "EXTRACTION_LINE_CORRECTED", "after": {"qty": [12]}, "meta": {"line": 1}},
        {"kind": "EXTRACTION_LINE_CORRECTED", "after": {"qty": 12}, "meta": {"line": "1"}},
        {"kind": "EXTRACTION_LINE_CORRECTED", "after": {"qty": 12}, "meta": {"line": 10**9}},
        {"kind": "EXTRACTION_LINE_CORRECTED", "after": {"qty": 12}, "meta": {"input_snippet": ["x"], "family": 7}},
        {"kind": "CUSTOMER_SELECTED", "after": {"customer_id": {"a": 1}}},
        {"kind": "MAPPING_CONFIRMED", "after": {"internal_sku": [1]}, "meta": {"customer": 5}},
    ],
    ids=str,
)
def test_whatever_a_program_records_about_a_draft_it_can_still_be_read(
    loop: heedful.Loop, draft: DocumentDraft, odd: dict[str, Any]
) -> None:
    given = {"kind": "EXTRACTION_FIELD_CORRECTED", "entity": ("draft", draft.id), "layout": draft.layout, **odd}
    loop.capture.event(**given)

    loop.learn.documents.draft(draft).to_json()
    draft, line = added(loop, draft, sku="A-1", qty=1)
    draft = loop.capture.line_corrected(draft, line=line, qty=2)
    draft = loop.capture.customer_selected(draft, "C-9")
    loop.capture.field_corrected(draft, "order_number", "A-1").to_json()
    loop.capture.draft_confirmed(draft).to_json()
    loop.apply.extract(received(loop, 4712)).to_json()
    loop.apply.hint_examples(draft.layout)
    loop.measure.learning().to_json()
    loop.learn.rebuild()
    check_sound(loop)


def test_all_kinds_of_the_specification_are_known(loop: heedful.Loop) -> None:
    """FR-003: none of them is refused, whoever records it."""
    for kind in sorted(FEEDBACK):
        loop.capture.event(kind, actor="dana", before={"a": 1}, after={"a": 2})

    assert loop.measure.learning().events_by_type == dict.fromkeys(sorted(FEEDBACK), 1)

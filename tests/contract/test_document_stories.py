"""Whole ways through documents: what an operator does once, the next document has by itself; on every database.

These are the integration and end-to-end tests, and the success criteria, of the specification "Feedback & Learning
Loop". Its stories are told one by one in `test_document_capture`, `test_layouts`, `test_mappings` and
`test_learning_analytics`.
"""

from __future__ import annotations

import json
from typing import Any

import heedful
from heedful.records.document import DocumentDraft
from heedful.testing import SUPPLIERS, FrozenClock, ScriptedModel, sample_document
from tests.conftest import OpenLoop
from tests.contract.extracting import check_sound, extracted, feedback, page, received

SUPPLIER = "hartmann"


def _sample(loop: heedful.Loop, number: int, **given: Any) -> DocumentDraft:
    sample = sample_document(SUPPLIER, number)
    return loop.apply.extract(loop.capture.document(sample.content, name=sample.name, **given))


def _note(number: int, centre: str) -> list[dict[str, Any]]:
    """A delivery note with a field that no rule of heedful knows."""
    rows = [
        (0.05, [(0.08, "Nordwind Trading Ltd"), (0.60, "www.nordwind.example")]),
        (0.07, [(0.08, "12 Harbour Road, 4020 Linz")]),
        (0.17, [(0.08, f"Order number: {number}"), (0.60, f"Shelf mark: {centre}")]),
        (0.90, [(0.08, "Goods remain our property until they are paid")]),
    ]
    return [page(rows)]


def test_a_field_is_corrected_once_and_found_in_the_next_document(loop: heedful.Loop) -> None:
    """What the stories are for: correct it once per layout, not once per page."""
    first = loop.apply.extract(loop.capture.document_words(_note(4711, "K-17")))
    assert "shelf_mark" not in first.values
    loop.capture.field_corrected(first, "shelf_mark", "K-17", by="dana")
    second = loop.apply.extract(loop.capture.document_words(_note(4712, "Q-93")))

    assert second.values["shelf_mark"] == "Q-93"
    found = second.fields["shelf_mark"]
    assert (found.source, found.taught_by) == ("learned", (feedback(loop)[0].id,))
    assert second.corrections == ()


def test_what_one_organisation_taught_is_not_known_to_another(open_loop: OpenLoop) -> None:
    """FR-010, for extraction without a language model."""
    acme, globex = open_loop("acme"), open_loop("globex")
    first = acme.apply.extract(acme.capture.document_words(_note(4711, "K-17")))
    acme.capture.field_corrected(first, "shelf_mark", "K-17")

    assert "shelf_mark" not in globex.apply.extract(globex.capture.document_words(_note(4712, "Q-93"))).values


def test_a_mapping_is_confirmed_captured_and_applied_to_the_next_order(loop: heedful.Loop) -> None:
    """Integration and end-to-end: confirm mapping → feedback_event → sku_mapping → the next draft."""
    sku = str(sample_document(SUPPLIER, 1).lines[0]["sku"])
    draft = _sample(loop, 1, customer="C-9")
    (line,) = [line for line in draft.lines if line.values.get("sku") == sku]
    assert line.mapping is None

    made = loop.capture.mapping_confirmed(sku, "INT-999", customer="C-9", draft=draft, by="dana")

    (event,) = feedback(loop)
    assert (event.kind, event.after["internal_sku"]) == ("MAPPING_CONFIRMED", "INT-999")
    assert (made.state.value, made.confidence, made.support_count) == ("CONFIRMED", 1.0, 1)
    again = _sample(loop, 1, customer="C-9")
    assert [one.mapping.value for one in again.lines if one.mapping is not None] == ["INT-999"]
    assert feedback(loop) == [event]
    assert loop.learn.mappings.get(made.id).used == 1


def test_a_corrected_quantity_shows_in_the_analytics(loop: heedful.Loop) -> None:
    """End-to-end: an operator corrects the quantity of a line, and qty is the most corrected field. Real files."""
    for number in (1, 2):
        draft = _sample(loop, number)
        loop.capture.line_corrected(draft, line=draft.lines[0].number, qty=999, by="dana")
    loop.capture.field_corrected(draft, "order_number", "PO-1", by="dana")
    shown = loop.measure.learning()

    assert (shown.corrected_fields[0].field, shown.corrected_fields[0].count) == ("qty", 2)
    assert (shown.documents, shown.extractions, shown.corrected, shown.correction_rate) == (2, 2, 2, 1.0)
    assert shown.mean_confidence is not None


def test_a_correction_is_in_the_prompt_for_the_next_file_of_the_layout(open_loop: OpenLoop) -> None:
    """Integration: correct extraction → process a PDF with the same layout → its prompt has the examples."""
    answer: dict[str, Any] = {"fields": [], "lines": []}
    model = ScriptedModel(answer, answer)
    loop = open_loop(language=model)
    first = _sample(loop, 2)
    loop.capture.field_corrected(first, "order_number", "PO-4711", by="dana")
    second = _sample(loop, 6)

    assert second.layout == first.layout
    said = model.asked[-1]
    asked = json.loads(said[said.index("{") : said.rindex("}") + 1])
    (example,) = asked["hint_examples"]
    assert example["output"] == {"field": "order_number", "order_number": "PO-4711"}
    assert 0 < len(example["input_snippet"]) <= 1_500
    assert example["input_snippet"] == loop.learn.documents.get(first.document).text[:1_500]


def test_documents_of_seven_suppliers_are_told_apart(loop: heedful.Loop) -> None:
    """SC-002, with real files: each has a fingerprint, and each supplier is a family."""
    families: dict[str, set[str]] = {}
    for number in (1, 2):
        for supplier in SUPPLIERS:
            document = loop.capture.document(sample_document(supplier, number).content)
            assert len(document.layout) == 64
            families.setdefault(supplier, set()).add(document.family)

    assert all(len(found) == 1 for found in families.values())
    assert len(set.union(*families.values())) == len(SUPPLIERS)
    assert sum(profile.seen_count for profile in loop.learn.layouts.list()) == 2 * len(SUPPLIERS)


def test_an_operators_day(loop: heedful.Loop, clock: FrozenClock) -> None:
    """SC-001, SC-003, SC-004: every act is captured, every example is there, every confirmation counts."""
    acts = 0
    for number in range(4):
        clock.advance(hours=1)
        draft = extracted(loop, 4711 + number, customer="C-9")
        loop.capture.line_corrected(draft, line=draft.lines[0].number, qty=100 + number, by="dana")
        loop.capture.field_corrected(draft, "order_number", f"PO-{number}", by="dana")
        made = loop.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9", draft=draft, by="dana")
        loop.capture.draft_confirmed(draft, by="dana")
        acts += 3
        assert made.support_count == number + 1
        assert len(feedback(loop)) == acts

    profile = loop.learn.layouts.get(draft.layout)
    assert (profile.seen_count, profile.extractions, profile.corrected) == (4, 4, 4)
    assert profile.example_count == 8  # corrections; a mapping belongs to the customer, not to the layout
    newest = [one.output for one in loop.apply.hint_examples(draft.layout)]
    assert newest == [{"field": "order_number", "order_number": "PO-3"}, {"qty": 103},
                      {"field": "order_number", "order_number": "PO-2"}]  # fmt: skip
    assert loop.learn.mappings.get(made.id).used == 3  # all but the first document
    check_sound(loop)


def test_a_document_without_a_person_or_a_customer_is_welcome(loop: heedful.Loop) -> None:
    document = received(loop)
    draft = loop.apply.extract(document)

    assert (document.actor, document.customer, draft.customer, draft.candidates) == (None, None, None, ())

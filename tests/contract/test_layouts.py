"""Layouts: documents that look alike share a fingerprint, a profile, and the examples that people taught; on every
database.

The scenarios are those of stories 2 and 3 of the specification "Feedback & Learning Loop".
"""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest

import heedful
from heedful.errors import InvalidInput, NotFound
from heedful.records.document import Document
from heedful.testing import SUPPLIERS, FrozenClock, ScriptedModel, sample_document
from tests.conftest import OpenLoop
from tests.contract.extracting import LINES, added, check_sound, extracted, feedback, order, received

SECOND_PAGE = order(1)[0]
NARROW = (594.0, 842.0)


def _as_specified(document: Document) -> str:
    """The function of the specification, §7.10.3."""
    fingerprint_data = {
        "page_count": document.page_count,
        "page_dimensions": [list(size) for size in document.page_dimensions],
        "table_count": document.table_count,
        "text_coverage_ratio": round(document.text_coverage_ratio, 2),
    }
    return hashlib.sha256(json.dumps(fingerprint_data, sort_keys=True).encode()).hexdigest()


# Story 2: fingerprints and profiles


@pytest.mark.parametrize(
    "pages",
    [order(), order(lines=()), order(size=(612.0, 792.0)), [*order(), SECOND_PAGE], order(lines=LINES * 8)],
    ids=["table", "no table", "letter", "two pages", "long table"],
)
def test_the_fingerprint_is_the_sha256_of_pages_sizes_tables_and_coverage(
    loop: heedful.Loop, pages: list[dict[str, Any]]
) -> None:
    """Story 2, scenario 1; FR-005, FR-006, SC-002."""
    document = loop.capture.document_words(pages)

    assert document.page_count == len(pages)
    assert document.page_dimensions == tuple((page["width"], page["height"]) for page in pages)
    assert 0 < document.text_coverage_ratio < 1
    assert document.layout == _as_specified(document)
    assert loop.learn.documents.get(document.id).layout == document.layout


def test_the_table_of_an_order_is_counted(loop: heedful.Loop) -> None:
    """Story 2, scenario 1: the structure of tables is part of it."""
    assert received(loop).table_count == 1
    assert received(loop, lines=()).table_count == 0


def test_pdf_files_of_every_supplier_get_a_fingerprint(loop: heedful.Loop) -> None:
    """FR-005, SC-002: for all PDF documents, here of real files of seven suppliers."""
    for supplier in SUPPLIERS:
        sample = sample_document(supplier, 1)
        document = loop.capture.document(sample.content, name=sample.name)
        assert document.is_pdf
        assert document.layout == _as_specified(document), supplier


def test_two_pdf_files_of_a_supplier_with_the_same_layout(loop: heedful.Loop) -> None:
    """Story 2, scenario 2, with real files: number 2 and 6 have one page, one table, and as much text."""
    first, second, longer = (loop.capture.document(sample_document("hartmann", n).content) for n in (2, 6, 3))

    assert first.sha256 != second.sha256
    assert first.layout == second.layout != longer.layout
    assert first.family == second.family == longer.family  # heedful also knows the supplier, however many pages
    assert loop.learn.layouts.get(first.layout).seen_count == 2


def test_documents_of_the_same_layout_have_the_same_fingerprint(loop: heedful.Loop) -> None:
    """Story 2, scenario 2."""
    first, second = received(loop, 4711), received(loop, 5822)

    assert first.sha256 != second.sha256
    assert first.layout == second.layout


def test_a_new_layout_gets_a_profile_and_the_next_document_is_counted(loop: heedful.Loop, clock: FrozenClock) -> None:
    """Story 2, scenarios 3 and 4; FR-002, FR-007, FR-008. Three documents of one layout: seen_count is 3."""
    begun = clock()
    for count in (1, 2, 3):
        document = received(loop, 4710 + count)
        assert document.profile.seen_count == count
        clock.advance(days=1)

    profile = loop.learn.layouts.get(document.layout)
    assert profile == document.profile
    assert (profile.layout, profile.seen_count, profile.example_count) == (document.layout, 3, 0)
    assert (profile.created_at, profile.last_seen_at) == (begun, begun + timedelta(days=2))
    assert profile.stats == {
        "page_count": 1.0, "table_count": 1.0, "text_coverage_ratio": document.text_coverage_ratio
    }  # fmt: skip
    assert loop.learn.layouts.list() == [profile]


def test_each_layout_has_one_profile_and_the_most_seen_comes_first(loop: heedful.Loop) -> None:
    """FR-002, FR-007: layouts do not mix."""
    for width in (500, 501, 502):
        for number in range(width - 499):
            received(loop, 4711 + number, size=(float(width), 842.0))

    assert [profile.seen_count for profile in loop.learn.layouts.list()] == [3, 2, 1]
    assert len({profile.layout for profile in loop.learn.layouts.list()}) == 3
    assert len(loop.learn.layouts.list(limit=2)) == 2


@pytest.mark.parametrize(
    "condition", ["entity_kind = 'layout' and entity_id = 'x'", "layout = 'x'"], ids=["documents", "feedback"]
)
def test_layouts_are_looked_up_by_an_index(loop: heedful.Loop, condition: str) -> None:
    """Story 2, scenario 5, and the lookup of examples: the log is not read from its beginning."""
    explain = "explain query plan" if loop.store.database.dialect == "sqlite" else "explain"
    sql = f"{explain} select seq from feedback_event where org_id = :org and {condition} order by seq desc limit 3"
    plan = "\n".join(str(row) for row in loop.store.database.query("acme", sql, org="acme")).lower()

    assert "index" in plan
    assert "scan feedback_event" not in plan
    assert "seq scan" not in plan
    assert "sort" not in plan
    assert "temp b-tree" not in plan


def test_documents_of_a_layout_are_found_by_it_newest_first(loop: heedful.Loop) -> None:
    """Story 2, scenario 5."""
    ids = [received(loop, 4711 + number).id for number in range(3)]
    other = received(loop, size=NARROW)

    layout = loop.learn.documents.get(ids[0]).layout
    assert [one.id for one in loop.learn.documents.all(layout=layout)] == ids[::-1]
    first = loop.learn.documents.page(layout=layout, limit=2)
    assert [one.id for one in first.items] == ids[:0:-1]
    assert [one.id for one in loop.learn.documents.page(layout=layout, limit=2, cursor=first.next).items] == ids[:1]
    assert [one.id for one in loop.learn.documents.all()] == [other.id, *ids[::-1]]


def test_a_layout_that_changed_a_little_has_a_fingerprint_of_its_own(loop: heedful.Loop) -> None:
    """Edge case: a minor update of the PDF. The new fingerprint has no feedback of its own.

    The specification accepts that examples do not transfer. In heedful they do, after those of exactly this layout: the
    supplier is recognised, too.
    """
    first = extracted(loop, 4711)
    loop.capture.field_corrected(first, "order_number", "PO-4711")
    changed = received(loop, 4712, size=NARROW)

    assert changed.layout != first.layout
    assert (changed.profile.seen_count, changed.profile.example_count) == (1, 0)
    assert changed.family == first.family
    assert [one.output["order_number"] for one in loop.apply.hint_examples(changed.layout)] == ["PO-4711"]


def test_an_unknown_layout_is_not_found(loop: heedful.Loop) -> None:
    with pytest.raises(NotFound):
        loop.learn.layouts.get("abc123")
    assert loop.apply.hint_examples("abc123") == []
    assert loop.learn.layouts.page("abc123").items == []


def test_the_profiles_of_organisations_are_apart(open_loop: OpenLoop) -> None:
    acme, globex = open_loop("acme"), open_loop("globex")
    first = received(acme, id="order-1")
    second = received(globex, id="order-1")

    assert first.layout == second.layout
    assert (first.profile.seen_count, second.profile.seen_count) == (1, 1)
    assert second.family == second.id
    with pytest.raises(NotFound):
        globex.apply.extract(acme.capture.document_words(order(4712), id="order-2").id)


# Story 3: examples for prompts


def test_three_corrections_of_a_layout_are_three_examples(loop: heedful.Loop) -> None:
    """Story 3, scenarios 1 and 4; FR-009, FR-012."""
    draft = extracted(loop)
    draft, line = added(loop, draft, sku="ABC-9", qty=10)
    loop.capture.field_corrected(draft, "order_number", "PO-4711")
    loop.capture.line_corrected(draft, line=line, qty=12)

    examples = [example.to_dict() for example in loop.apply.hint_examples(draft.layout)]
    assert [example["output"] for example in examples] == [
        {"qty": 12},
        {"field": "order_number", "order_number": "PO-4711"},
        {"sku": "ABC-9", "qty": 10},
    ]
    assert all(set(example) == {"input_snippet", "output"} for example in examples)
    assert all(example["input_snippet"].startswith("Nordwind Trading Ltd") for example in examples)
    assert loop.learn.layouts.get(draft.layout).example_count == 3


def test_without_feedback_there_is_no_example(loop: heedful.Loop) -> None:
    """Story 3, scenario 2."""
    assert loop.apply.hint_examples(extracted(loop).layout) == []


def test_of_ten_corrections_the_three_newest_are_used(loop: heedful.Loop, clock: FrozenClock) -> None:
    """Story 3, scenario 3; FR-009."""
    draft = extracted(loop)
    for number in range(10):
        clock.advance(minutes=1)
        loop.capture.field_corrected(draft, "order_number", f"PO-{number}")

    def outputs(**limit: int) -> list[object]:
        return [one.output["order_number"] for one in loop.apply.hint_examples(draft.layout, **limit)]

    assert outputs() == ["PO-9", "PO-8", "PO-7"]
    assert outputs(limit=1) == ["PO-9"]
    assert len(outputs(limit=100)) == 10
    with pytest.raises(InvalidInput):
        outputs(limit=0)


def test_the_newest_are_found_behind_much_that_is_no_correction(loop: heedful.Loop) -> None:
    """Story 3, scenario 3: whatever else was recorded for the layout since."""
    draft = extracted(loop)
    loop.capture.field_corrected(draft, "order_number", "PO-1")
    for number in range(30):
        loop.capture.customer_selected(draft, f"C-{number}")

    assert [one.output["order_number"] for one in loop.apply.hint_examples(draft.layout)] == ["PO-1"]


def test_the_snippet_is_the_beginning_of_the_text(loop: heedful.Loop) -> None:
    """Story 3, scenario 4; FR-013: the first 1500 characters."""
    draft = extracted(loop, lines=LINES * 11)
    text = loop.learn.documents.get(draft.document).text
    assert len(text) > 1_500
    loop.capture.field_corrected(draft, "order_number", "PO-1")

    (example,) = loop.apply.hint_examples(draft.layout)
    assert example.input_snippet == text[:1_500]


def test_a_longer_snippet_of_a_program_is_cut(loop: heedful.Loop) -> None:
    """FR-013, for corrections that a program records by itself."""
    said = {"input_snippet": "x" * 3_000}
    loop.capture.event("EXTRACTION_FIELD_CORRECTED", layout="abc123", after={"total": 5}, meta=said)

    (example,) = loop.apply.hint_examples("abc123")
    assert (example.input_snippet, example.output) == ("x" * 1_500, {"total": 5})


def test_only_corrections_are_examples(loop: heedful.Loop) -> None:
    """FR-009: the extraction is not corrected by choosing a customer or confirming a mapping."""
    draft = extracted(loop)
    loop.capture.customer_selected(draft, "C-9")
    loop.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9", draft=draft)
    loop.capture.draft_confirmed(draft)

    assert loop.apply.hint_examples(draft.layout) == []


def test_examples_of_other_organisations_are_never_used(open_loop: OpenLoop) -> None:
    """Story 3, scenario 5; FR-010."""
    acme, globex = open_loop("acme"), open_loop("globex")
    draft = extracted(acme)
    acme.capture.field_corrected(draft, "order_number", "PO-1")
    theirs = extracted(globex)

    assert theirs.layout == draft.layout
    assert globex.apply.hint_examples(draft.layout) == []
    globex.capture.field_corrected(theirs, "order_number", "G-1")
    assert [one.output["order_number"] for one in globex.apply.hint_examples(draft.layout)] == ["G-1"]
    assert [one.output["order_number"] for one in acme.apply.hint_examples(draft.layout)] == ["PO-1"]


def test_examples_of_exactly_this_layout_come_first(loop: heedful.Loop) -> None:
    older = extracted(loop, 4711)
    loop.capture.field_corrected(older, "order_number", "same layout")
    newer = extracted(loop, 4712, size=NARROW)
    loop.capture.field_corrected(newer, "order_number", "same supplier")

    found = [one.output["order_number"] for one in loop.apply.hint_examples(older.layout)]
    assert found == ["same layout", "same supplier"]


def test_without_original_text_an_example_has_no_snippet(loop: heedful.Loop) -> None:
    """Privacy: then the text of documents is in no event."""
    loop.govern.set_privacy(store_original_text=False)
    draft = extracted(loop)
    loop.capture.field_corrected(draft, "order_number", "PO-1")

    (example,) = loop.apply.hint_examples(draft.layout)
    assert (example.input_snippet, example.output["order_number"]) == ("", "PO-1")
    assert "input_snippet" not in feedback(loop)[0].meta


def test_a_secret_in_a_document_is_in_no_snippet(loop: heedful.Loop) -> None:
    secret = "AK" + "IA" + "QWERTZUIOPASDFGH"
    draft = extracted(loop, note=f"key {secret}")
    loop.capture.field_corrected(draft, "order_number", "PO-1")

    assert secret not in loop.apply.hint_examples(draft.layout)[0].input_snippet
    assert secret not in feedback(loop)[0].meta_json


# Story 3 with a language model: what its prompt says

ANSWER: dict[str, Any] = {"fields": [{"name": "order_number", "value": "4711"}], "lines": []}


def _asked(model: ScriptedModel) -> dict[str, Any]:
    """The JSON of the last request."""
    said = model.asked[-1]
    found = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert isinstance(found, dict)
    return found


def test_the_prompt_has_the_examples_of_the_layout(open_loop: OpenLoop) -> None:
    """Story 3, scenario 1; FR-011, FR-012, SC-003."""
    model = ScriptedModel(ANSWER, ANSWER)
    loop = open_loop(language=model)
    draft = extracted(loop, 4711)
    for number in range(4):
        loop.capture.field_corrected(draft, "order_number", f"PO-{number}")
    extracted(loop, 4712)

    asked = _asked(model)
    assert asked["hint_examples"] == [one.to_dict() for one in loop.apply.hint_examples(draft.layout)]
    assert [one["output"]["order_number"] for one in asked["hint_examples"]] == ["PO-3", "PO-2", "PO-1"]
    assert "Order number: 4712" in asked["text"]


def test_the_prompt_has_no_examples_if_there_is_no_feedback(open_loop: OpenLoop) -> None:
    """Story 3, scenario 2."""
    model = ScriptedModel(ANSWER)
    loop = open_loop(language=model)
    extracted(loop)

    assert not _asked(model)["hint_examples"]


def test_the_prompt_has_no_examples_of_another_organisation(open_loop: OpenLoop) -> None:
    """Story 3, scenario 5, in the prompt itself."""
    acme = open_loop("acme")
    acme.capture.field_corrected(extracted(acme), "order_number", "theirs")
    model = ScriptedModel(ANSWER)
    extracted(open_loop("globex", language=model), 4712)

    assert not _asked(model)["hint_examples"]
    assert "theirs" not in model.asked[-1]


def test_every_extraction_of_a_layout_with_feedback_gets_its_examples(open_loop: OpenLoop) -> None:
    """SC-003: in all extractions where feedback exists."""
    model = ScriptedModel(*[ANSWER] * 6)
    loop = open_loop(language=model)
    draft = extracted(loop, 4711)
    loop.capture.field_corrected(draft, "order_number", "PO-1")
    for number in range(5):
        extracted(loop, 5000 + number)
        assert len(_asked(model)["hint_examples"]) == 1


def test_what_a_model_says_counts_only_if_it_stands_in_the_document(open_loop: OpenLoop) -> None:
    answer = {
        "fields": [{"name": "order_number", "value": "4711"}, {"name": "invoice_number", "value": "made-up-99"}],
        "lines": [],
    }
    draft = extracted(open_loop(language=ScriptedModel(answer)))

    assert draft.method == "scripted"
    assert str(draft.values["order_number"]) == "4711"
    assert "made-up-99" not in draft.to_json()


def test_if_the_model_does_not_answer_the_document_is_extracted_locally(open_loop: OpenLoop) -> None:
    loop = open_loop(language=ScriptedModel())
    draft = extracted(loop)

    assert draft.method == "local"
    assert draft.values["order_number"] == extracted(open_loop("globex")).values["order_number"]
    check_sound(loop)

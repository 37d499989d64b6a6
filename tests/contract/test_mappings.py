"""Mappings: what people confirmed once is applied to that customer's documents by itself; on every database.

The scenarios are those of story 4 of the specification "Feedback & Learning Loop".
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

import heedful
from heedful.errors import InvalidInput, NotFound
from heedful.records.document import DocumentDraft, DraftLine
from heedful.records.learning import Status
from heedful.records.mapping import Mapping, MappingState
from heedful.records.proposal import Act, Proposal
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import check
from tests.contract.extracting import added, check_sound, derived, extracted, feedback

KEY, VALUE = "ABC-123", "INT-999"


def _confirm(loop: heedful.Loop, value: str = VALUE, by: str | None = "dana", customer: str | None = "C-9") -> Mapping:
    return loop.capture.mapping_confirmed(KEY, value, customer=customer, by=by)


def _reject(loop: heedful.Loop, value: str = VALUE, by: str | None = "dana", customer: str | None = "C-9") -> Mapping:
    return loop.capture.mapping_rejected(KEY, value, customer=customer, by=by)


def _line(loop: heedful.Loop, customer: str | None = "C-9", sku: str = KEY) -> DraftLine:
    """A line with that article number on a new document."""
    draft = extracted(loop, lines=(), customer=customer)
    draft, number = added(loop, draft, sku=sku, qty=4)
    line = draft.line(number)
    assert line is not None
    return line


def _matched(loop: heedful.Loop, customer: str | None = "C-9", sku: str = KEY) -> str | None:
    mapping = _line(loop, customer, sku).mapping
    return None if mapping is None else mapping.value


def _suggested(loop: heedful.Loop, customer: str | None = "C-9", sku: str = KEY) -> list[tuple[str, str]]:
    return [(one.method, one.value) for one in _line(loop, customer, sku).suggestions]


def _asked(loop: heedful.Loop) -> list[Proposal]:
    return list(loop.govern.proposals.all())


# Confirmed


def test_a_confirmed_mapping_is_certain_and_has_support(loop: heedful.Loop) -> None:
    """Story 4, scenario 1; FR-014."""
    made = _confirm(loop)

    assert (made.key, made.value, made.customer, made.category) == (KEY, VALUE, "C-9", "sku")
    assert (made.state, made.confidence, made.support_count) == (MappingState.CONFIRMED, 1.0, 1)
    assert loop.learn.mappings.get(made.id) == made


def test_each_confirmation_adds_one_to_the_support(loop: heedful.Loop) -> None:
    """Story 4, scenario 1; FR-014, SC-004: always, whoever confirms."""
    made = _confirm(loop)
    for count, person in enumerate(("dana", "lee", None, "dana", "kim"), 2):
        again = _confirm(loop, by=person)
        assert (again.id, again.support_count, again.confidence) == (made.id, count, 1.0)

    assert len(feedback(loop, "MAPPING_CONFIRMED")) == 6
    check(loop)
    check_sound(loop)


def test_confirmations_at_the_same_moment_are_all_counted(open_loop: OpenLoop) -> None:
    """SC-004, with two operators at once: one mapping, and no support is lost."""
    loops = [open_loop(), open_loop()]
    start = threading.Barrier(2)

    def confirm(number: int) -> None:
        start.wait()
        for _ in range(4):
            _confirm(loops[number], by=f"p{number}")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(confirm, range(2)))

    (made,) = loops[0].learn.mappings.all()
    assert made.support_count == 8
    check(loops[0])


def test_a_confirmed_mapping_is_applied_to_the_next_draft(loop: heedful.Loop) -> None:
    """Story 4, scenario 2: match_method is exact_mapping."""
    made = _confirm(loop)
    line = _line(loop)

    assert line.mapping is not None
    assert (line.mapping.value, line.mapping.method, line.mapping.confidence) == (VALUE, "exact_mapping", 1.0)
    assert (line.mapping.mapping, line.mapping.contradicted) == (made.id, False)
    assert line.suggestions == ()
    assert line.values["sku"] == KEY  # what is printed stays


def test_an_extracted_line_is_mapped_without_feedback_but_counted(loop: heedful.Loop, clock: FrozenClock) -> None:
    """Story 4, scenarios 2 and 3; FR-015."""
    made = _confirm(loop)
    acts = feedback(loop)
    clock.advance(days=3)
    for number in (4711, 4712):
        draft = extracted(loop, number, customer="C-9")
        line = draft.lines[0]
        assert line.values["sku"] == KEY
        assert line.mapping is not None
        assert (line.mapping.value, line.mapping.method) == (VALUE, "exact_mapping")

    assert feedback(loop) == acts  # only manual confirmations and corrections are feedback
    now = loop.learn.mappings.get(made.id)
    assert (now.used, now.support_count) == (2, 1)
    assert now.last_used is not None
    assert now.last_used.date() == clock().date()
    assert loop.measure.learning().events_by_type == {"MAPPING_CONFIRMED": 1}
    check_sound(loop)


def test_looking_at_a_draft_again_is_no_use(loop: heedful.Loop) -> None:
    made = _confirm(loop)
    draft = extracted(loop, customer="C-9")
    for _ in range(3):
        loop.learn.documents.draft(draft)
        loop.apply.preview(draft.document)

    assert loop.learn.mappings.get(made.id).used == 1


def test_a_mapping_holds_whatever_the_layout(loop: heedful.Loop) -> None:
    """The note on the scope of mappings: customer-specific, for all documents of the customer."""
    _confirm(loop)
    draft = extracted(loop, lines=(), customer="C-9", size=(612.0, 792.0), supplier="Sundby Aps")
    draft, number = added(loop, draft, sku=KEY)
    line = draft.line(number)

    assert line is not None
    assert line.mapping is not None
    assert line.mapping.value == VALUE


def test_a_mapping_that_is_confirmed_later_shows_in_drafts_that_are_there(loop: heedful.Loop) -> None:
    draft, number = added(loop, extracted(loop, lines=(), customer="C-9"), sku=KEY)
    line = draft.line(number)
    assert line is not None
    assert line.mapping is None
    _confirm(loop)

    line = loop.learn.documents.draft(draft).line(number)
    assert line is not None
    assert line.mapping is not None


@pytest.mark.parametrize("printed", ["ABC-123", "abc-123", " ABC-123 ", "Abc - 123"])
def test_case_and_spaces_of_a_key_do_not_matter(loop: heedful.Loop, printed: str) -> None:
    _confirm(loop)

    assert _matched(loop, sku=printed) == VALUE
    assert loop.capture.mapping_confirmed(printed, VALUE, customer="C-9").support_count == 2


# Rejected


def test_a_rejected_mapping_is_neither_applied_nor_suggested(loop: heedful.Loop) -> None:
    """Story 4, scenario 4: the status is REJECTED, and confidence drops."""
    made = _confirm(loop)
    rejected = _reject(loop)

    assert rejected.id == made.id
    assert rejected.state is MappingState.REJECTED
    assert rejected.confidence < made.confidence
    line = _line(loop)
    assert (line.mapping, line.suggestions) == (None, ())
    assert [one.id for one in loop.learn.mappings.all(state="REJECTED")] == [made.id]
    assert list(loop.learn.mappings.all()) == []
    check(loop)


def test_a_suggestion_that_nobody_confirmed_can_be_rejected(loop: heedful.Loop) -> None:
    """Story 4, scenario 4: before it was ever confirmed."""
    rejected = _reject(loop)

    assert (rejected.state, rejected.support_count) == (MappingState.REJECTED, 0)
    assert rejected.confidence < 1.0
    assert _matched(loop) is None


def test_what_was_rejected_and_is_confirmed_again_is_certain_again(loop: heedful.Loop) -> None:
    """FR-014: status CONFIRMED, confidence 1.0, support + 1, whatever it was before."""
    _confirm(loop)
    _reject(loop)
    again = _confirm(loop)

    assert (again.state, again.confidence, again.support_count) == (MappingState.CONFIRMED, 1.0, 2)
    assert _matched(loop) == VALUE
    check(loop)


def test_a_rejected_value_is_not_suggested_for_that_customer(loop: heedful.Loop) -> None:
    _confirm(loop, customer="C-8")
    assert _suggested(loop) == [("other_customer", VALUE)]
    _reject(loop)

    assert _suggested(loop) == []
    assert _matched(loop, "C-8") == VALUE  # theirs stays


def test_rejecting_twice_changes_nothing_more(loop: heedful.Loop) -> None:
    _confirm(loop)
    first = _reject(loop)
    second = _reject(loop)

    assert (second.state, second.confidence) == (first.state, first.confidence)
    assert len(feedback(loop, "MAPPING_REJECTED")) == 2  # both are feedback


def test_one_persons_no_does_not_undo_what_several_confirmed(loop: heedful.Loop) -> None:
    made = _confirm(loop, by="dana")
    _confirm(loop, by="lee")
    _reject(loop, by="kim")

    assert loop.learn.mappings.get(made.id).state is MappingState.CONFIRMED
    assert _matched(loop) == VALUE
    (asked,) = _asked(loop)
    assert (asked.act, asked.learnings) == (Act.RETIRE, (made.id,))
    loop.govern.proposals.approve(asked.id, by="noor")
    assert _matched(loop) is None


# Customers


def test_each_customer_has_mappings_of_their_own(loop: heedful.Loop) -> None:
    """Story 4, scenario 5."""
    first = _confirm(loop, "INT-1", customer="C-1")
    second = _confirm(loop, "INT-2", customer="C-2")

    assert first.id != second.id
    assert (first.contradicted_by, second.contradicted_by, _asked(loop)) == ((), (), [])
    assert [_matched(loop, customer) for customer in ("C-1", "C-2", "C-3")] == ["INT-1", "INT-2", None]
    assert {one.value for one in loop.learn.mappings.all(customer="C-1")} == {"INT-1"}


def test_choosing_the_customer_of_a_draft_chooses_the_mapping(loop: heedful.Loop) -> None:
    """Story 4, scenario 5, with the customer that a person selects."""
    _confirm(loop, "INT-1", customer="C-1")
    _confirm(loop, "INT-2", customer="C-2")
    draft, number = added(loop, extracted(loop, lines=()), sku=KEY)

    def value(draft: DocumentDraft) -> str | None:
        line = draft.line(number)
        return None if line is None or line.mapping is None else line.mapping.value

    assert value(draft) is None
    assert value(loop.capture.customer_selected(draft, "C-2")) == "INT-2"
    assert value(loop.capture.customer_selected(draft, "C-1")) == "INT-1"


def test_a_mapping_for_all_is_used_where_the_customer_has_none(loop: heedful.Loop) -> None:
    _confirm(loop, "INT-0", customer=None)
    _confirm(loop, "INT-1", customer="C-1")

    assert [_matched(loop, customer) for customer in ("C-1", "C-2", None)] == ["INT-1", "INT-0", "INT-0"]


def test_other_customers_and_similar_keys_are_only_suggested(loop: heedful.Loop) -> None:
    """FR-015: a suggestion waits for a person."""
    _confirm(loop, "INT-8", customer="C-8")
    loop.capture.mapping_confirmed("ABC-1234", "INT-7", customer="C-9")
    line = _line(loop)

    assert line.mapping is None
    assert {(one.method, one.value) for one in line.suggestions} == {
        ("other_customer", "INT-8"), ("similar_key", "INT-7")
    }  # fmt: skip
    assert all(0 < one.confidence < 1 for one in line.suggestions)


def test_types_are_apart(loop: heedful.Loop) -> None:
    _confirm(loop)
    unit = loop.capture.mapping_confirmed(KEY, "piece", customer="C-9", type="unit")

    assert (unit.category, unit.contradicted_by) == ("unit", ())
    assert _matched(loop) == VALUE
    assert [one.value for one in loop.learn.mappings.all(type="unit")] == ["piece"]


def test_units_prices_and_dates_are_mapped_as_well(loop: heedful.Loop) -> None:
    for type, key, value in (("unit", "Stk", "piece"), ("price", "net", "list"), ("date", "KW 7", "2026-02-09")):
        loop.capture.mapping_confirmed(key, value, customer="C-9", type=type)  # type: ignore[arg-type]
    draft = extracted(loop, lines=(), customer="C-9")
    draft, number = added(loop, draft, uom="Stk", price="net", date="KW 7")
    line = draft.line(number)

    assert line is not None
    assert {field: match.value for field, match in line.mappings.items()} == {
        "uom": "piece", "price": "list", "date": "2026-02-09"
    }  # fmt: skip


def test_organisations_do_not_see_each_others_mappings(open_loop: OpenLoop) -> None:
    acme, globex = open_loop("acme"), open_loop("globex")
    made = _confirm(acme)

    assert list(globex.learn.mappings.all(state=None)) == []
    with pytest.raises(NotFound):
        globex.learn.mappings.get(made.id)
    line = _line(globex)
    assert (line.mapping, line.suggestions) == (None, ())
    assert _confirm(globex, "INT-1").support_count == 1


# People disagree


def test_two_people_disagree_and_neither_is_applied_until_somebody_decides(loop: heedful.Loop) -> None:
    first = _confirm(loop, "INT-1", by="dana")
    second = _confirm(loop, "INT-2", by="lee")

    assert loop.learn.mappings.get(first.id).contradicted_by == (second.id,)
    assert second.contradicted_by == (first.id,)
    assert _matched(loop) is None
    assert sorted(_suggested(loop)) == [("disputed", "INT-1"), ("disputed", "INT-2")]
    (asked,) = _asked(loop)
    assert (asked.act, asked.learnings) == (Act.REPLACE, (first.id, second.id))
    loop.govern.proposals.approve(asked.id, by="kim")
    assert _matched(loop) == "INT-2"
    check(loop)


def test_the_side_with_more_people_is_applied_and_marked(loop: heedful.Loop) -> None:
    _confirm(loop, "INT-1", by="dana")
    _confirm(loop, "INT-2", by="lee")
    _confirm(loop, "INT-1", by="kim")
    mapping = _line(loop).mapping

    assert mapping is not None
    assert (mapping.value, mapping.contradicted) == ("INT-1", True)


def test_whoever_comes_to_agree_with_several_ends_the_disagreement(loop: heedful.Loop) -> None:
    for person in ("dana", "kim"):
        stands = _confirm(loop, "INT-1", by=person)
    waits = _confirm(loop, "INT-2", by="lee")
    assert [one.learnings for one in _asked(loop)] == [(stands.id, waits.id)]
    _confirm(loop, "INT-1", by="lee")

    assert (_asked(loop), _matched(loop)) == ([], "INT-1")
    check(loop)


def test_nobody_outvotes_another_by_repeating(loop: heedful.Loop) -> None:
    _confirm(loop, "INT-1", by="dana")
    for _ in range(3):
        said = _confirm(loop, "INT-2", by="lee")

    assert (said.support_count, said.people) == (3, 1)
    assert _line(loop).mapping is None


def test_who_changes_their_mind_replaces_their_own_mapping(loop: heedful.Loop) -> None:
    first = _confirm(loop, "INT-1", by="dana")
    _confirm(loop, "INT-2", by="dana")

    assert _asked(loop) == []
    assert _matched(loop) == "INT-2"
    assert loop.govern.learnings.get(first.id).status is Status.SUPERSEDED
    assert [one.value for one in loop.learn.mappings.all()] == ["INT-2"]


# A mapping is a learning


def test_why_a_mapping_holds_is_answered_with_what_people_did(loop: heedful.Loop) -> None:
    made = _confirm(loop)
    _confirm(loop, by="lee")
    why = loop.govern.why(made.id)

    named = {id for event in why.history for id in event.meta.get("evidence", ())}
    assert named == {event.id for event in feedback(loop)}


@pytest.mark.parametrize("act", ["retire", "delete"])
def test_a_mapping_that_is_retired_or_deleted_is_not_applied(loop: heedful.Loop, act: str) -> None:
    made = _confirm(loop)
    getattr(loop.govern.learnings, act)(made.id)

    assert _matched(loop) is None
    assert _confirm(loop).state is MappingState.CONFIRMED
    assert _matched(loop) == VALUE
    check(loop)


def test_an_approved_mapping_is_not_undone_by_one_rejection(loop: heedful.Loop) -> None:
    made = _confirm(loop)
    loop.govern.learnings.approve(made.id)
    _reject(loop, by="lee")

    assert _matched(loop) == VALUE
    assert [asked.act for asked in _asked(loop)] == [Act.RETIRE]


def test_what_people_confirmed_cannot_be_edited(loop: heedful.Loop) -> None:
    made = _confirm(loop)
    with pytest.raises(InvalidInput, match="cannot be edited"):
        loop.govern.learnings.edit(made.id, category="unit")
    with pytest.raises(InvalidInput):
        loop.govern.learnings.edit(made.id, right="INT-1")

    assert _matched(loop) == VALUE


def test_a_mapping_that_is_not_used_for_half_a_year_is_marked(loop: heedful.Loop, clock: FrozenClock) -> None:
    made = _confirm(loop)
    clock.advance(days=181)
    assert loop.learn.mappings.get(made.id).stale
    extracted(loop, customer="C-9")
    assert not loop.learn.mappings.get(made.id).stale
    clock.advance(days=181)
    assert loop.learn.mappings.get(made.id).stale
    assert not _confirm(loop).stale


def test_mappings_are_listed_page_by_page(loop: heedful.Loop) -> None:
    for number in range(5):
        loop.capture.mapping_confirmed(f"K-{number}", f"V-{number}", customer="C-9")
    loop.capture.mapping_rejected("K-0", "V-0", customer="C-9")

    first = loop.learn.mappings.page(limit=3)
    rest = loop.learn.mappings.page(limit=3, cursor=first.next)
    assert [one.key for one in (*first.items, *rest.items)] == ["K-4", "K-3", "K-2", "K-1"]
    assert rest.next is None
    assert len(list(loop.learn.mappings.all(state=None))) == 5


def test_other_learnings_are_no_mappings(loop: heedful.Loop) -> None:
    other = loop.capture.correction("make ship", "make release").id
    with pytest.raises(NotFound):
        loop.learn.mappings.get(other)
    assert list(loop.learn.mappings.all(state=None)) == []


@pytest.mark.parametrize("rebuild", [lambda loop: loop.learn.rebuild(), lambda loop: loop.govern.retain()])
def test_mappings_are_the_same_after_they_are_made_again(
    loop: heedful.Loop, rebuild: Callable[[heedful.Loop], object]
) -> None:
    _confirm(loop, "INT-1", by="dana")
    _confirm(loop, "INT-2", by="lee")
    _confirm(loop, "INT-3", customer="C-1")
    _reject(loop, "INT-3", customer="C-1")
    _confirm(loop, "INT-3", customer="C-1")
    before = derived(loop)
    rebuild(loop)

    assert derived(loop) == before
    check(loop)
    check_sound(loop)


def test_a_rejection_before_it_is_no_support(loop: heedful.Loop) -> None:
    _reject(loop, "INT-1")
    assert _confirm(loop, "INT-1").support_count == 1
    _confirm(loop, "INT-2", by="lee")

    assert _matched(loop) is None  # neither has more support


def test_a_document_uses_a_mapping_once(loop: heedful.Loop) -> None:
    made = loop.capture.mapping_confirmed("pcs", "Stk", type="unit")
    draft = extracted(loop)

    assert sum("uom" in line.mappings for line in draft.lines) > 1
    assert loop.learn.mappings.get(made.id).used == 1

"""Documents that are deleted, too old or erased, processes that die, and all that is derived made again; on every
database.

With the edge case of deleted drafts and FR-019 of the specification "Feedback & Learning Loop".
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from click.testing import CliRunner

import heedful
from heedful.edges.cli import main
from heedful.edges.worker import Worker
from heedful.errors import NotFound, StoreDamaged
from heedful.records.document import DocumentDraft, DraftStatus
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import check, rows
from tests.contract.extracting import added, check_sound, derived, extracted, feedback, received, values
from tests.dying import Say, run_until_death
from tests.feedback import dump, leaked
from tests.pdf_files import line, pdf

SUPPLIER, TYPED, NOTE = "Quomlixen Handels GmbH", "Trizzolo-77", "Vrundelbasch"
PRIVATE = ["Quomlixen", TYPED, NOTE]


def _corrected(loop: heedful.Loop, number: int = 4711) -> DocumentDraft:
    """A draft that a person corrected in every way there is."""
    draft = extracted(loop, number, id=f"order-{number}", supplier=SUPPLIER, note=NOTE)
    draft, place = added(loop, draft, sku="ABC-9", qty=10)
    loop.capture.line_corrected(draft, line=place, qty=12, by="dana")
    loop.capture.field_corrected(draft, "order_number", TYPED, by="dana")
    return loop.capture.customer_selected(draft, "C-9", by="lee")


# Deleted for now


def test_feedback_of_a_deleted_document_stays_and_names_its_draft(loop: heedful.Loop) -> None:
    """Edge case: feedback for deleted drafts. It persists, and the reference to the draft remains."""
    draft = _corrected(loop)
    acts = feedback(loop)
    deleted = loop.govern.documents.delete("order-4711")

    assert deleted.deleted
    assert feedback(loop) == acts
    assert {event.entity.id for event in acts if event.entity} == {draft.id}
    assert loop.learn.documents.draft(draft.id).status is DraftStatus.DELETED
    assert loop.learn.documents.draft(draft.id).values["order_number"] == TYPED
    assert sum(loop.measure.learning().events_by_type.values()) == len(acts)
    assert list(loop.learn.layouts.all(draft.layout)) == acts[::-1]


def test_a_deleted_document_is_marked_and_nobody_works_on_it(loop: heedful.Loop) -> None:
    draft = _corrected(loop)
    loop.govern.documents.delete(draft.document)
    head = loop.store.log.head()

    assert [one.deleted for one in loop.learn.documents.all()] == [True]
    acts: list[Callable[[], object]] = [
        lambda: loop.apply.extract("order-4711"),
        lambda: loop.apply.preview("order-4711"),
        lambda: loop.capture.field_corrected(draft, "currency", "EUR"),
        lambda: loop.capture.draft_confirmed(draft),
    ]
    for act in acts:
        with pytest.raises(NotFound):
            act()
    assert loop.govern.documents.delete(draft.document).deleted  # twice is once
    assert loop.store.log.head() == head


def test_the_values_of_a_deleted_document_teach_nothing_any_more(loop: heedful.Loop) -> None:
    loop.capture.field_corrected(extracted(loop, 4711, id="order-1"), "cost_centre", "K-17")
    taught = extracted(loop, 4712, note="K-17")
    loop.govern.documents.delete("order-1")
    after = extracted(loop, 4713, note="K-17")

    assert all(found.source != "learned" for found in after.fields.values())
    assert after.family == taught.family  # the layout is still known


# Too old


def test_feedback_is_kept_for_365_days(loop: heedful.Loop, clock: FrozenClock) -> None:
    """FR-019, with the privacy options that an organisation begins with."""
    draft = _corrected(loop)
    loop.govern.documents.delete("order-4711")
    acts = feedback(loop)
    clock.advance(days=364)
    loop.govern.retain()
    assert feedback(loop) == acts

    clock.advance(days=2)
    retained = loop.govern.retain()

    assert retained.too_old >= len(acts)
    assert feedback(loop) == []
    assert list(loop.learn.documents.all()) == []
    assert loop.apply.hint_examples(draft.layout) == []
    assert rows(loop, "file") == []
    check_sound(loop)


def test_what_is_too_old_is_not_in_the_database_any_more(loop: heedful.Loop, clock: FrozenClock, database: str) -> None:
    """FR-019: neither in a table nor in the free space of a file."""
    _corrected(loop)
    assert leaked(dump(database), [TYPED]) == [TYPED]
    clock.advance(days=366)
    loop.govern.retain()

    assert leaked(dump(database), PRIVATE) == []


def test_a_worker_erases_what_is_too_old_by_itself(loop: heedful.Loop, clock: FrozenClock) -> None:
    """FR-019, without anybody calling it."""
    _corrected(loop)
    Worker(loop).run_all()
    for _ in range(3):
        clock.advance(days=183)
        Worker(loop).run_all()

    assert feedback(loop) == []
    assert rows(loop, "file") == []


def test_the_trail_says_that_documents_were_too_old(loop: heedful.Loop, clock: FrozenClock) -> None:
    _corrected(loop)
    erased = loop.store.log.head()
    clock.advance(days=366)
    loop.govern.retain()

    (event,) = loop.events(kind="AUDIT_RETENTION_APPLIED")
    assert event.after["too_old"] == erased


def test_younger_feedback_stays_when_its_document_is_too_old(loop: heedful.Loop, clock: FrozenClock) -> None:
    """FR-019: each event for its own 365 days."""
    draft = extracted(loop, 4711)
    clock.advance(days=200)
    loop.capture.field_corrected(draft, "order_number", TYPED)
    clock.advance(days=200)
    extracted(loop, 4712)
    loop.govern.retain()

    (event,) = feedback(loop)
    assert event.after["order_number"] == TYPED
    assert [one.output["order_number"] for one in loop.apply.hint_examples(draft.layout)] == [TYPED]
    rate = loop.learn.layouts.get(draft.layout).correction_rate
    assert rate is not None
    assert 0 <= rate <= 1
    check_sound(loop)


def test_mappings_outlive_the_feedback_that_taught_them(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9", by="dana")
    made = loop.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9", by="lee")
    clock.advance(days=366)
    loop.govern.retain()
    loop.learn.rebuild()

    assert feedback(loop) == []
    kept = loop.learn.mappings.get(made.id)
    assert (kept.value, kept.support_count, kept.confidence) == ("INT-999", 2, 1.0)
    check(loop)


def test_an_organisation_may_keep_its_documents_longer(loop: heedful.Loop, clock: FrozenClock) -> None:
    loop.govern.set_privacy(max_data_age=None)
    _corrected(loop)
    clock.advance(days=3_650)
    loop.govern.retain()

    assert len(feedback(loop)) == 4
    assert loop.learn.documents.get("order-4711").text


# Erased for good


def test_an_erased_document_leaves_no_byte_behind(loop: heedful.Loop, database: str) -> None:
    """The file, its words, its drafts, and what people corrected in them."""
    content = pdf(line(72, 770, f"{SUPPLIER} {NOTE}") + line(72, 700, "Order number: 4711"))
    draft = loop.apply.extract(loop.capture.document(content, name=f"{NOTE}.pdf", id="order-1", by="dana"))
    loop.capture.field_corrected(draft, "order_number", TYPED)
    assert loop.learn.documents.file("order-1") == content
    stored = [bytes(row[0]) for row in rows(loop, "file", "content")]
    assert len(stored) == 3  # the file, its words, and the values of the draft
    assert all(_holds(database, one) for one in stored)

    forgotten = loop.govern.documents.erase("order-1")

    assert forgotten.events == 3
    assert leaked(dump(database), PRIVATE) == []
    assert not any(_holds(database, one) for one in stored)
    assert rows(loop, "file") == []
    assert [event.kind for event in loop.events()] == ["AUDIT_DOCUMENT_ERASED"]


def _holds(database: str, content: bytes) -> bool:
    """Whether any piece of it is there: pages of a database cut a content that is long."""
    where = dump(database)
    pieces = [content[at : at + 32] for at in range(0, len(content) - 31, 32)]
    return any(piece in where or piece.hex().encode() in where for piece in pieces)


def test_after_an_erasure_nobody_finds_anything_of_it(loop: heedful.Loop) -> None:
    draft = _corrected(loop)
    loop.govern.documents.erase("order-4711")

    for read in (
        lambda: loop.learn.documents.get("order-4711"),
        lambda: loop.learn.documents.file("order-4711"),
        lambda: loop.learn.documents.draft(draft.id),
        lambda: loop.learn.layouts.get(draft.layout),
        lambda: loop.govern.documents.erase("order-4711"),
    ):
        with pytest.raises(NotFound):
            read()
    assert loop.apply.hint_examples(draft.layout) == []
    shown = loop.measure.learning()
    assert (shown.events_by_day, shown.layout_stats, shown.corrected_fields, shown.documents) == ((), (), (), 0)
    check_sound(loop)


def test_erasing_one_document_leaves_the_others_of_its_layout(loop: heedful.Loop) -> None:
    first, second = _corrected(loop, 4711), _corrected(loop, 4712)
    loop.govern.documents.erase(first.document)  # the one that began the family

    assert loop.learn.layouts.get(second.layout).seen_count == 1
    assert received(loop, 4713, supplier=SUPPLIER, note=NOTE).family == second.family
    assert len(loop.apply.hint_examples(second.layout)) == 3
    assert loop.learn.documents.draft(second.id).values["order_number"] == TYPED
    check_sound(loop)


def test_an_erased_document_may_be_sent_again(loop: heedful.Loop) -> None:
    _corrected(loop)
    loop.govern.documents.erase("order-4711")
    again = received(loop, 4711, id="order-4711", supplier=SUPPLIER)

    assert again.drafts == ()
    assert again.profile.seen_count == 1


def test_a_deleted_document_can_be_erased(loop: heedful.Loop, database: str) -> None:
    _corrected(loop)
    loop.govern.documents.delete("order-4711")
    loop.govern.documents.erase("order-4711")

    assert leaked(dump(database), PRIVATE) == []
    check_sound(loop)


# Everything derived, made again


def test_a_rebuild_gives_the_same_profiles_mappings_and_analytics(loop: heedful.Loop, clock: FrozenClock) -> None:
    drafts = []
    for number in range(3):
        clock.advance(days=1)
        drafts.append(_corrected(loop, 4711 + number))
        loop.capture.mapping_confirmed(f"ABC-{number % 2}", f"INT-{number}", customer="C-9", by=f"p{number}")
    loop.capture.mapping_rejected("ABC-0", "INT-0", customer="C-9", by="p0")
    loop.capture.draft_confirmed(drafts[1])
    loop.govern.documents.delete(drafts[0].document)
    loop.govern.documents.erase(drafts[2].document)
    before, kept = derived(loop), [loop.learn.documents.draft(draft.id) for draft in drafts[:2]]

    loop.learn.rebuild()

    assert derived(loop) == before
    assert [loop.learn.documents.draft(draft.id) for draft in drafts[:2]] == kept
    check(loop)
    check_sound(loop)


def test_the_doctor_finds_nothing_wrong(open_loop: OpenLoop, database: str) -> None:
    loop = open_loop()
    _corrected(loop)
    loop.capture.mapping_confirmed("ABC-123", "INT-999", customer="C-9")
    loop.govern.documents.delete("order-4711")
    found = CliRunner().invoke(main, ["--database", database, "doctor"])

    assert found.exit_code == 0, found.output
    assert "✗" not in found.output


def test_a_file_that_changed_on_the_disk_is_not_shown(loop: heedful.Loop) -> None:
    received(loop, id="order-1")
    with loop.store.transaction() as transaction:
        sql = "update file set checksum = checksum - 1 where org_id = :org and event = :event"
        transaction.execute(sql, {"org": "acme", "event": "order-1"})

    with pytest.raises(StoreDamaged):
        loop.learn.documents.get("order-1")


# Killed


def _work_until_killed(say: Say, database: str, now: datetime, life: int) -> None:
    with heedful.open(database, org="acme", clock=lambda: now) as loop:
        for number in range(100):
            id = f"order-{life}-{number}"
            say(received(loop, 4711 + number, id=id).id)
            draft = loop.apply.extract(id)
            say(draft.id)
            loop.capture.field_corrected(draft, "order_number", "PO-1", id=f"{id}-act")
            say(f"{id}-act")


_BETWEEN = (70, 100, 140, 230)  # opening takes 50 statements; a document 20, its draft 40, and a correction 30


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_nothing_half_written(database: str, clock: FrozenClock) -> None:
    """Wherever it dies: a document has its words, a draft its values, and what was answered is there."""
    acknowledged: set[str] = set()
    for life, statement in enumerate(_BETWEEN):
        acknowledged |= set(run_until_death(_work_until_killed, database, clock(), life, statement=statement))

    with heedful.open(database, org="acme", clock=clock) as loop:
        events = {event.id: event.kind for event in loop.events()}
        assert acknowledged <= events.keys()
        assert set(events.values()) == {"DOCUMENT_RECEIVED", "DOCUMENT_EXTRACTED", "EXTRACTION_FIELD_CORRECTED"}
        files = {(event, name) for event, name in rows(loop, "file", "event, name")}
        assert files == {
            *((id, "words") for id, kind in events.items() if kind == "DOCUMENT_RECEIVED"),
            *((id, "values") for id, kind in events.items() if kind == "DOCUMENT_EXTRACTED"),
        }
        check_sound(loop)
        for document in loop.learn.documents.all():
            again = loop.apply.extract(document)  # whoever comes next goes on with it
            assert all(values(loop.learn.documents.draft(id)) is not None for id in (*document.drafts, again.id))

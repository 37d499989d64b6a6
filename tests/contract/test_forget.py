"""A person, a conversation, a document or an organisation is forgotten, with a receipt, on every database."""

from __future__ import annotations

import importlib
import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

import heedful
from heedful.edges.cli import main
from heedful.edges.worker import Worker
from heedful.errors import Forbidden, InvalidInput, NotFound
from heedful.learnings.person import person
from heedful.operations.caller import Caller, acting
from heedful.records.learning import Status
from heedful.records.receipt import Receipt
from heedful.records.role import Role
from heedful.store.recording import Recording
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder, check
from tests.contract.extracting import added, check_sound, extracted
from tests.contract.living import QuickReader, derived, give_context, is_known
from tests.contract.mining import LINT, hand_in, teach
from tests.contract.reviewing import review
from tests.feedback import dump, leaked
from tests.typed import corrections

DANA = "Zarbeth Quomlixen"
WORDS = {
    "a decision": "trizzolo",
    "a reason": "vrundelbasch",
    "a correction": "plimsorat",
    "a message": "hulldrinke",
    "an edit": "wexolianu",
    "a conversation": "brodecktum",
    "a review": "tromvatzel",
    "a rule": "nachtvogelin",
    "a field": "gerblisto",
    "a line": "murkelfant",
    "a mapping": "fenstelori",
    "an outcome": "schlimbaro",
    "an event": "ostraviken",
}
"""Each is said once, by her, in one kind of feedback."""


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder(), reader=QuickReader())


def _live(loop: heedful.Loop, who: str, words: dict[str, str]) -> None:
    """Every kind of feedback, by one person."""
    capture, govern = loop.capture, loop.govern
    texts: dict[str, Any] = {"original": f"We {words['a decision']} it.", "suggested": "We do it.", "actor": who}
    for _ in range(4):
        capture.fix("short", "rejected", comment=f"It is {words['a reason']}.", **texts)
    told = capture.correction("red", words["a correction"], query="Which colour?", actor=who)
    capture.message(
        f"No, it is {words['a message']}, not blue.", last_output="It is blue.", actor=who, session="chat-9"
    )
    hand_in(loop, f"talk-{who}", LINT.replace("make lint", f"make {words['a conversation']}"), actor=who)
    loop.learn.mine(f"talk-{who}")
    govern.set_privacy(anonymize_users=True)
    for number in range(3):
        said = f"Always {words['a review']} user input before it is stored."
        review(loop, number + 10, reviewer=who, comment=said, id=f"hers-{number}")
    proposed = govern.proposals.propose(f"Never {words['a rule']} in public.", agents=["writer"], by=who)
    govern.proposals.approve(proposed.id, by="lee")
    govern.proposals.approve(proposed.id, by="kim")
    draft, place = added(loop, extracted(loop, 4711, id="order-9"), sku="ABC-9", qty=10)
    capture.field_corrected(draft, "order_number", words["a field"], by=who)
    capture.line_corrected(draft, line=place, sku=words["a line"], by=who)
    capture.field_corrected(draft, "order_number", "4711", by="lee")
    capture.mapping_confirmed("ABC-123", words["a mapping"], customer="C-9", by=who)
    given = loop.apply.context("Which colour?", user=who, unit="task-9")
    assert given.id is not None
    loop.measure.outcome(given.id, success=False, note=words["an outcome"], actor=who)
    capture.event("FIELD_SET", actor="lee", meta={"reviewer": who})
    capture.event("NOTE_WRITTEN", actor=who, after={"text": words["an event"]})
    with acting(Caller(loop.name, Role.ADMIN, who, who)):
        govern.learnings.edit(told.id, why=words["an edit"])
        govern.learnings.rate(told.id, up=True)
    for payload in ({"person": who}, {"webhook": "w", "event": told.id}):
        loop.jobs.put(heedful.JobRequest("tell", payload))


def _others(loop: heedful.Loop) -> None:
    """What stays: others say something, and some of it is what she says too."""
    for number in range(3):
        review(loop, number)
        loop.learn.reviews.evaluate(f"review-{number}")
    loop.learn.reviews.propose()
    teach(loop, "talk", LINT, actor="lee")
    loop.capture.correction("wrong", "right", actor="lee")
    loop.capture.fix("short", "accepted", original="5km", suggested="5 km", actor="lee")


def _raw(database: str) -> bytes:
    """Every byte of the database's files, after the server has done its housekeeping."""
    if not database.startswith("postgresql"):
        return dump(database)
    with psycopg.connect(database, autocommit=True) as connection:
        tables = "select schemaname || '.' || tablename from pg_tables where schemaname not like 'pg!_%' escape '!'"
        for (table,) in connection.execute(f"{tables} and schemaname <> 'information_schema'").fetchall():
            connection.execute(f"vacuum full {table}")
        connection.execute("checkpoint")
        sql = "select current_setting('data_directory'), oid from pg_database where datname = current_database()"
        ((folder, oid),) = connection.execute(sql).fetchall()
    files = [file.read_bytes() for file in Path(folder, "base", str(oid)).iterdir() if file.is_file()]
    return b"\n".join([dump(database), *files])


def _known(loop: heedful.Loop) -> list[str]:
    return [DANA, loop.store.secret.person(DANA), *WORDS.values()]


# A person


def test_nothing_of_a_person_is_left_in_any_file(loop: heedful.Loop, database: str) -> None:
    """Her name is stored in some events, and her pseudonym in others."""
    loop.govern.set_privacy(anonymize_users=False)
    _others(loop)
    before = [event.id for event in loop.events() if event.kind != "REVIEW_EVALUATED"]
    _live(loop, DANA, WORDS)
    Worker(loop).run_all()
    assert leaked(_raw(database), _known(loop)) == _known(loop)

    receipt = loop.govern.forget(user=DANA.lower())

    assert leaked(_raw(database), _known(loop)) == []
    assert leaked(receipt.to_json().encode(), _known(loop)) == []
    assert not is_known(loop, DANA)
    assert list(loop.jobs.all(name="tell")) == []
    assert set(before) <= {event.id for event in loop.events()}
    _check(loop)


def test_a_receipt_lists_what_went_and_the_trail_keeps_the_numbers(loop: heedful.Loop) -> None:
    _live(loop, DANA, WORDS)
    receipt = loop.govern.forget(user=DANA)

    assert receipt.events["FIX_REJECTED"] == 4
    assert receipt.events["MESSAGE_SAID"] == 4
    assert receipt.rewritten["FIELD_SET"] == 1
    assert {"hers-0", "hers-1", "hers-2"} <= set(receipt.learnings)
    assert min(receipt.vectors, receipt.postings, receipt.jobs, receipt.versions) > 0
    assert receipt.scrubbed
    (kept,) = loop.events(kind="AUDIT_FORGOTTEN")
    assert (kept.id, kept.after["subject"]) == (receipt.id, receipt.subject)
    assert kept.after["events"] == sum(receipt.events.values())

    again = loop.govern.forget(user=DANA)

    assert again.subject == receipt.subject
    assert (again.events, again.learnings, again.jobs) == ({}, (), 0)


def test_what_others_said_too_is_theirs_from_then_on(loop: heedful.Loop) -> None:
    told = loop.capture.correction("red", "green", query="Which colour?", why="secretly", actor=DANA)
    loop.capture.correction("red", "green", query="What colour?", actor="lee")
    meant = loop.capture.mapping_confirmed("ABC-1", "INT-1", customer="C-9", by=DANA)
    for who in ("lee", DANA):
        loop.capture.mapping_confirmed("ABC-1", "INT-1", customer="C-9", by=who)
    loop.capture.mapping_rejected("ABC-2", "INT-2", by=DANA)
    receipt = loop.govern.forget(user=DANA)

    assert {told.id, meant.id} <= set(receipt.changed)
    one = corrections(loop).get(told.id)
    assert (one.wrong, one.right, one.query, one.why, one.confirmed) == ("red", "green", "What colour?", "", 0)
    assert one.actor == loop.store.secret.person("lee")
    mapping = loop.learn.mappings.get(meant.id)
    assert (mapping.value, mapping.support_count, mapping.people) == ("INT-1", 1, 1)
    assert [one.key for one in loop.learn.mappings.all(state=None)] == ["ABC-1"]
    Worker(loop).run_all()
    _check(loop)


def test_what_somebody_edited_gets_its_older_words_and_what_they_retired_stays_retired(loop: heedful.Loop) -> None:
    edited, retired = (loop.capture.correction(wrong, "right", actor="lee").id for wrong in ("left", "wrong"))
    with acting(Caller(loop.name, Role.ADMIN, DANA, DANA)):
        corrections(loop).edit(edited, right="ahead", why="plimsorat")
        corrections(loop).retire(retired, why="vrundelbasch")
        corrections(loop).approve(edited)
    with acting(Caller(loop.name, Role.ADMIN, "lee", "lee")):
        corrections(loop).edit(edited, wrong="behind")
    loop.govern.forget(user=f"key:{DANA}")

    one = corrections(loop).get(edited)
    assert (one.wrong, one.right, one.why, one.approved) == ("behind", "right", "", False)
    assert corrections(loop).get(retired).status is Status.RETIRED
    assert leaked(repr([event.to_dict() for event in loop.events()]).encode(), _known(loop)) == []
    _check(loop)


def test_a_rule_needs_another_approval_and_its_evidence_is_of_others(loop: heedful.Loop) -> None:
    people = ("lee", "kim", "ana", DANA)
    for number in range(8):
        said = "Please round totals to two digits." if number == 7 else "Always validate user input before storing it."
        review(loop, number, reviewer=people[number % 4], comment=said)
        loop.learn.reviews.evaluate(f"review-{number}")
    (made,) = loop.learn.reviews.propose()
    for who in ("lee", DANA):
        loop.govern.proposals.approve(made.id, by=who)
    (rule,) = loop.govern.rules.in_force()
    assert set(rule.evidence) & {"review-3"}
    loop.govern.forget(user=DANA)

    assert loop.govern.rules.in_force() == []
    (waiting,) = loop.govern.proposals.all()
    assert (waiting.id, [approval.by for approval in waiting.approvals]) == (made.id, ["lee"])
    assert not {"review-3", "review-7"} & set(waiting.evidence)
    loop.govern.proposals.approve(made.id, by="kim")
    (rule,) = loop.govern.rules.in_force()
    assert rule.approved_by == ("lee", "kim")
    Worker(loop).run_all()
    _check(loop)


def test_what_she_reviewed_and_approved_waits_with_the_approvals_of_others(loop: heedful.Loop) -> None:
    said = {
        DANA: "Validate user input before it is stored.",
        "kim": "Please validate the user's input before storing it.",
        "ana": "Always validate user input before you store it.",
    }
    for number, (who, comment) in enumerate(said.items()):
        review(loop, number, reviewer=who, comment=comment)
        loop.learn.reviews.evaluate(f"review-{number}")
    (made,) = loop.learn.reviews.propose()
    for who in (DANA, "kim"):
        loop.govern.proposals.approve(made.id, by=who)
    receipt = loop.govern.forget(user=DANA)

    assert loop.govern.rules.in_force() == []
    (waiting,) = loop.govern.proposals.all()
    assert ([approval.by for approval in waiting.approvals], len(waiting.evidence)) == (["kim"], 2)
    assert (receipt.events["PROPOSAL_APPROVED"], "PROPOSAL_EDITED" in receipt.events) == (1, False)
    loop.govern.proposals.approve(made.id, by="ana")
    assert [rule.approved_by for rule in loop.govern.rules.in_force()] == [("kim", "ana")]
    Worker(loop).run_all()
    _check(loop)


def test_a_receipt_counts_only_what_was_there_before(loop: heedful.Loop) -> None:
    for number, who in enumerate((DANA, "lee", "kim")):
        said = "Always validate gerblisto input." if who == DANA else "validate input, as said"
        review(loop, number, reviewer=who, comment=said)
        loop.learn.reviews.evaluate(f"review-{number}")
    (made,) = loop.learn.reviews.propose()
    for who in (DANA, "kim"):
        loop.govern.proposals.approve(made.id, by=who)
    before = Counter(event.kind for event in loop.events())
    receipt = loop.govern.forget(user=DANA)

    assert (list(loop.govern.proposals.all()), loop.govern.rules.in_force()) == ([], [])
    assert all(count <= before[kind] for kind, count in receipt.events.items())


def test_a_rule_in_the_words_of_one_person_goes_with_them(loop: heedful.Loop) -> None:
    for number, who in enumerate((DANA, "lee", "kim")):
        said = "Always validate user input before it is stored." if who == DANA else "validate user input, as said"
        review(loop, number, reviewer=who, comment=said)
        loop.learn.reviews.evaluate(f"review-{number}")
    (made,) = loop.learn.reviews.propose()
    for who in ("lee", "kim"):
        loop.govern.proposals.approve(made.id, by=who)
    receipt = loop.govern.forget(user=DANA)

    assert made.id in receipt.proposals
    assert list(loop.govern.learnings.all(kind="rule", status=None)) == []
    assert list(loop.govern.proposals.all()) == []
    _check(loop)


def test_documents_stay_without_the_acts_of_the_person(loop: heedful.Loop) -> None:
    draft = extracted(loop, 4711, id="order-1", by=DANA)
    loop.capture.customer_selected(draft, "C-1", by=DANA)
    loop.capture.field_corrected(draft, "order_number", "gerblisto", by=DANA)
    loop.capture.field_corrected(draft, "order_number", "4712", by="lee")
    loop.capture.customer_selected(draft, "C-2", by="lee")
    rate = loop.learn.layouts.get(draft.layout).correction_rate
    loop.govern.forget(user=DANA)

    now = loop.learn.documents.draft(draft.id)
    assert (now.values["order_number"], now.customer) == ("4712", "C-2")
    assert loop.learn.documents.get("order-1").actor == "forgotten"
    assert loop.learn.layouts.get(draft.layout).correction_rate == rate
    (act,) = loop.events(kind="EXTRACTION_FIELD_CORRECTED")
    assert act.before["order_number"] == 4711 or act.before["order_number"] == "4711"
    _check(loop)


def test_a_person_without_traces_has_an_empty_receipt(loop: heedful.Loop) -> None:
    loop.capture.event("FIELD_SET", actor="lee", meta={"note": "asked zarbeth quomlixen"})
    receipt = loop.govern.forget(user=DANA)

    assert (receipt.events, receipt.rewritten) == ({}, {})
    assert any("free text" in note for note in receipt.notes)
    assert len(list(loop.events(kind="FIELD_SET"))) == 1


# A conversation, a document


def test_a_conversation_goes_with_what_was_corrected_in_its_chat(loop: heedful.Loop, database: str) -> None:
    teach(loop, "chat-9", LINT.replace("make lint", "make brodecktum"))
    loop.capture.message("No, it is hulldrinke, not blue.", last_output="It is blue.", session="chat-9")
    kept = loop.capture.correction("wrong", "right", session="chat-8")
    receipt = loop.govern.forget(conversation="chat-9")

    assert len(receipt.learnings) == 2
    assert [one.id for one in loop.govern.learnings.all()] == [kept.id]
    assert leaked(_raw(database), ["brodecktum", "hulldrinke"]) == []
    with pytest.raises(NotFound):
        loop.govern.forget(conversation="chat-9")
    _check(loop)


def test_a_document_goes_with_its_contexts(loop: heedful.Loop) -> None:
    kept = loop.capture.correction("wrong", "right").id
    extracted(loop, 4711, id="order-1")
    given = give_context(loop, [kept], "lee", "order-1")
    loop.measure.outcome(given, success=True)
    receipt = loop.govern.forget(document="order-1")

    assert receipt.events == {
        "CONTEXT_GIVEN": 1, "DOCUMENT_EXTRACTED": 1, "DOCUMENT_RECEIVED": 1, "LEARNING_APPLIED": 1,
        "OUTCOME_REPORTED": 1,
    }  # fmt: skip
    assert receipt.files == 2
    assert corrections(loop).get(kept).applied == 0
    _check(loop)


# Everything


def test_an_organisation_is_forgotten_only_by_its_name(loop: heedful.Loop, database: str) -> None:
    other = loop.org("globex")
    other.capture.event("FIELD_SET")
    _live(loop, DANA, WORDS)
    kept, gone = (loop.govern.keys.create(name, role="admin") for name in ("mine", "theirs"))
    loop.govern.webhooks.create("https://example.com/")
    head = loop.store.log.head()
    for wrong in (None, "globex", "ACME"):
        with pytest.raises(InvalidInput):
            loop.govern.forget(everything=True, confirm=wrong)
    assert loop.store.log.head() == head
    with acting(Caller("acme", Role.ADMIN, kept.id, kept.name)):
        receipt = loop.govern.forget(everything=True, confirm="acme")

    assert leaked(_raw(database), [*_known(loop), gone.name]) == []
    assert [event.kind for event in loop.events()] == ["AUDIT_FORGOTTEN"]
    assert (receipt.keys, [key.id for key in loop.govern.keys.all()]) == (1, [kept.id])
    assert sum(receipt.events.values()) == head
    assert loop.store.log.head() > head
    assert len(list(other.events())) == 1
    _others(loop)
    Worker(loop).run_all()
    _check(loop)


def test_what_is_to_be_forgotten_must_be_clear(loop: heedful.Loop) -> None:
    unclear: list[dict[str, Any]] = [{}, {"user": "dana", "everything": True}, {"user": "a", "document": "b"}]
    for given in [*unclear, {"user": "forgotten"}, {"user": "local"}, {"user": ""}]:
        with pytest.raises(InvalidInput):
            loop.govern.forget(**given)
    with pytest.raises(NotFound):
        loop.govern.forget(document="order-1")
    with pytest.raises(NotFound):
        loop.govern.forget(conversation="chat")
    with acting(Caller("acme", Role.REVIEWER, "k", "k")), pytest.raises(Forbidden):
        loop.govern.forget(user="dana")


# Interrupted, and at once


def test_an_interrupted_forgetting_goes_on(open_loop: OpenLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails now and then, ever later, until it is done, and ends as one that was not interrupted."""
    monkeypatch.setattr(importlib.import_module("heedful.govern.forgetting"), "_CHUNK", 4)
    whole, broken = (open_loop(org, embedder=WordEmbedder(), reader=QuickReader()) for org in ("whole", "broken"))
    for loop in (whole, broken):
        _others(loop)
        _live(loop, DANA, WORDS)
        Worker(loop).run_all()
    whole.govern.forget(user=DANA)
    calls, erase = count(1), Recording.erase

    def failing(record: Recording, events: Any) -> None:
        if next(calls) in (2, 6, 11):
            raise ZeroDivisionError
        erase(record, events)

    monkeypatch.setattr(Recording, "erase", failing)
    attempts = 0
    while True:
        attempts += 1
        try:
            broken.govern.forget(user=DANA)
        except ZeroDivisionError:
            check(broken)
        else:
            break
    monkeypatch.setattr(Recording, "erase", erase)

    assert attempts == 4
    assert not is_known(broken, DANA)
    assert _kinds(broken) == _kinds(whole)
    _check(broken)


def _kinds(loop: heedful.Loop) -> Counter[tuple[str, bool]]:
    events = [event for event in loop.events() if event.kind != "AUDIT_FORGOTTEN"]
    return Counter((event.kind, event.actor == "forgotten") for event in events)


def test_two_processes_that_forget_the_same_person_share_the_work(open_loop: OpenLoop) -> None:
    loops = [open_loop(embedder=WordEmbedder(), reader=QuickReader()) for _ in range(2)]
    _others(loops[0])
    _live(loops[0], DANA, WORDS)
    hers = sum(person(loops[0].store, DANA).is_theirs(event) for event in loops[0].events())
    start = threading.Barrier(2)

    def forget(loop: heedful.Loop) -> Receipt:
        start.wait()
        return loop.govern.forget(user=DANA)

    with ThreadPoolExecutor(2) as pool:
        receipts = list(pool.map(forget, loops))

    assert sum(sum(receipt.events.values()) for receipt in receipts) >= hers - 1
    assert len({id for receipt in receipts for id in receipt.learnings}) == sum(len(r.learnings) for r in receipts)
    assert not is_known(loops[0], DANA)
    _check(loops[0])


def _check(loop: heedful.Loop) -> None:
    """What is derived is what the log says, and a rebuild gives the same."""
    check(loop)
    check_sound(loop)
    before = derived(loop)
    loop.learn.rebuild()
    assert derived(loop) == before


# At the terminal


def test_the_command_asks_and_prints_a_receipt(loop: heedful.Loop, database: str) -> None:
    loop.capture.correction("red", "green", actor="dana")
    run = partial(CliRunner().invoke, main)
    place = ["--database", database, "--org", "acme", "forget"]

    for refused in (["--user", "dana"], ["--everything"], ["--everything", "--confirm", "globex"], []):
        assert run([*place, *refused]).exit_code == 2, refused
    assert len(list(loop.events())) == 1
    shown = run([*place, "--user", "dana", "--yes"])
    assert shown.exit_code == 0, shown.output
    assert "1 CORRECTION_REPORTED" in shown.output
    assert "dana" not in shown.output
    done = json.loads(run([*place, "--everything", "--confirm", "acme", "--json"]).output)
    assert (done["scope"], done["events"]) == ("everything", {"AUDIT_FORGOTTEN": 1})

"""Corrections become learnings: said again, contradicted, edited, trusted, forgotten; on every database."""

from __future__ import annotations

import importlib
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

import heedful
from heedful import Category, JobState
from heedful.edges.worker import Worker
from heedful.errors import Conflict, HeedfulError, InvalidInput, NotFound
from heedful.learnings.table import LearningTable
from heedful.records.learning import Status
from heedful.testing import FrozenClock, sample_acts
from tests.conftest import OpenLoop
from tests.contract.correcting import (
    DeafEmbedder,
    WordEmbedder,
    check,
    found,
    learnings,
    report,
    rows,
    vectors,
)
from tests.feedback import dump, leaked
from tests.typed import corrections

QUESTION = "what does parse() return?"


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


def _shown(loop: heedful.Loop, **wanted: Any) -> list[tuple[str, str]]:
    """What was corrected to what, the newest first."""
    return [(one.wrong, one.right) for one in corrections(loop).all(**wanted)]


def _active(loop: heedful.Loop) -> list[str]:
    return [right for _, right in _shown(loop, status="active")]


def _plain(loop: heedful.Loop, wrong: str = "", right: str = "", **more: Any) -> str:
    """A correction that another program recorded."""
    return loop.capture.event("CORRECTION_REPORTED", before={"wrong": wrong}, after={"right": right}, **more).id


# Reported


def test_what_was_reported_is_kept_as_it_was_told(loop: heedful.Loop, clock: FrozenClock) -> None:
    made = loop.capture.correction(
        " an error ", "nil", why="Changed in May.", query=QUESTION, sentence="Go", about="parser", session="s1",
        category=Category.CODE, severity=0.8, confidence=0.7,
    )  # fmt: skip

    assert (made.wrong, made.right, made.why, made.query) == (
        "an error",
        "nil",
        "Changed in May.",
        QUESTION,
    )
    assert (made.sentence, made.about, made.session, made.category) == ("Go", "parser", "s1", Category.CODE)
    assert (made.severity, made.confidence, made.status, made.version) == (0.8, 0.7, Status.ACTIVE, 1)
    assert (made.confirmed, made.applied, made.last_applied) == (0, 0, None)
    assert made.at == made.renewed_at == clock.now
    assert corrections(loop).get(made.id) == made
    assert [event.kind for event in corrections(loop).evidence(made.id)] == ["CORRECTION_REPORTED"]


NO_CORRECTIONS: list[dict[str, Any]] = [
    {},
    {"wrong": " \n", "right": ""},
    {"wrong": None, "right": "nil"},
    {"wrong": 7},
    {"right": "x" * 4_001},
    {"right": "nil", "why": 0},
    {"right": "\ud800"},
    {"right": "nil", "query": "\udfff"},
    {"right": "nil", "about": ""},
    {"right": "nil", "category": "odd"},
    {"right": "nil", "confidence": 1.01},
    {"right": "nil", "severity": float("nan")},
    {"right": "nil", "at": "yesterday"},
]


def test_what_is_no_correction_is_refused(loop: heedful.Loop) -> None:
    for bad in NO_CORRECTIONS:
        with pytest.raises(HeedfulError):
            loop.capture.correction(**bad)

    assert list(loop.events()) == []


def test_odd_texts_are_kept_like_others(loop: heedful.Loop) -> None:
    for text in ("\0", "a\0b \x1b[0m", "\u0301" * 2_000, "ab" * 1_000, "#" * 2_000, "x_" * 1_000, "🦆" * 900):
        id = report(loop, text, "a plain duck", why=text[:1_000])

        assert corrections(loop).get(id).wrong == text.strip()
        assert found(loop, "plain ducks") == ["a plain duck"]
        check(loop)
        corrections(loop).delete(id)
        assert rows(loop, "posting") == []


# Said again


def test_what_is_said_again_is_one_learning_and_surer(loop: heedful.Loop, clock: FrozenClock) -> None:
    first = loop.capture.correction("an error", "nil")
    clock.advance(days=30)
    again = loop.capture.correction("An error.", "“Nil”")

    assert (again.id, again.confirmed) == (first.id, 1)
    assert first.confidence < again.confidence < 1
    assert (again.at, again.renewed_at) == (first.at, clock.now)
    assert again.version == 1
    assert [event.kind for event in corrections(loop).evidence(first.id)] == [
        "CORRECTION_REPORTED",
        "LEARNING_CONFIRMED",
    ]
    check(loop)


def test_an_older_report_that_comes_late_does_not_make_it_older(loop: heedful.Loop, clock: FrozenClock) -> None:
    report(loop, "an error", "nil")
    late = loop.capture.correction("an error", "nil", at=clock.now - timedelta(days=90))

    assert (late.confirmed, late.renewed_at) == (1, clock.now)


def test_words_that_stand_in_any_text_are_recognised_as_well(loop: heedful.Loop) -> None:
    for words in (("who", "whom"), ("is", "are"), ("it's", "its"), ("du", "Sie")):
        report(loop, *words, why="The grammar of the house style.")
        again = loop.capture.correction(*words)
        other = loop.capture.correction(words[0], "hence", why="The grammar of the house style.")

        assert again.confirmed == 1
        assert corrections(loop).get(again.id).superseded_by == other.id


def test_the_same_about_many_topics_is_recognised_in_each(loop: heedful.Loop) -> None:
    loop.capture.corrections({"wrong": "colour", "right": "color", "about": f"t{n}"} for n in range(40))
    report(loop, "colour", "color")

    assert loop.capture.correction("colour", "color", about="t33").confirmed == 1
    assert loop.capture.correction("colour", "color").confirmed == 1
    assert len(learnings(loop)) == 41


# Contradicted


CONTRADICTIONS = [
    (("an error", "nil"), ("an error", "an empty list")),
    (("an error", "nil"), ("nil", "an error")),
    (("", "Wait 5 seconds between tries."), ("", "Wait 10 seconds between tries.")),
    (("", "Always retry failed uploads."), ("", "Never retry failed uploads.")),
    (("iphone", "iPhone"), ("iPhone", "iphone")),
]


def test_what_is_newer_stands(loop: heedful.Loop) -> None:
    for number, (old, new) in enumerate(CONTRADICTIONS):
        org = loop.org(str(number))
        first, second = report(org, *old), report(org, *new)

        before = corrections(org).get(first)
        assert (before.status, before.superseded_by) == (Status.SUPERSEDED, second)
        assert _shown(org, status="active") == [new]
        assert _shown(org, status="superseded") == [old]
        assert [match.learning.id for match in org.apply.search(" ".join(old))] == [second]
        check(org)


def test_what_was_superseded_and_is_said_again_is_learned_anew(loop: heedful.Loop) -> None:
    first = report(loop, "color", "colour")
    report(loop, "colour", "color")
    again = report(loop, "color", "colour")

    assert again != first
    assert _active(loop) == ["colour"]


def test_another_topic_is_not_touched(loop: heedful.Loop) -> None:
    report(loop, "an error", "nil")
    report(loop, "an error", "nil", about="billing")
    report(loop, "an error", "a list", about="search")
    report(loop, "nil", "an error", about="billing")

    assert sorted(_active(loop)) == ["a list", "an error", "nil"]


# Edited, trusted


def test_an_edit_changes_what_is_given(loop: heedful.Loop, clock: FrozenClock) -> None:
    first = loop.capture.correction(
        "an error", "nil", why="Since May.", query=QUESTION, session="s1", category=Category.CODE
    )
    clock.advance(days=1)
    second = corrections(loop).edit(first.id, right="an empty list")
    third = corrections(loop).edit(first.id, why="", category=Category.STYLE, severity=0.9)

    assert (second.wrong, second.right, second.why, second.query) == (
        "an error", "an empty list", "Since May.", QUESTION,
    )  # fmt: skip
    assert (second.version, second.renewed_at, second.at) == (2, clock.now, first.at)
    assert (third.version, third.right, third.why) == (3, "an empty list", "")
    assert (third.category, third.severity, third.session) == (Category.STYLE, 0.9, "s1")
    assert _shown(loop, category="code") == []
    check(loop)


def test_the_same_words_are_no_correction_unless_they_differ_in_case(loop: heedful.Loop) -> None:
    with pytest.raises(InvalidInput, match="the same words") as refused:
        loop.capture.correction("Lisbon", " Lisbon ", query="Where is the office?")

    assert "measure.outcome" in (refused.value.hint or "")
    assert _shown(loop) == []
    assert loop.capture.correction("ios", "iOS").right == "iOS"


def test_an_edit_that_makes_no_sense_is_refused(loop: heedful.Loop) -> None:
    id = report(loop, "an error", "nil")
    bad: list[dict[str, Any]] = [{}, {"wrong": "", "right": " "}, {"right": "x" * 4_001}, {"severity": 2}, {"wrong": 7}]
    for one in bad:
        with pytest.raises(InvalidInput):
            corrections(loop).edit(id, **one)

    assert corrections(loop).get(id).version == 1


def test_trust_stays_between_none_and_all(loop: heedful.Loop) -> None:
    id = report(loop, "an error", "nil", confidence=0.4)
    steps = [corrections(loop).adjust(id, by=by).confidence for by in (0.25, 1, 0.5, -0.3, -1, -0.1)]

    assert steps == [0.65, 1, 1, 0.7, 0, 0]
    for by in (1.1, -2, float("nan"), True, "0.1"):
        with pytest.raises(InvalidInput):
            corrections(loop).adjust(id, by=by)  # type: ignore[arg-type]
    check(loop)


def test_what_is_not_there_is_not_found(loop: heedful.Loop) -> None:
    other = report(loop.org("globex"), "an error", "nil")
    for id in ("nope", other):
        for act in (
            corrections(loop).get,
            corrections(loop).evidence,
            partial(corrections(loop).edit, right="x"),
            partial(corrections(loop).adjust, by=0.1),
            corrections(loop).delete,
        ):
            with pytest.raises(NotFound):
                act(id)
    assert _shown(loop.org("globex")) == [("an error", "nil")]


# Forgotten


def test_what_is_deleted_goes_with_all_events_about_it(loop: heedful.Loop, database: str) -> None:
    id = report(loop, "Wexolian", "Zarubian", why="Quondite.", query="Vexible?", sentence="Yttric")
    report(loop, "wexolian", "zarubian", why="Klaxoned.")
    corrections(loop).edit(id, right="Brindlewort")
    corrections(loop).adjust(id, by=-0.1)
    loop.capture.event("LEARNING_APPLIED", entity=("learning", id))
    last = corrections(loop).delete(id)

    assert (last.right, last.why, last.version) == ("Brindlewort", "Klaxoned.", 3)
    assert (last.confirmed, last.applied) == (1, 1)
    assert [event.kind for event in loop.events()] == ["AUDIT_LEARNING_DELETED"]
    assert rows(loop, "learning") == rows(loop, "posting") == rows(loop, "learning_vector") == []
    words = ["wexol", "zarub", "quond", "vexib", "yttric", "klaxon", "brindlew"]
    if not database.startswith("postgresql"):  # there it is VACUUM's affair
        assert leaked(dump(database), words) == []
    with pytest.raises(NotFound):
        corrections(loop).get(id)


def test_what_a_deleted_one_had_superseded_counts_again(loop: heedful.Loop) -> None:
    first = report(loop, "an error", "nil")
    second = report(loop, "an error", "a list")
    corrections(loop).delete(second)

    assert _active(loop) == ["nil"]
    assert corrections(loop).get(first).superseded_by is None
    assert [event.kind for event in corrections(loop).evidence(first)] == ["CORRECTION_REPORTED"]
    check(loop)


def test_in_a_chain_what_is_deleted_is_passed_over(loop: heedful.Loop) -> None:
    first, second, third = (report(loop, "an error", right) for right in ("nil", "a list", "a tuple"))
    corrections(loop).delete(second)

    assert _active(loop) == ["a tuple"]
    assert corrections(loop).get(first).superseded_by == third
    corrections(loop).delete(third)
    assert _active(loop) == ["nil"]
    check(loop)


def test_who_supersedes_many_gives_all_of_them_back(loop: heedful.Loop) -> None:
    ids = [report(loop, wrong, "nil") for wrong in ("an error", "a panic", "a list")]
    newest = report(loop, "nil", "a zero value")
    assert _active(loop) == ["a zero value"]
    corrections(loop).delete(newest)

    assert [corrections(loop).get(id).status for id in ids] == [Status.ACTIVE] * 3
    check(loop)


def test_an_id_can_be_used_again_after_deletion(loop: heedful.Loop) -> None:
    report(loop, "an error", "nil", id="mine")
    corrections(loop).delete("mine")
    loop.capture.event("LEARNING_APPLIED", entity=("learning", "mine"))  # by whoever had just found it
    again = loop.capture.correction("a panic", "a list", id="mine")
    loop.learn.rebuild(["learnings"])

    assert corrections(loop).get("mine") == again
    check(loop)


def test_a_deletion_that_is_undone_leaves_everything(loop: heedful.Loop) -> None:
    id = report(loop, "an error", "nil")
    with pytest.raises(ZeroDivisionError), loop.transaction():
        corrections(loop).delete(id)
        assert found(loop, "nil") == []
        raise ZeroDivisionError

    assert found(loop, "nil") == ["nil"]
    check(loop)


# Ids of one's own, and many at once


def test_the_same_id_twice_is_one_report(loop: heedful.Loop, clock: FrozenClock) -> None:
    told: dict[str, Any] = {"query": QUESTION, "actor": "dana", "about": "parser"}
    first = loop.capture.correction("an error", "nil", id="a", **told)
    clock.advance(hours=1)

    assert loop.capture.correction("an error", "nil", id="a", **told) == first
    assert len(list(loop.events())) == 1
    for other in ({"about": "other"}, {"about": None}, {"actor": "lee"}, {"query": ""}, {"at": clock.now}):
        with pytest.raises(Conflict, match="different content"):
            loop.capture.correction("an error", "nil", id="a", **{**told, **other})
    with pytest.raises(Conflict):
        loop.capture.correction("an error", "a list", id="a", **told)


def test_a_confirmation_with_an_id_counts_once(loop: heedful.Loop) -> None:
    first = report(loop, "an error", "nil", about="parser")
    for _ in range(3):
        assert loop.capture.correction("an error", "nil", about="parser", id="b").confirmed == 1
    with pytest.raises(Conflict):
        loop.capture.correction("an error", "nil", id="b")

    assert corrections(loop).get(first).confirmed == 1


def test_an_id_of_another_act_is_a_conflict(loop: heedful.Loop) -> None:
    loop.capture.event("FIELD_SET", id="x")
    with pytest.raises(Conflict):
        loop.capture.correction("an error", "nil", id="x")


def test_many_are_recorded_in_the_light_of_those_before(loop: heedful.Loop) -> None:
    said = [("an error", "nil"), ("an error", "nil"), ("an error", "a list"), ("a panic", "an error")]
    assert loop.capture.corrections({"wrong": wrong, "right": right} for wrong, right in said) == 4

    assert _shown(loop, status="active") == [("a panic", "an error"), ("an error", "a list")]
    check(loop)


def test_one_bad_item_leaves_out_its_chunk_and_tells_its_number(
    loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("heedful.capture"), "_CORRECTIONS", 3)
    report(loop, "taken", "before", id="taken")
    good = [{"wrong": f"wrong {n} a", "right": f"right {n} b"} for n in range(8)]
    for bad in ({}, {"wrong": None, "right": "x"}, {"wrong": "a", "colour": "red"}, {"right": "new", "id": "taken"}, 7):
        with pytest.raises(HeedfulError) as refused:
            loop.capture.corrections([*good[:4], bad, *good[4:]])  # type: ignore[list-item]
        assert refused.value.item == 4

    assert sorted(right for _, right in _shown(loop)) == ["before", "right 0 b", "right 1 b", "right 2 b"]
    check(loop)


# Privacy


def test_people_are_pseudonyms_here_too(loop: heedful.Loop, database: str) -> None:
    made = loop.capture.correction("an error", "nil", actor="dana.kowalska")
    again = loop.capture.correction("an error", "nil", actor="dana.kowalska")

    assert made.actor == again.actor != "dana.kowalska"
    assert leaked(dump(database), ["kowalska"]) == []
    loop.govern.set_privacy(anonymize_users=False)
    assert loop.capture.correction("a panic", "a list", actor="dana").actor == "dana"


def test_where_texts_are_not_kept_what_was_asked_is_not(loop: heedful.Loop, database: str) -> None:
    loop.govern.set_privacy(store_original_text=False)
    made = loop.capture.correction("an error", "nil", why="Since May.", query="Wexolian?", sentence="Zarubian")
    edited = corrections(loop).edit(made.id, right="a list")

    assert (made.wrong, made.right, made.why) == ("an error", "nil", "Since May.")
    assert (made.query, made.sentence, edited.query) == ("", "", "")
    assert (found(loop, "Wexolian"), found(loop, "list")) == ([], ["a list"])
    assert leaked(dump(database), ["wexol", "zarub"]) == []
    check(loop)


# Decay


def test_relevance_fades_by_half_and_is_renewed_by_use_and_confirmation(loop: heedful.Loop, clock: FrozenClock) -> None:
    id = report(loop, "an error", "nil", category="code", confidence=0.8)

    def now() -> float:
        (match,) = loop.apply.search("nil")
        assert match.relevance == pytest.approx(
            match.similarity * match.learning.confidence * match.recency * match.standing
        )
        return match.recency

    assert now() == 1
    clock.advance(days=120)
    assert now() == pytest.approx(0.5)
    clock.advance(days=120)
    assert now() == pytest.approx(0.25)
    assert loop.apply.context("Is it nil or an error?").pieces
    assert now() == pytest.approx(0.25)  # to be shown is no confirmation
    loop.capture.event("LEARNING_APPLIED", entity=("learning", id))
    assert now() == 1
    clock.advance(days=120)
    report(loop, "an error", "nil")
    assert now() == 1
    assert loop.apply.search("nil")[0].standing == pytest.approx(1.1)
    clock.advance(days=120)
    corrections(loop).adjust(id, by=0.1)
    assert now() == pytest.approx(0.5)  # to trust it more does not make it new
    corrections(loop).edit(id, category=Category.PREFERENCE)
    clock.advance(days=365)
    assert now() == pytest.approx(0.5)


def test_to_be_shown_or_applied_often_raises_no_rank(loop: heedful.Loop) -> None:
    id = report(loop, "an error", "nil", query="what does parse() return?")
    before = loop.apply.search("nil")[0]
    for _ in range(3):
        assert loop.apply.context("what does parse() return?").pieces
        loop.capture.event("LEARNING_APPLIED", entity=("learning", id))
    after = loop.apply.search("nil")[0]

    assert (before.learning.applied, after.learning.applied) == (0, 6)
    assert (after.relevance, after.standing) == (before.relevance, 1)


def test_what_was_said_again_liked_or_approved_ranks_higher(loop: heedful.Loop) -> None:
    id = report(loop, "an error", "nil", actor="ann")
    assert loop.apply.search("nil")[0].standing == 1
    report(loop, "an error", "nil", actor="ben")
    assert loop.apply.search("nil")[0].standing == pytest.approx(1.1)
    corrections(loop).approve(id)
    assert loop.apply.search("nil")[0].standing == pytest.approx(1.3)


# Listed


def test_corrections_are_listed_by_what_they_are(loop: heedful.Loop) -> None:
    report(loop, "a", "b", category="code", about="parser")
    report(loop, "c", "d", category="style", about="parser")
    report(loop, "e", "f", category="style")
    report(loop, "e", "g", category="style")

    assert _shown(loop) == [("e", "g"), ("e", "f"), ("c", "d"), ("a", "b")]
    assert _shown(loop, category="style", status="active") == [("e", "g"), ("c", "d")]
    assert _shown(loop, about="parser") == [("c", "d"), ("a", "b")]
    assert _shown(loop, about="nowhere") == []
    for bad in ({"category": "odd"}, {"status": "odd"}, {"about": ""}, {"limit": 0}, {"cursor": "x"}):
        with pytest.raises(HeedfulError):
            corrections(loop).page(**bad)


def test_pages_have_all_of_them_once(loop: heedful.Loop) -> None:
    loop.capture.corrections({"wrong": f"old{n}", "right": f"new{n}"} for n in range(7))
    seen, cursor = list[str](), None
    while True:
        page = corrections(loop).page(limit=3, cursor=cursor)
        seen += [one.right for one in page.items]
        report(loop, f"meanwhile{len(seen)}", "new")
        if (cursor := page.next) is None:
            break

    assert seen == [f"new{n}" for n in reversed(range(7))]


# Vectors


def test_events_of_other_programs_get_vectors_by_a_job(open_loop: OpenLoop) -> None:
    embedder = WordEmbedder()
    loop = open_loop(embedder=embedder)
    _plain(loop, "an error", "nil")
    _plain(loop, right="Wait 5 seconds.", meta={"query": QUESTION})
    assert (vectors(loop), embedder.asked) == ({}, [])
    assert [job.name for job in loop.jobs.all(state=JobState.QUEUED)] == ["learning.embed"]
    Worker(loop).run_all()

    assert vectors(loop) == {1: (1, "words-1"), 2: (2, "words-1")}
    assert embedder.asked == ["an error nil", f"{QUESTION} Wait 5 seconds."]
    assert loop.learn.embed() == 0
    _plain(loop, "a panic", "a list")
    assert loop.learn.embed() == 1


def test_what_is_reported_or_edited_has_its_vector_at_once(loop: heedful.Loop) -> None:
    id = report(loop, "an error", "nil")
    assert vectors(loop) == {1: (1, "words-1")}
    corrections(loop).edit(id, right="a list")

    assert vectors(loop) == {1: (2, "words-1")}
    assert list(loop.jobs.all(name="learning.embed")) == []


def test_an_edit_while_vectors_are_made_is_not_undone(open_loop: OpenLoop) -> None:
    class Slow(WordEmbedder):
        def embed(self, texts: Any) -> Any:
            if len(self.asked) == 0:
                made = super().embed(texts)
                corrections(other).edit("b", right="tabs")
                corrections(other).delete("c")
                return made
            return super().embed(texts)

    other = open_loop(embedder=DeafEmbedder())
    for id in "abc":
        _plain(other, f"{id}{id}", "spaces", id=id)
    with open_loop(embedder=Slow()) as loop:
        loop.learn.embed()
        assert {no: one[0] for no, one in vectors(loop).items()} == {1: 1}
        loop.learn.embed()
        check(loop)
        assert {no: one[0] for no, one in vectors(loop).items()} == {1: 1, 2: 4}


def test_vectors_of_another_embedder_are_not_compared_and_replaced(open_loop: OpenLoop) -> None:
    old = open_loop(embedder=WordEmbedder())
    for n in range(40):
        report(old, f"v{n} thing", f"w{n} thing")
    new = open_loop(embedder=WordEmbedder("words-2"))
    assert found(new, "zzz") == []
    assert found(new, "v7") == ["w7 thing"]

    assert new.learn.embed() == 40
    assert set(vectors(new).values()) == {(no, "words-2") for no in vectors(new)}
    assert found(new, "v7 thing")[0] == found(old, "v7 thing")[0] == "w7 thing"
    assert new.learn.embed() == 0


def test_an_embedder_that_fails_holds_nothing_up(open_loop: OpenLoop, caplog: pytest.LogCaptureFixture) -> None:
    loop = open_loop(embedder=DeafEmbedder())
    with caplog.at_level(logging.WARNING):
        id = report(loop, "an error", "nil", query=QUESTION)
        report(loop, "an error", "nil", query=QUESTION)
        corrections(loop).edit(id, right="an empty list")
    assert found(loop, "empty lists") == ["an empty list"]
    assert found(loop, "what else") == []
    assert vectors(loop) == {}
    check(loop)

    Worker(loop).run_all()  # fails too, and will be tried again
    assert [job.state for job in loop.jobs.all(name="learning.embed")] == [JobState.FAILED]
    with open_loop(embedder=WordEmbedder()) as mended:
        assert mended.learn.embed() == 1


# Made anew


def test_learnings_of_a_log_that_was_there_before_are_derived_by_a_job(open_loop: OpenLoop) -> None:
    """As in a process of older code, which recorded events of these kinds and knew nothing of learnings."""
    loop = open_loop(embedder=WordEmbedder())
    for n in range(3):
        _plain(loop, f"wrong{n}", f"right{n}")
    with loop.store.transaction() as transaction:
        for table in ("learning", "posting", "learning_vector"):
            transaction.execute(f"delete from {table} where org_id = :org", {"org": loop.name})
        transaction.execute("delete from projection where name = 'learnings' and org_id = :org", {"org": loop.name})
        transaction.execute("update org set learnings = 0 where org_id = :org", {"org": loop.name})
    made = loop.capture.correction("an error", "nil")
    assert made.right == "nil"
    assert loop.apply.search("right1") == []
    Worker(loop).run_all()

    assert sorted(_active(loop)) == ["nil", "right0", "right1", "right2"]
    assert "right1" in found(loop, "right1")
    check(loop)
    assert set(vectors(loop)) == {1, 2, 3, 4}


def test_a_rebuild_beside_recording_and_deleting_is_right(loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("heedful.learnings.projection"), "_CHUNK", 7)
    loop.capture.corrections({"wrong": f"wrong{n}", "right": f"right{n}", "id": f"i{n}"} for n in range(40))
    done = threading.Event()

    def live() -> None:
        try:
            for turn in range(12):
                report(loop, f"wrong{turn}", f"other{turn}")
                corrections(loop).delete(f"i{turn + 20}")
                corrections(loop).edit(f"i{turn}", right=f"edited{turn}")
        finally:
            done.set()

    thread = threading.Thread(target=live)
    thread.start()
    while not done.is_set():
        loop.learn.rebuild(["learnings"])
    thread.join()

    check(loop)
    loop.learn.rebuild(["learnings"])
    check(loop)


def test_two_who_rebuild_and_two_who_write_never_wait_for_each_other_for_ever(loop: heedful.Loop) -> None:
    loop.capture.corrections({"wrong": f"wrong{n} thing", "right": f"right{n} thing"} for n in range(60))
    start = threading.Barrier(4)

    def rebuild(_: int) -> None:
        start.wait()
        for _ in range(4):
            loop.learn.rebuild(["learnings"])

    def write(number: int) -> None:
        start.wait()
        for turn in range(10):
            id = report(loop, f"{number} wrong{turn} thing", f"{number} other{turn} thing")
            report(loop, f"wrong{turn} thing", f"{number} third{turn}")
            corrections(loop).edit(id, right=f"thing {turn} of {number}")
            loop.learn.embed()

    with ThreadPoolExecutor(4) as pool:
        for outcome in [*[pool.submit(rebuild, n) for n in range(2)], *[pool.submit(write, n) for n in range(2)]]:
            outcome.result()
    loop.learn.rebuild(["learnings"])
    check(loop)


def test_an_interrupted_rebuild_leaves_a_whole_and_the_next_one_sweeps(
    loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("heedful.learnings.projection"), "_CHUNK", 5)
    loop.capture.corrections({"wrong": f"wrong{n}", "right": f"right{n}"} for n in range(20))
    seen: list[int] = []

    def die(events: int) -> None:
        seen.append(events)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loop.learn.rebuild(["learnings"], progress=die)
    report(loop, "wrong3", "other3")
    assert found(loop, "other3", limit=1) == ["other3"]
    assert found(loop, "right4", limit=1) == ["right4"]

    loop.learn.rebuild(["learnings"])
    check(loop)


def test_a_rebuild_does_not_make_what_is_applied_often_again_and_again(
    loop: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("heedful.learnings.projection"), "_CHUNK", 10)
    id = report(loop, "an error", "nil")
    loop.capture.events({"kind": "LEARNING_APPLIED", "entity": ("learning", id)} for _ in range(300))
    made: list[list[str]] = []
    refold = type(LearningTable(loop.store)).refold

    def counted(table: Any, transaction: Any, ids: Any, *more: Any) -> None:
        made.append(list(ids))
        refold(table, transaction, ids, *more)

    monkeypatch.setattr(type(LearningTable(loop.store)), "refold", counted)
    loop.learn.rebuild(["learnings"])

    assert sum(made, []) == [id]  # noqa: RUF017
    assert corrections(loop).get(id).applied == 300
    check(loop)


def test_places_may_be_beyond_two_thousand_million(loop: heedful.Loop) -> None:
    loop.capture.events(sample_acts(3))
    far = 2**33 + 4_090
    with loop.store.transaction() as transaction:
        transaction.execute("update org set floor = :far where org_id = :org", {"far": far, "org": loop.name})
    ids = [report(loop, f"wrong{n} thing", f"right{n} thing") for n in range(9)]
    corrections(loop).edit(ids[0], right="edited thing")
    corrections(loop).delete(ids[1])

    assert min(state.no for state in learnings(loop).values()) == far + 1
    for _ in range(2):
        check(loop)
        assert found(loop, "right8", limit=1) == ["right8 thing"]
        assert len(found(loop, "thing", limit=20)) == 8
        loop.learn.rebuild(["learnings"])
    assert len(_shown(loop)) == 8


def test_more_at_once_than_a_query_takes_parameters(loop: heedful.Loop) -> None:
    """Thousands of learnings, each with words of its own, in one transaction."""
    loop.capture.events(
        {"kind": "CORRECTION_REPORTED", "after": {"right": f"alpha{n} beta{n} gamma{n} delta{n % 7}"}, "id": f"i{n}"}
        for n in range(1_200)
    )
    check(loop)
    assert loop.learn.embed() == 1_200
    assert len(loop.apply.search("delta3", limit=150)) == 150
    loop.capture.events({"kind": "LEARNING_APPLIED", "entity": ("learning", f"i{n}")} for n in range(1_100))

    loop.learn.rebuild(["learnings"])
    check(loop)

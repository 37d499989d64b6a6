"""Corrections are found by their words, their names and their meaning, on every database."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import heedful
from heedful.learnings.search import Search
from heedful.learnings.table import LearningTable
from heedful.records.embedding import Meaning
from heedful.store.vectors import NewVector, packed
from heedful.testing import FrozenClock
from tests.conftest import OpenLoop
from tests.contract.correcting import DeafEmbedder, WordEmbedder, found, report, vectors
from tests.typed import correction_of, corrections


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


@pytest.fixture
def by_words(open_loop: OpenLoop) -> heedful.Loop:
    """One that knows no meanings."""
    return open_loop(embedder=DeafEmbedder())


# Words and names


def test_a_name_is_found_whole_and_never_by_its_beginning(by_words: heedful.Loop) -> None:
    for name in ("V7", "V71", "V701", "XV7", "v7_beta", "parse_config", "parseConfig2"):
        report(by_words, f"{name} is stable", f"{name} is not released")

    assert found(by_words, "V7")[0] == "V7 is not released"
    assert not {"V71 is not released", "V701 is not released", "XV7 is not released"} & set(found(by_words, "V7"))
    assert found(by_words, "v71") == ["V71 is not released"]
    assert found(by_words, "what of parseConfig?")[0] == "parse_config is not released"


def test_words_are_found_in_other_forms(by_words: heedful.Loop) -> None:
    report(by_words, "the invoice was validated", "invoices are validated on receipt", why="The auditors asked for it.")
    report(by_words, "the café opens", "the cafés open at nine")
    report(by_words, "東京都の天気", "京都の天気")

    for query in ("validating an invoice", "Invoice validation", "auditor"):
        assert found(by_words, query) == ["invoices are validated on receipt"]
    assert found(by_words, "CAFE") == ["the cafés open at nine"]
    assert found(by_words, "天気") == ["京都の天気"]
    assert found(by_words, "zeppelin") == found(by_words, "") == found(by_words, "?!") == []


def test_what_was_asked_and_why_it_is_wrong_are_found_as_well(by_words: heedful.Loop) -> None:
    report(by_words, "an error", "nil", why="Harmonised in May.", query="What does frobnicate return?")

    assert found(by_words, "frobnicate") == found(by_words, "harmonised") == ["nil"]


def test_a_rare_word_outweighs_frequent_ones(by_words: heedful.Loop) -> None:
    for n in range(30):
        report(by_words, f"deploy service k{n} from staging", f"deploy service q{n} from production")
    report(by_words, "zeppelin", "airship")

    assert found(by_words, "deploy the zeppelin service from production")[0] == "airship"


def test_any_question_is_answered(loop: heedful.Loop) -> None:
    report(loop, "an error", "nil")
    for text in ("x" * 1_000_000, "a b " * 250_000, "\0" * 1_000, "\u0301" * 100_000, "a_" * 500_000):
        assert len(loop.apply.search(text)) <= 1
        assert len(loop.apply.search(f"nil {text[:900_000]}")) == 1


# Meaning


def test_meaning_is_found_without_a_word_in_common(open_loop: OpenLoop) -> None:
    loop = open_loop()  # with the embedder that heedful brings along
    report(loop, "the automobile is refuelled", "the car is charged overnight")
    report(loop, "send the bill by post", "send the bill by email")
    report(loop, "cats sleep all day", "cats hunt at night")

    assert found(loop, "vehicle battery")[0] == "the car is charged overnight"
    assert found(loop, "felines")[0] == "cats hunt at night"
    best, *others = loop.apply.search("an invoice sent electronically")
    assert correction_of(best).right == "send the bill by email"
    assert all(best.similarity > other.similarity for other in others)


def test_words_and_meaning_count_together(loop: heedful.Loop) -> None:
    report(loop, "alpha beta gamma", "delta")
    report(loop, "alpha beta", "epsilon")
    (best, *_) = loop.apply.search("alpha beta gamma delta")

    assert correction_of(best).right == "delta"
    assert 0.9 < best.score <= 1
    assert best.similarity == pytest.approx(1, abs=0.01)


# Filters


def test_filters_that_leave_few_leave_all_of_these(loop: heedful.Loop) -> None:
    loop.capture.events(
        {
            "kind": "CORRECTION_REPORTED",
            "before": {"wrong": f"the widget w{n} is blue"},
            "after": {"right": f"the widget v{n} is red"},
            "entity": ("topic", "rare" if n % 100 == 7 else "common"),
            "meta": {"category": "code" if n % 50 == 7 else "style"},
        }
        for n in range(500)
    )
    loop.learn.embed()

    assert len(found(loop, "widget", about="rare")) == 5
    assert len(found(loop, "widget", category="code", limit=50)) == 10
    assert len(found(loop, "widget", category="style", about="rare")) == 0
    assert found(loop, "widget", about="nowhere") == []
    assert len(found(loop, "widget", limit=480)) == 480
    assert found(loop, "v207", about="rare")[0] == "the widget v207 is red"


def test_what_is_superseded_is_found_by_whoever_asks_for_it(loop: heedful.Loop) -> None:
    report(loop, "an error", "nil")
    report(loop, "an error", "an empty list")

    assert found(loop, "error") == ["an empty list"]
    assert found(loop, "error", status="superseded") == ["nil"]
    assert sorted(found(loop, "error", status=None)) == ["an empty list", "nil"]


# Organisations


def test_another_organisation_is_never_found_and_changes_nothing(loop: heedful.Loop) -> None:
    other = loop.org("globex")
    for n in range(5):
        report(loop, f"the gizmo g{n}", f"the widget w{n} turns {'left' * (n % 2)}")
    before = loop.apply.search("widget left gizmo g3")
    other.capture.corrections({"wrong": f"secret{n} widget", "right": f"left secret{n}"} for n in range(60))

    assert loop.apply.search("widget left gizmo g3") == before
    assert {correction_of(one).wrong for one in other.apply.search("the gizmo g3")} <= {
        f"secret{n} widget" for n in range(60)
    }
    assert [text for text in found(loop, "secret7", limit=100) if "secret" in text] == []


# Deleted and edited, here and elsewhere


def test_what_another_process_deletes_is_gone_at_once(open_loop: OpenLoop) -> None:
    here, there = open_loop(embedder=WordEmbedder()), open_loop(embedder=WordEmbedder())
    here.capture.corrections({"wrong": f"wrong w{n}", "right": f"right v{n}", "id": f"i{n}"} for n in range(150))
    assert len(found(here, "wrong right", limit=150)) == 150  # its vectors are in memory now
    with there.transaction():
        for n in range(140):
            corrections(there).delete(f"i{n}")

    assert sorted(found(here, "wrong right")) == sorted(f"right v{n}" for n in range(140, 150))
    assert set(found(here, "v3 w3")) == set(found(there, "v3 w3"))
    assert "right v3" not in found(here, "wrong w3 right v3", limit=100)


def test_what_another_process_writes_is_found_at_once(open_loop: OpenLoop) -> None:
    here, there = open_loop(embedder=WordEmbedder()), open_loop(embedder=WordEmbedder())
    for n in range(6):
        one, other = (here, there) if n % 2 else (there, here)
        id = report(one, f"wrong w{n}", f"right v{n}")
        assert found(other, f"w{n}")[0] == f"right v{n}"
        corrections(other).edit(id, right=f"edited e{n}")
        assert found(one, f"e{n}")[0] == f"edited e{n}"
        assert f"right v{n}" not in found(one, f"v{n}")


def test_an_edit_changes_what_is_found(loop: heedful.Loop, by_words: heedful.Loop) -> None:
    id = report(loop, "an error", "the heron")
    report(loop, "a panic", "the stork")
    corrections(loop).edit(id, right="the albatross", why="It crosses oceans.")

    assert found(by_words, "heron") == []
    assert found(by_words, "albatross") == found(by_words, "ocean") == ["the albatross"]
    (best, *_) = loop.apply.search("an error the albatross")
    assert best.learning.id == id
    assert best.similarity == pytest.approx(1, abs=0.01)


def test_another_process_of_another_kind_is_seen(database: str, loop: heedful.Loop) -> None:
    """A real one, not only another loop."""
    report(loop, "an error", "nil")
    assert found(loop, "error") == ["nil"]
    code = """
import sys, heedful
with heedful.open(sys.argv[1], org="acme") as loop:
    loop.capture.correction("a zeppelin", "an airship")
    print(*(one.learning.right for one in loop.apply.search("error")), sep="|")
"""
    told = subprocess.run([sys.executable, "-c", code, database], check=False, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr

    assert "nil" in told.stdout.strip().split("|")
    assert found(loop, "zeppelins")[0] == "an airship"


# Transactions


def test_a_transaction_finds_what_it_wrote_and_nobody_else_does(open_loop: OpenLoop, database: str) -> None:
    loop, other = open_loop(embedder=WordEmbedder()), open_loop(embedder=WordEmbedder())
    id = report(loop, "an error", "the heron")
    assert found(loop, "error") == ["the heron"]
    with pytest.raises(ZeroDivisionError), loop.transaction():
        report(loop, "a panic", "the stork")
        corrections(loop).edit(id, right="the albatross")
        assert found(loop, "stork")[0] == "the stork"
        assert found(loop, "albatross")[0] == "the albatross"
        best = {correction_of(match).right: match.score for match in loop.apply.search("an error the heron")}
        assert best["the albatross"] < 0.95  # its old vector counts no more
        assert _outside(lambda: found(other, "error stork albatross")) == ["the heron"]
        raise ZeroDivisionError

    for one in (loop, other):
        assert found(one, "stork albatross error") == ["the heron"]
        (match,) = one.apply.search("an error the heron")
        assert match.similarity == pytest.approx(1, abs=0.01)
    report(loop, "a panic", "the crane")
    assert "the stork" not in found(loop, "panic stork", limit=50)


def _outside(ask: Any) -> Any:
    """In a thread of its own, which is in no transaction."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(ask).result()


def test_who_searches_while_others_write_and_delete_is_answered(open_loop: OpenLoop) -> None:
    """A word that is there when its learnings are counted may be gone when they are read."""
    loop = open_loop(embedder=WordEmbedder())
    report(loop, "steady", "always here")
    done = threading.Event()

    def live() -> None:
        try:
            for n in range(40):
                id = report(loop, f"fleeting f{n % 3}", "gone soon")
                corrections(loop).delete(id)
        finally:
            done.set()

    thread = threading.Thread(target=live)
    thread.start()
    answers = []
    while not done.is_set():
        answers.append(found(loop, "steady fleeting f0 f1 f2"))
    thread.join()

    assert all("always here" in answer for answer in answers)
    assert found(loop, "fleeting") == []


def test_a_word_that_goes_between_counting_and_reading_is_passed_over(
    by_words: heedful.Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    report(by_words, "steady", "always here")
    id = report(by_words, "fleeting", "gone soon")
    postings = type(LearningTable(by_words.store).postings)
    read = postings.read

    def delete_and_read(table: Any, transaction: Any, terms: Any) -> Any:
        monkeypatch.undo()
        _outside(lambda: corrections(by_words).delete(id))
        return read(table, transaction, terms)

    monkeypatch.setattr(postings, "read", delete_and_read)
    assert found(by_words, "steady fleeting") == ["always here"]
    id = report(by_words, "fleeting", "gone soon")
    monkeypatch.setattr(postings, "read", delete_and_read)
    assert found(by_words, "fleeting") == []


# Many


def test_of_many_vectors_the_nearest_are_found(by_words: heedful.Loop) -> None:
    """Beyond some thousands they are compared by the signs of their dimensions first."""
    random = np.random.default_rng(7)
    by_words.capture.events({"kind": "CORRECTION_REPORTED", "after": {"right": f"t{n % 9}"}} for n in range(5_200))
    wanted = random.standard_normal((3, 96)).astype(np.float32)
    many = random.standard_normal((5_200, 96)).astype(np.float32)
    planted = {place: row for row in range(3) for place in range(100 + 50 * row, 110 + 50 * row)}
    for rank, (place, row) in enumerate(planted.items()):
        many[place] = wanted[row] + (0.05 + 0.08 * (rank % 10)) * many[place]
    written = [NewVector(no, no, packed(vector)) for no, vector in enumerate(many, 1)]
    with by_words.store.recording() as record:
        LearningTable(by_words.store).put_vectors(record.transaction, "planted", written)
    assert len(vectors(by_words)) == 5_200

    for row, vector in enumerate(wanted):
        cosines = many @ vector / np.linalg.norm(many, axis=1) / np.linalg.norm(vector)
        exact = [int(place) + 1 for place in np.argsort(-cosines)[:10]]
        near = Search(by_words.store).find("", Meaning("planted", vector), 10)
        assert (
            {one.row.state.no for one in near}
            == set(exact)
            == {place + 1 for place in planted if planted[place] == row}
        )
        assert [one.cosine for one in near] == pytest.approx([cosines[place - 1] for place in exact], abs=0.02)


def test_vectors_of_another_length_are_not_compared(by_words: heedful.Loop, clock: FrozenClock) -> None:
    """As when a server exchanges a model and keeps its name."""
    for n in range(3):
        report(by_words, f"wrong w{n}", f"right v{n}")
    for no, length in ((1, 8), (2, 16), (3, 16)):
        with by_words.store.recording() as record:
            LearningTable(by_words.store).put_vectors(
                record.transaction, "m", [NewVector(no, no, bytes(range(1, length + 1)))]
            )

    for length, there in ((16, {2, 3}), (8, {1})):
        vector = np.arange(1, length + 1, dtype=np.float32)
        near = Search(by_words.store).find("", Meaning("m", vector), 10)
        assert {one.row.state.no for one in near} == there


def test_a_question_about_something_else_finds_nothing(open_loop: OpenLoop) -> None:
    loop = open_loop()  # with the embedder that heedful brings along: the floor is measured with it
    for wrong, right in (
        ("make ship", "make release"),
        ("kubectl apply", "argocd sync"),
        ("deploy on Fridays", "deploy on Mondays"),
        ("roll back by hand", "roll back with argocd"),
        ("tag v7", "tag v7-rc1 before you deploy the service to vendor V7"),
    ):
        report(loop, wrong, right, query="how do I deploy the service?")

    for question in ("quantum entanglement", "how do I bake sourdough bread?", "who painted the Mona Lisa?"):
        assert found(loop, question) == []
        assert loop.apply.context(question).pieces == ()
    for question in ("how do I deploy?", "release the service", "argocd", "Fridays"):
        assert found(loop, question) != []
    prompt = "Fill in the form for the invoice that came this morning: number, date, currency, tax, total. From {}."
    assert found(loop, prompt.format("V7"))[0].startswith("tag v7-rc1")
    assert found(loop, prompt.format("V8")) == []


def test_without_vectors_words_alone_decide_what_is_near(by_words: heedful.Loop) -> None:
    report(by_words, "make ship", "make release", query="how do I deploy the service?")
    assert found(by_words, "deploy the service") == ["make release"]
    assert found(by_words, "quantum entanglement") == []

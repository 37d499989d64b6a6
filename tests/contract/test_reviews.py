"""What reviewers decide about agents' outputs is recorded, found again and evaluated; on every database."""

from __future__ import annotations

from pathlib import Path

import pytest

import heedful
from heedful.errors import Conflict, InvalidInput, NotFound, ProviderUnreachable
from heedful.records.review import Action, Classification, ReviewDecision
from heedful.settings import Settings
from heedful.testing import FrozenClock, ScriptedModel
from tests.conftest import OpenLoop
from tests.contract.correcting import WordEmbedder
from tests.contract.reviewing import APPROVED, OUTPUT, review, reviewed

DIFF = """--- a/save.py
+++ b/save.py
@@ -1,2 +1,2 @@
 def save(form):
-    db.insert(form)
+    db.insert(validated(form))
"""


@pytest.fixture
def loop(open_loop: OpenLoop) -> heedful.Loop:
    return open_loop(embedder=WordEmbedder())


def test_a_review_keeps_everything_that_was_said(loop: heedful.Loop, clock: FrozenClock) -> None:
    given = {"gate": "HITL-2", "epic": "E-1", "seconds": 42, "output_sha": "aa", "approved_sha": "bb"}
    made = review(loop, 1, **given, at=clock.now)
    found = loop.learn.reviews.get(made.id)

    assert (found.agent, found.decision) == ("coder", ReviewDecision.APPROVED_WITH_CHANGES)
    assert (found.gate, found.epic, found.task, found.seconds) == ("HITL-2", "E-1", "T-1", 42)
    assert (found.output_sha, found.approved_sha, found.tags) == ("aa", "bb", ("security",))
    assert (found.output, found.approved, found.at) == (OUTPUT, APPROVED, clock.now)
    assert found.comment.startswith("Please validate")
    assert [(edit.before, edit.after) for edit in found.edits] == [("form", "validated(form)")]
    assert found.summary == "changed form to validated(form)"
    assert found.reviewer is not None
    assert found.reviewer.startswith("person-")  # anonymous by default


def test_the_same_decision_however_often_delivered_is_one_review(loop: heedful.Loop) -> None:
    first = review(loop, 1)
    assert review(loop, 1) == first
    assert [one.id for one in loop.learn.reviews.recent("coder")] == [first.id]
    with pytest.raises(Conflict):
        review(loop, 1, comment="Something else.")


@pytest.mark.parametrize("given", [{"diff": DIFF}, {"output": OUTPUT, "approved": APPROVED}])
def test_the_difference_is_the_lesson_whatever_form_it_comes_in(loop: heedful.Loop, given: dict[str, str]) -> None:
    made = loop.capture.review("coder", "APPROVED_WITH_CHANGES", **given)  # type: ignore[arg-type]
    assert made.summary == "changed form to validated(form)"


def test_a_diff_in_a_file_is_read_only_inside_the_folder_of_diffs(
    open_loop: OpenLoop, database: str, tmp_path: Path
) -> None:
    folder = tmp_path / "diffs"
    folder.mkdir()
    (folder / "t7.diff").write_text(DIFF)
    (tmp_path / "secret.diff").write_text(DIFF)
    (folder / "link.diff").symlink_to(tmp_path / "secret.diff")
    loop = open_loop(embedder=WordEmbedder(), settings=Settings(database, diffs=str(folder)))

    assert loop.capture.review("coder", "REJECTED", diff_path="t7.diff").summary == "changed form to validated(form)"
    assert loop.capture.review("coder", "REJECTED", diff_path="gone.diff").summary == ""
    late = {"diff_path": "late.diff", "id": "late"}
    first = loop.capture.review("coder", "REJECTED", **late)  # type: ignore[arg-type]
    (folder / "late.diff").write_text(DIFF)
    assert loop.capture.review("coder", "REJECTED", **late) == first  # type: ignore[arg-type]
    for path in ("../secret.diff", str(tmp_path / "secret.diff"), "link.diff", "a\0b", "x" * 600):
        with pytest.raises(InvalidInput):
            loop.capture.review("coder", "REJECTED", diff_path=path)


def test_hashes_alone_are_enough(loop: heedful.Loop) -> None:
    made = loop.capture.review("coder", "REJECTED", output_sha="0f", diff_path="somewhere/t7.diff")
    assert (made.output_sha, made.diff_path, made.edits) == ("0f", "somewhere/t7.diff", ())
    assert made.evaluation is not None
    assert made.evaluation.classification is Classification.AMBIGUOUS


@pytest.mark.parametrize(
    "given",
    [
        {"decision": "MAYBE"},
        {"decision": "APPROVED", "approved": APPROVED},
        {"decision": "REJECTED", "approved": APPROVED},
        {"diff": "no diff at all"},
        {"comment": "x" * 5_000},
        {"tags": [f"t{number}" for number in range(30)]},
        {"seconds": -1},
        {"agent": ""},
        {"task": "a\nb"},
        {"output": 7},
    ],
)
def test_nonsense_is_refused_and_nothing_stays(loop: heedful.Loop, given: dict[str, object]) -> None:
    said = {"agent": "coder", "decision": "APPROVED_WITH_CHANGES", "output": OUTPUT, **given}
    with pytest.raises(InvalidInput):
        loop.capture.review(**said)  # type: ignore[arg-type]
    assert list(loop.events()) == []


def test_secrets_are_redacted_in_every_text(loop: heedful.Loop) -> None:
    key = "ghp_" + "a1B2" * 9
    made = review(loop, 1, output=f"token = '{key}'\n", approved=f"token = env()\n# was {key}\n", comment=f"no {key}!")
    assert key not in loop.event(made.id).to_json()


def test_without_texts_the_comment_is_kept_and_the_outputs_are_not(loop: heedful.Loop) -> None:
    loop.govern.set_privacy(store_original_text=False)
    made = review(loop, 1)
    assert (made.output, made.approved, made.summary, made.edits) == ("", "", "", ())
    assert made.comment
    assert made.output_sha


def test_pages_have_all_reviews_once_newest_first(loop: heedful.Loop) -> None:
    ids = [review(loop, number).id for number in range(5)]
    loop.capture.review("writer", "APPROVED", id="other")
    first = loop.learn.reviews.page(agent="coder", limit=3)
    second = loop.learn.reviews.page(agent="coder", limit=3, cursor=first.next)
    assert [one.id for one in (*first.items, *second.items)] == ids[::-1]
    assert second.next is None
    assert len(list(loop.learn.reviews.all())) == 6


def test_similar_reviews_are_found_above_a_threshold(loop: heedful.Loop) -> None:
    reviewed(loop)
    loop.capture.review("writer", "REJECTED", comment="The greeting is far too cold for a birthday card.", id="far")
    found = [one.id for one in loop.learn.reviews.similar("review-0", threshold=0.5)]
    assert sorted(found) == ["review-1", "review-2"]
    assert loop.learn.reviews.similar("review-0", threshold=1.0) == []
    with pytest.raises(NotFound):
        loop.learn.reviews.similar("nothing")


def test_what_several_people_say_about_several_tasks_is_generalisable(loop: heedful.Loop) -> None:
    reviewed(loop)
    found = loop.learn.reviews.evaluate("review-2")
    assert found.classification is Classification.GENERALIZABLE_HIGH
    assert sorted(found.similar) == ["review-0", "review-1"]
    assert found.rationale.startswith("3 reviews of 3 tasks by 3 reviewers say so.")
    assert found.action is not None
    assert (found.action.type, found.action.agent) == (Action.CREATE_RULE, "coder")
    assert loop.learn.reviews.get("review-2").evaluation == found


def test_one_person_or_one_task_is_not_enough(loop: heedful.Loop) -> None:
    for number in range(3):
        review(loop, number, reviewer="lee")
    assert loop.learn.reviews.evaluate("review-2").classification is Classification.GENERALIZABLE_LOW
    assert loop.learn.reviews.propose() == []


def test_classes_follow_from_what_can_be_read(loop: heedful.Loop) -> None:
    fine = loop.capture.review("coder", "APPROVED", output=OUTPUT, comment="Nice work, thanks!")
    plain = loop.capture.review("coder", "APPROVED", output=OUTPUT)
    silent = loop.capture.review("coder", "REJECTED", output=OUTPUT)
    asked = loop.capture.review("coder", "REJECTED", output=OUTPUT, comment="Why is there no test?")
    tied = loop.capture.review("coder", "REJECTED", output=OUTPUT, comment="port 9443 since 2026, see cfg_stage_2")

    def of(id: str) -> Classification:
        return loop.learn.reviews.evaluate(id).classification

    assert [of(one.id) for one in (fine, plain)] == [Classification.POSITIVE] * 2
    assert [of(one.id) for one in (silent, asked)] == [Classification.AMBIGUOUS] * 2
    assert of(tied.id) is Classification.EDGE_CASE


def test_reviewers_who_want_opposite_things_are_ambiguous(loop: heedful.Loop) -> None:
    there, back = "Say clients to them.", "Say guests to them."
    review(loop, 0, output=there, approved=back, comment=None, reviewer="lee")
    made = review(loop, 1, output=back, approved=there, comment=None, reviewer="kim")
    assert loop.learn.reviews.evaluate(made.id).classification is Classification.AMBIGUOUS


def test_evaluating_again_changes_nothing(loop: heedful.Loop) -> None:
    reviewed(loop)
    before = loop.learn.reviews.evaluate("review-1")
    head = loop.store.log.head()
    assert loop.learn.reviews.evaluate("review-1") == before
    assert loop.store.log.head() == head


def test_a_worker_evaluates_and_proposes_by_itself(loop: heedful.Loop) -> None:
    from heedful.edges.worker import Worker

    for number in range(3):
        review(loop, number)
    Worker(loop).run_all()
    assert loop.learn.reviews.get("review-2").evaluation is not None
    assert len(list(loop.govern.proposals.all())) == 1


def test_a_language_model_decides_and_both_are_recorded(open_loop: OpenLoop) -> None:
    said = {"classification": "edge_case", "confidence": 0.8, "rationale": "One customer.", "alike": [0, 7]}
    loop = open_loop(embedder=WordEmbedder(), language=ScriptedModel(said))
    review(loop, 0)
    review(loop, 1)
    found = loop.learn.reviews.evaluate("review-1")
    assert (found.classification, found.confidence, found.rationale) == (Classification.EDGE_CASE, 0.8, "One customer.")
    assert (found.by, found.local) == ("scripted", Classification.GENERALIZABLE_LOW)
    assert found.similar == ("review-0",)  # and none that it was not shown


def test_a_model_that_does_not_answer_leaves_the_criteria(open_loop: OpenLoop) -> None:
    down = ProviderUnreachable("down", hint="wait")
    loop = open_loop(embedder=WordEmbedder(), language=ScriptedModel(down))
    review(loop, 0)
    assert loop.learn.reviews.evaluate("review-0").by == "local"


def test_a_model_cannot_take_a_change_for_praise(open_loop: OpenLoop) -> None:
    said = {"classification": "positive", "confidence": 1.0, "rationale": "It was approved.", "alike": []}
    loop = open_loop(embedder=WordEmbedder(), language=ScriptedModel(said))
    review(loop, 0)
    found = loop.learn.reviews.evaluate("review-0")
    assert (found.classification, found.by) == (Classification.GENERALIZABLE_LOW, "local")


def test_a_model_cannot_make_one_person_many(open_loop: OpenLoop) -> None:
    said = {"classification": "generalizable_high", "confidence": 1.0, "rationale": "Everyone.", "alike": []}
    loop = open_loop(embedder=WordEmbedder(), language=ScriptedModel(said))
    review(loop, 0)
    assert loop.learn.reviews.evaluate("review-0").classification is Classification.GENERALIZABLE_LOW


def test_all_that_is_derived_can_be_derived_again(loop: heedful.Loop) -> None:
    reviewed(loop)
    loop.learn.reviews.propose()
    before = list(loop.govern.learnings.all(kind="remark"))
    loop.learn.rebuild()
    assert list(loop.govern.learnings.all(kind="remark")) == before
    assert len(before) == 3
    assert all(one.category is Classification.GENERALIZABLE_HIGH for one in before if one.id == "review-2")


def test_remarks_are_evidence_and_not_given_to_anybody(loop: heedful.Loop) -> None:
    reviewed(loop)
    assert loop.apply.context("How do I validate user input before it is stored?").text == ""


def test_a_deleted_review_takes_its_part_with_it(loop: heedful.Loop) -> None:
    reviewed(loop)
    loop.learn.reviews.propose()
    loop.govern.learnings.delete("review-0")
    with pytest.raises(NotFound):
        loop.learn.reviews.get("review-0")
    assert [one.id for one in loop.learn.reviews.all()] == ["review-2", "review-1"]
    for id in ("review-1", "review-2"):
        loop.govern.learnings.delete(id)
    assert list(loop.govern.proposals.all()) == []

"""What is worth keeping is actionable, general, clear and proven; a language model's word is checked against that."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.learn.conversations.quality import confidence, factors, judged_candidate, threshold
from heedful.learn.conversations.trivial import trivial
from heedful.records.insight import (
    CONTENT_PARTS,
    Factors,
    InsightCandidate,
    InsightCategory,
    InsightContent,
    Quote,
)
from heedful.records.transcript import Speaker
from tests.unit.learn.mining import talks

GOOD = talks.FOUND
HALF = Factors(0.5, 0.5, 0.5, 0.5)
unit = st.floats(0, 1)


def told(content: InsightContent, title: str = GOOD.title) -> InsightCandidate:
    return replace(GOOD, title=title, content=content)


def test_confidence_is_the_weighted_sum() -> None:
    assert confidence(GOOD, Factors(1.0, 0.0, 0.0, 0.0)) == pytest.approx(0.35)
    assert confidence(GOOD, Factors(0.0, 1.0, 0.0, 0.0)) == pytest.approx(0.30)
    assert confidence(GOOD, Factors(0.0, 0.0, 1.0, 0.0)) == pytest.approx(0.20)
    assert confidence(GOOD, Factors(0.0, 0.0, 0.0, 1.0)) == pytest.approx(0.15)


def test_without_quotes_evidence_counts_little() -> None:
    assert confidence(replace(GOOD, quotes=()), Factors(0.0, 0.0, 0.0, 1.0)) == pytest.approx(0.4 * 0.15)
    assert confidence(replace(GOOD, quotes=()), Factors(0.0, 0.0, 0.0, 0.2)) == pytest.approx(0.2 * 0.15)


def test_too_little_content_is_worth_nothing() -> None:
    assert confidence(told({"what": "x" * 99}), HALF) == 0.0
    assert judged_candidate(told({"what": "x" * 99}), talks.HANGING).reason == "too short"


@pytest.mark.parametrize(
    "title",
    ["Write tests", "Write tests.", "write more unit tests!", "Use logging", "Add more comments",
     "Always follow best practices", "Handle errors gracefully", "Make sure to handle all errors",
     "Keep your code clean and simple", "Refactor the code"],
)  # fmt: skip
def test_what_everybody_knows_is_worth_nothing(title: str) -> None:
    assert trivial(title)
    assert confidence(told(GOOD.content, title), HALF) == 0.0


@pytest.mark.parametrize(
    "title",
    ["Write tests with a frozen clock because the billing job reads it",
     "Use logging.handlers.QueueHandler in async code",
     "Handle errors of `fsync` by crashing", "Add comments to magic timeouts in nginx.conf", GOOD.title],
)  # fmt: skip
def test_a_name_or_a_reason_makes_it_more_than_that(title: str) -> None:
    assert not trivial(title)


def test_practices_and_warnings_have_to_be_better() -> None:
    assert {topic: threshold(replace(GOOD, category=topic)) for topic in InsightCategory} == {
        topic: 0.65 if topic in {InsightCategory.BEST_PRACTICE, InsightCategory.ANTI_PATTERN} else 0.6
        for topic in InsightCategory
    }


@pytest.mark.parametrize(
    "specific",
    [" See src/billing/clock.py:42.", " This was found in PR #12.", " It is on line 512.", " This branch has it.",
     " It is in /home/somebody/work.", " That is what the user wanted."],
)  # fmt: skip
def test_what_only_one_project_has_is_less_general(specific: str) -> None:
    before, after = (
        factors(told({**GOOD.content, "fix": GOOD.content["fix"] + more}), talks.HANGING) for more in ("", specific)
    )
    assert after.generalizability < before.generalizability


@pytest.mark.parametrize(
    "unclear",
    [{"why": "This is why it did."}, {"how": "Let me now check the tests."}, {"result": "I'll change it, want me to?"}],
)
def test_narration_and_pointing_words_are_unclear(unclear: InsightContent) -> None:
    before, after = (factors(told({**GOOD.content, **more}), talks.HANGING) for more in ({}, unclear))
    assert after.clarity < before.clarity


def test_a_fix_with_code_and_reason_is_more_actionable_than_a_remark() -> None:
    remark = told(
        {"context": "It was a rather long afternoon, and in the end nobody could say for certain what had gone on."}
    )
    assert factors(GOOD, talks.HANGING).actionability > factors(remark, talks.HANGING).actionability + 0.3


def test_quotes_that_were_never_said_are_no_evidence() -> None:
    invented = replace(GOOD, quotes=(Quote("m3", Speaker.ASSISTANT, "Nobody ever said such a thing."),))
    assert factors(invented, talks.HANGING).evidence_strength == 0.0


@given(st.tuples(unit, unit, unit, unit))
def test_a_claim_never_carries_far_above_what_the_words_show(claimed: tuple[float, float, float, float]) -> None:
    local = factors(GOOD, talks.HANGING)
    judged = judged_candidate(replace(GOOD, claimed=Factors(*claimed)), talks.HANGING)
    for claim, own, agreed in zip(claimed, local, judged.factors, strict=True):
        assert agreed <= min(1.0, own + 0.15) + 1e-9
        assert agreed <= claim


def test_what_a_model_thinks_little_of_is_not_kept() -> None:
    assert judged_candidate(GOOD, talks.HANGING).kept
    assert not judged_candidate(replace(GOOD, claimed=HALF), talks.HANGING).kept


def test_what_a_person_said_is_as_sure_as_the_reader_is() -> None:
    said = replace(GOOD, rule=True, sure=0.72)
    assert judged_candidate(said, talks.HANGING).confidence == 0.72
    assert not judged_candidate(replace(said, sure=0.4), talks.HANGING).kept


@pytest.mark.parametrize(
    "title",
    [
        *("It should be in the other file", "That one, please", "The second one is better"),
        *("Never do that again", "Always do it like this", "Don't use those anymore"),
    ],
)
def test_a_title_that_does_not_stand_alone_is_not_kept(title: str) -> None:
    judged = judged_candidate(replace(GOOD, title=title, sure=0.95), talks.HANGING)
    assert (judged.kept, judged.reason) == (False, "it speaks of something that is not in it")


@pytest.mark.parametrize("title", ["Never do that to the migrations again", "Don't use that pager"])
def test_a_pointer_beside_something_named_is_kept(title: str) -> None:
    assert judged_candidate(replace(GOOD, title=title, sure=0.95), talks.HANGING).kept


def test_what_is_just_below_the_bar_does_not_look_as_if_it_reached_it() -> None:
    assert judged_candidate(replace(GOOD, sure=0.5999), talks.HANGING).reason == "confidence 0.59, 0.60 needed"


def test_somebodys_own_rule_is_actionable_and_proven_by_their_words() -> None:
    rule = InsightCandidate(
        InsightCategory.BEST_PRACTICE,
        "Never read the clock in a handler",
        {
            "what": "Never read the clock in a handler, pass the time in.",
            "context": "The agent had called now() in the handler.",
        },
        ("clock", "handler", "rule"),
        (Quote("m0", Speaker.USER, "pytest hangs at the end of the run although all tests are green."),),
        "Invoices.",
        rule=True,
    )
    judged = judged_candidate(rule, talks.HANGING)
    assert judged.kept
    assert judged.factors.actionability >= 0.9
    assert judged.factors.evidence_strength >= 0.9


@given(st.dictionaries(st.sampled_from(CONTENT_PARTS), st.text(max_size=3_000)), st.text(max_size=300), st.booleans())
def test_any_candidate_can_be_judged(content: InsightContent, title: str, rule: bool) -> None:
    judged = judged_candidate(replace(GOOD, content=content, title=title, rule=rule), talks.HANGING)
    assert all(0 <= factor <= 1 for factor in judged.factors)
    assert judged.kept == (judged.confidence >= threshold(judged.candidate))
    assert judged.reason

"""Whether two corrections say the same, contradict each other, or have nothing to do with each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.learnings.kind import Relation
from heedful.learnings.kinds.correction import CORRECTION, CorrectionWording
from tests.effort import at_most
from tests.scoring import scored


def said(wrong: str = "", right: str = "", why: str = "", query: str = "") -> CorrectionWording:
    return CorrectionWording(wrong, right, why, query)


def relation(new: CorrectionWording, old: CorrectionWording) -> Relation:
    return CORRECTION.compare(new, old).relation


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (said("an error", "nil"), said("an error", "nil")),
        (said("an error", "nil"), said("  An ERROR. ", "“nil”")),
        (said("an error"), said("an error!")),
        (said("", "Use tabs in makefiles."), said("", "use  tabs in makefiles")),
        (said("Cafe\u0301", "bar"), said("Café", "Bar")),
        (said("iphone", "iPhone"), said("iphone", "iPhone")),
        (said("etc", "etc."), said("etc", "etc.")),
    ],
)
def test_case_marks_and_spaces_make_no_other_correction(old: CorrectionWording, new: CorrectionWording) -> None:
    assert relation(new, old) is Relation.SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (said("iphone", "iPhone"), said("iPhone", "iphone")),
        (said("etc", "etc."), said("etc.", "etc")),
        (said("Foo", "foo"), said("foo", "Foo")),
        (said("“quoted”", "quoted"), said("quoted", "“quoted”")),
    ],
)
def test_who_takes_back_a_change_of_case_or_marks_contradicts_it(
    old: CorrectionWording, new: CorrectionWording
) -> None:
    assert relation(new, old) is Relation.CONTRARY


@scored("sameness/contradictions", at_least=0.9)
def test_something_else_about_the_same_thing_is_a_contradiction(old: list[str], new: list[str]) -> None:
    assert relation(said(*new), said(*old)) is Relation.CONTRARY


@scored("sameness/doubtful", at_least=0.9)
def test_in_doubt_both_stay(old: list[str], new: list[str]) -> None:
    assert relation(said(*new), said(*old)) is Relation.DIFFERENT


TEXTS = st.text(max_size=30) | st.sampled_from(
    ["nil", "Nil.", "5", "use 5 tabs here", "never use 5 tabs here", "…", "“”"]
)


@given(wrong=TEXTS, right=TEXTS)
def test_any_correction_says_the_same_as_itself(wrong: str, right: str) -> None:
    assert relation(said(wrong, right), said(wrong, right)) is Relation.SAME


@given(a=TEXTS, b=TEXTS, c=TEXTS, d=TEXTS)
def test_two_that_say_the_same_do_so_in_either_order(a: str, b: str, c: str, d: str) -> None:
    one, two = said(a, b), said(c, d)

    assert (relation(one, two) is Relation.SAME) == (relation(two, one) is Relation.SAME)


def test_odd_texts_take_no_time() -> None:
    with at_most(5):
        for odd in ("a", "a-", "'", "1.", "\u0301", "not ", "字", "7 "):
            text = odd * (4_000 // len(odd))
            for words in (said(text, text + "x"), said("", text), said(text)):
                relation(words, words)
                relation(words, said("", text + " 7"))

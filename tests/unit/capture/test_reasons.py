"""Comments that mean the same have the same gist, or nearly; those that only share words do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.text.gist import gist
from heedful.text.reasons import ALIKE, similarity
from tests.effort import at_most

# Pairs to work with: look at these when changing the thesaurus.
SAME = [
    ("Changes the meaning", "This alters the sense of the sentence."),
    ("changes the meaning of what I wrote", "Meaning is different now"),
    ("Not needed.", "unnecessary change"),
    ("This is redundant", "superfluous"),
    ("too wordy", "This is way too long"),
    ("verbose", "should be shorter"),
    ("Sounds awkward", "reads badly"),
    ("clunky phrasing", "The sentence doesn't flow"),
    ("Too formal", "too stiff for our readers"),
    ("too casual", "not formal enough"),
    ("It isn't clear", "confusing"),
    ("hard to understand", "This is ambiguous"),
    ("That's a technical term", "jargon, leave it"),
    ("GitHub is a brand name", "product name"),
    ("This is a direct quote", "It's a quotation"),
    ("doesn't work", "This breaks the code"),
    ("the tests fail with this", "fails the tests"),
    ("false positive", "not an error"),
    ("this API doesn't exist", "hallucinated API"),
    ("inconsistent with the rest", "does not match the other pages"),
]
DIFFERENT = [
    ("changes the meaning", "keeps the meaning"),
    ("Too formal", "too informal"),
    ("not a brand name", "this is a brand name"),
    ("wrong term", "wrong tone"),
    ("unclear", "clear enough already"),
    ("too long", "too short"),
    ("changes the meaning", "changes the tone"),
    ("breaks the tests", "needs a test"),
    ("slow", "insecure"),
    ("grammar mistake", "spelling mistake"),
    ("not consistent with the style guide", "not needed here"),
    ("direct quote", "legal text"),
    ("This does not change the meaning", "This changes the meaning"),
    ("passive voice is fine here", "wrong tone of voice"),
    ("the name is misleading", "the brand must stay"),
    ("unnecessary comma", "unnecessary dependency"),
    ("made it worse", "not relevant"),
    ("I disagree", "I prefer British spelling"),
    ("deprecated function", "bad function name"),
    ("adds a bug", "adds a dependency"),
]
# Pairs to judge by: never look at which of these fail while changing the thesaurus.
HELD_BACK_SAME = [
    ("this modifies the intended meaning", "changes what the sentence means"),
    ("It no longer says what I meant", "the meaning is lost"),
    ("no need for this", "needless edit"),
    ("There is no reason to change it", "Unnecessary."),
    ("incorrect", "This is wrong"),
    ("factually inaccurate", "that is not true"),
    ("unnatural wording", "sounds clumsy"),
    ("stilted", "nobody talks like that, awkward"),
    ("tone is too stiff", "too formal a tone"),
    ("too chatty", "sounds too casual for a contract"),
    ("vague", "not clear what this refers to"),
    ("makes no sense", "I find this confusing"),
    ("domain terminology", "this is a technical term in our field"),
    ("trademark, must not be changed", "It's our trademark"),
    ("legal wording", "required by law"),
    ("does not compile", "causes a compile error"),
    ("performance regression", "makes it slower"),
    ("naming is off", "bad variable name"),
    ("we use British English", "should be UK English"),
    ("the original was better", "prefer the original"),
]
HELD_BACK_DIFFERENT = [
    ("preserves the sense", "alters the sense"),
    ("too casual", "too formal"),
    ("not a technical term", "a technical term"),
    ("wrong name", "wrong date"),
    ("this is confusing", "perfectly clear as it is"),
    ("too brief", "too verbose"),
    ("loses the emphasis", "loses the reference"),
    ("changes behaviour", "changes formatting only"),
    ("vulnerable to injection", "vulnerable people read this"),
    ("missing comma", "missing test"),
    ("it is a quote", "it is a typo"),
    ("not wrong", "wrong"),
    ("the comment is outdated", "the comment is rude"),
    ("inconsistent naming", "consistent naming"),
    ("needs more context", "too much detail"),
    ("our brand voice is friendly", "brand names stay in English"),
    ("duplicate of line 3", "wrong on line 3"),
    ("not idiomatic Python", "not tested"),
    ("edge case with empty lists", "too complicated"),
    ("do not use passive voice", "use passive voice"),
]


def _same(pair: tuple[str, str]) -> bool:
    return similarity(gist(pair[0]), gist(pair[1])) >= ALIKE


def _quality(same: list[tuple[str, str]], different: list[tuple[str, str]]) -> tuple[float, float]:
    """Precision and recall of calling two comments the same reason."""
    found, mistaken = sum(map(_same, same)), sum(map(_same, different))
    return found / (found + mistaken), found / len(same)


def test_comments_that_mean_the_same_are_found_and_others_are_not_mixed_in() -> None:
    precision, recall = _quality(SAME, DIFFERENT)
    assert precision >= 0.9
    assert recall >= 0.85


def test_this_holds_for_comments_the_thesaurus_was_not_made_for() -> None:
    precision, recall = _quality(HELD_BACK_SAME, HELD_BACK_DIFFERENT)
    assert precision >= 0.9
    assert recall >= 0.7


def test_the_gist_is_the_content_words_sorted() -> None:
    assert gist("This alters the sense of the sentence!") == ("change", "meaning")
    assert gist("The tone is wrong, the tone!") == ("tone", "wrong")


def test_an_unknown_word_stays_as_a_stem() -> None:
    assert gist("Kubernetes manifests") == gist("the Kubernetes manifest")


@pytest.mark.parametrize("comment", ["", "   ", "…?!", "it is what it was for the", "-" * 5000])
def test_a_comment_without_content_has_no_gist(comment: str) -> None:
    assert gist(comment) in ((), ("original",))


def test_a_negation_turns_its_word_round() -> None:
    assert gist("not clear") == gist("It isn't clear") == gist("unclear") == ("unclear",)
    assert gist("not a brand name") == ("not brand",)
    assert gist("cannot be wrong") == ("correct",)
    assert gist("no longer works") == gist("does not work") == ("broken",)
    assert gist("not what I meant") == ("change", "meaning")


def test_a_wish_says_what_is_amiss_now() -> None:
    assert gist("should be shorter") == gist("too long") == ("wordy",)
    assert gist("should not be changed") == ("keep",)


def test_this_change_is_no_content_but_this_changes_the_meaning_is() -> None:
    assert gist("This change is wrong") == ("wrong",)
    assert gist("This changes the meaning") == ("change", "meaning")


def test_gists_without_words_are_like_nothing() -> None:
    assert similarity((), ()) == 0.0
    assert similarity(("wrong",), ()) == 0.0


def test_words_may_be_digests() -> None:
    assert similarity({"9f3a", "77c1"}, ["77c1", "9f3a"]) == pytest.approx(1.0)
    assert similarity(["9f3a", "77c1"], ["77c1", "0000"]) < ALIKE
    assert similarity(["9f3a", "77c1"], ["77c1", "9f3a", "0000"]) >= ALIKE
    assert similarity(["9f3a"], ["77c1", "9f3a", "0000"]) < ALIKE


@given(comment=st.text(max_size=300))
def test_any_text_has_a_small_sorted_gist(comment: str) -> None:
    words = gist(comment)
    assert len(words) <= 12
    assert list(words) == sorted(set(words))
    assert gist(comment) == words


@given(a=st.sets(st.text(max_size=3), max_size=6), b=st.sets(st.text(max_size=3), max_size=6))
def test_likeness_is_symmetric_and_between_nought_and_one(a: set[str], b: set[str]) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0.0 <= similarity(a, b) <= 1.0 + 1e-9
    assert (similarity(a, a) == pytest.approx(1.0)) == bool(a)


def test_a_long_comment_takes_no_longer_than_its_beginning() -> None:
    gist("warm up")
    with at_most(2):
        assert len(gist("changes the meaning of every paragraph " * 2_000)) == 2

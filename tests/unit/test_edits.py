"""What a reviewer changed, from two texts or from a unified diff."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from heedful.records.review import Edit
from heedful.text.edits import edits, is_diff, sides, summary


def test_a_word_that_became_another() -> None:
    found = edits("Dear Anna,\nYour loan is fine.\n", "Dear Anna,\nYour mortgage is fine.\n")
    assert found == (Edit("word", "loan", "mortgage"),)
    assert summary(found) == "changed loan to mortgage"


def test_a_line_that_was_added_or_removed() -> None:
    assert edits("a line\n", "a line\nanother line\n") == (Edit("line", "", "another line"),)
    assert summary(edits("a line\nanother line\n", "a line\n")) == "removed another line"


def test_many_changes_are_summarised() -> None:
    old, new = ("\n".join(f"{word} number {n}\n" for n in range(9)) for word in ("one", "two"))
    assert summary(edits(old, new)).endswith("; and 5 more")


_LINES = st.lists(
    st.sampled_from(["alpha", "beta", "--- gamma", "+++ delta", "", " epsilon", "-zeta", "+eta"]), max_size=8
)


@given(_LINES, _LINES)
def test_a_unified_diff_gives_the_same_sides(old: list[str], new: list[str]) -> None:
    diff = "\n".join(difflib.unified_diff(old, new, "a/x", "b/x", n=100, lineterm=""))
    if old != new:
        assert is_diff(diff)
        assert [part.split("\n") if part else [] for part in sides(diff)] == [
            line if line != [""] else [] for line in (old, new)
        ]


def test_equal_texts_have_no_edits() -> None:
    assert edits("the same", "the same") == ()
    assert not is_diff("no diff")

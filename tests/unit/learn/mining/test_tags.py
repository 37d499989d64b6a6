"""Tags name technologies, tools and file types, in lower case with hyphens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heedful.learn.conversations.tags import tags, technologies
from heedful.records.insight import TAGS_MOST, InsightCategory


def test_technologies_come_first_and_names_are_taken_apart() -> None:
    assert tags("`sync.Once` guards the Postgres pool in `main.go`, run `make release`", "pattern")[:2] == (
        "postgres",
        "go",
    )
    assert {"sync-once", "make", "pattern"} <= set(tags("`sync.Once` guards the pool, run `make release`", "pattern"))


def test_words_of_everyday_language_are_no_technologies() -> None:
    assert technologies("Make the rest of it go to the next node") <= {"node"}
    assert technologies("In Go, a nil map can be read; Go's linker drops the rest") == {"go"}


@given(st.text(max_size=500), st.sampled_from(list(InsightCategory)))
def test_any_text_has_tags_of_the_right_form(text: str, topic: InsightCategory) -> None:
    found = tags(text, topic.value)
    assert 1 <= len(found) <= TAGS_MOST
    assert len(set(found)) == len(found)
    assert all(tag and tag == tag.lower() and " " not in tag and "_" not in tag for tag in found)

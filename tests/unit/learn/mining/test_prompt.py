"""Prompts are short and readable, and users can put their own beside them to compare."""

from __future__ import annotations

import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import Misconfigured
from heedful.learn.conversations.prompt import NAMES, chosen, every, prompt, variants
from heedful.records.insight import InsightCategory

MODELS = re.compile(
    r"\b(?:claude|gpt|gemini|llama|mistral|sonnet|opus|openai|anthropic|copilot|codex)\b", re.IGNORECASE
)


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_is_short_names_no_model_and_allows_nothing(name: str) -> None:
    found = prompt(name)

    assert 200 < len(found.text.encode()) < 4_000
    assert not MODELS.search(found.text)
    assert "empty" in found.text
    assert found.variant == "standard"
    assert found.digest == sha256(found.text.encode()).hexdigest()[:8]


def test_there_is_a_prompt_for_every_kind_of_learning_and_no_other() -> None:
    assert {*NAMES} == {topic.value for topic in InsightCategory} | {"categories", "quotes", "rules"}
    assert [one.name for one in every()] == list(NAMES)


def test_a_file_of_the_user_takes_the_place_of_the_bundled_prompt(tmp_path: Path) -> None:
    (tmp_path / "bug_fix.md").write_bytes(b"\xef\xbb\xbfFind fixes.\r\nNo fix: an empty list.\r\n")

    own = prompt("bug_fix", folder=tmp_path)

    assert own.text == "Find fixes.\nNo fix: an empty list."
    assert own.variant == "standard"
    assert own.digest != prompt("bug_fix").digest
    assert prompt("decision", folder=tmp_path) == prompt("decision")


def test_variants_stand_beside_the_standard_one(tmp_path: Path) -> None:
    (tmp_path / "rules@short.md").write_text("Find rules.", encoding="utf-8")
    (tmp_path / "rules@long.md").write_text("Find all the rules.", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("about them", encoding="utf-8")
    (tmp_path / ".hidden.md").write_text("an editor's", encoding="utf-8")

    assert [one.variant for one in variants("rules", tmp_path)] == ["standard", "long", "short"]
    assert prompt("rules", "short", tmp_path).text == "Find rules."
    with pytest.raises(Misconfigured, match=r"no variant 'shorter'.*standard, long, short"):
        prompt("rules", "shorter", tmp_path)


def test_conversations_are_shared_out_evenly_and_stay_with_their_variant(tmp_path: Path) -> None:
    for variant in ("short", "long"):
        (tmp_path / f"bug_fix@{variant}.md").write_text(f"The {variant} one.", encoding="utf-8")

    first = [chosen("bug_fix", f"conversation-{number}", tmp_path).variant for number in range(900)]
    again = [chosen("bug_fix", f"conversation-{number}", tmp_path).variant for number in range(900)]

    assert first == again
    assert all(250 < count < 350 for count in Counter(first).values())


def test_a_new_variant_moves_nothing_between_the_old_ones(tmp_path: Path) -> None:
    (tmp_path / "bug_fix@long.md").write_text("The long one.", encoding="utf-8")
    before = [chosen("bug_fix", str(number), tmp_path).variant for number in range(200)]
    (tmp_path / "bug_fix@short.md").write_text("The short one.", encoding="utf-8")
    after = [chosen("bug_fix", str(number), tmp_path).variant for number in range(200)]

    assert all(now in (then, "short") for then, now in zip(before, after, strict=True))


def test_one_prompt_can_be_tried_without_the_others_following(tmp_path: Path) -> None:
    for name in ("bug_fix", "decision"):
        (tmp_path / f"{name}@short.md").write_text("The short one.", encoding="utf-8")

    together = [
        chosen("bug_fix", str(number), tmp_path).variant == chosen("decision", str(number), tmp_path).variant
        for number in range(400)
    ]

    assert 140 < sum(together) < 260


@given(st.text(st.characters(), max_size=50))
def test_any_conversation_has_a_prompt(conversation: str) -> None:
    assert chosen("rules", conversation) == prompt("rules")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bug_fix.md", b"  \n", "is empty"),
        ("bug_fix@short.md", b"x" * 20_001, "more than 20,000 bytes"),
        ("bug_fix.md", "Fäden".encode("latin-1"), "not UTF-8"),
        ("bug_fix.md", b"Find\x00 it", "control characters"),
        ("bugfix.md", b"Find it.", "not named after a prompt"),
        ("bug_fix@.md", b"Find it.", "no usable name of a variant"),
        ("bug_fix@standard.md", b"Find it.", "no usable name of a variant"),
        ("bug_fix@Two Words.md", b"Find it.", "no usable name of a variant"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_to_do(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(Misconfigured, match=said) as raised:
        every(tmp_path)

    assert name in raised.value.message
    assert raised.value.hint
    assert str(tmp_path) not in str(raised.value)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "rules.md").mkdir()

    with pytest.raises(Misconfigured, match="is not a file"):
        chosen("rules", "a", tmp_path)


def test_a_folder_that_is_not_there_is_a_mistake_in_the_settings(tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", Path("nul\0")):
        with pytest.raises(Misconfigured, match="HEEDFUL_PROMPTS"):
            chosen("rules", "a", folder)


def test_an_unknown_prompt_is_told_which_there_are() -> None:
    with pytest.raises(Misconfigured, match=r"There is no prompt 'bugs'.*bug_fix"):
        prompt("bugs")

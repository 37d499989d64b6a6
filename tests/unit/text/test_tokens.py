"""A context must not take more room in a prompt than it says: its tokens are counted rather too high."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uuid_utils import uuid7

from heedful.learnings.composing import ABOUT
from heedful.providers.embedder import _FOLDER, _VOCABULARY
from heedful.providers.wordpiece import WordPiece
from heedful.text.tokens import count_tokens

TEXTS = (
    ABOUT,
    'corrected, said 4 times, since March 2026: say "Refunds are paid within 60 days." (not "30 days")',
    "always: Deploy with `make release`, because `make ship` skips the migrations of the PostgreSQL database.",
    'mapping: sku "ABC-123" is "4004711" for customer "Nordwind Trading Ltd"',
    "bug fix: parse_config() raised KeyError in src/app/settings.py:217; catch it and return the default.",
    "Use ISO dates (2026-01-05T09:00:00Z), never 05.01.26; amounts have two decimals: 1,234.50 EUR.",
)


@cache
def vocabulary() -> WordPiece:
    return WordPiece((_FOLDER / _VOCABULARY).read_text(encoding="utf-8").rstrip("\n").split("\n"))


@pytest.mark.parametrize("text", TEXTS)
def test_it_counts_no_less_than_the_vocabulary_of_the_built_in_models(text: str) -> None:
    line = f"- [{uuid7()}] {text}"
    counted = len(vocabulary().located(line))
    assert counted <= count_tokens(line) <= 1.8 * counted


@given(st.text(max_size=200), st.text(max_size=200))
def test_lines_are_counted_one_by_one(one: str, other: str) -> None:
    assert count_tokens(f"{one}\n{other}") == count_tokens(one) + count_tokens(other)

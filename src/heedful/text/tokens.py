"""Characters that decide where a word ends, as classes of a regular expression."""

from __future__ import annotations

SPACELESS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts without spaces between words."""

VOWEL_SIGNS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
    r"\u200c\u200d"
)
"""Vowel signs and accents: part of a word, although not letters."""

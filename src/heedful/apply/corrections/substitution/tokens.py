"""Tokens of a text with their offsets and kinds."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from heedful.apply.corrections.substitution.vocabulary import SMALL_WORDS

_LETTER = r"[\w\u0300-\u036f]"
_TOKEN = re.compile(
    rf"""
    (?:(?<![\w.\-])(?:--?|[$@#\\]|\.{{0,2}}/|~/|\.)(?={_LETTER}))?
    {_LETTER}+ (?:(?:::|://|->|['’.\-‐‑@&+/\\]|(?<=\d)[,:–](?=\d)){_LETTER}+)*
    (?:\(\)|\+\+|[%](?!\w))?
  | \S""",
    re.VERBOSE,
)
_SAME = {ord(mark): "'" for mark in "‘’‚‛ʼ′`"} | {ord(mark): '"' for mark in "“”„‟«»″"}
_SAME |= {ord(mark): "-" for mark in "‐‑‒–—―−"}
_VALUE = re.compile(r"[$€£¥#+\-]?\d[\d.,:/'’\-‐‑–]*(?:st|nd|rd|th|%)?")
_VERSION = re.compile(r"\d[\w.\-+]*")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_CODE_MARKS = re.compile(r"_|\(\)|::|->|/|\\|^--?\w|^[$@#.]\w|\w\.\w|[^\W\d_]\d|\d[^\W\d_]|&&|\+\+")
_ABBREVIATION = re.compile(r"(?:[A-Za-zÀ-ÿ]\.)+[A-Za-zÀ-ÿ]?")
_LONGEST = 1_000


class TokenKind(Enum):
    WORD = "a word"
    NAME = "a name, or a word with a capital"
    VALUE = "a number, date or amount"
    CODE = "an identifier, a path, a flag"
    MARK = "punctuation"


class Token(NamedTuple):
    text: str
    key: str
    start: int
    kind: TokenKind
    spaced: bool
    """Preceded by white space."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_function_word(self) -> bool:
        """A function word, or punctuation."""
        return self.kind is TokenKind.MARK or self.key in SMALL_WORDS


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Tokens of a short text, or of a short part of a longer one."""
    found: list[Token] = []
    reached = start
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        word, at = match[0], match.start()
        key, kind = _read(word)
        found.append(Token(word, key, at, kind, at > reached))
        reached = match.end()
    return found


@lru_cache(maxsize=8_192)
def _read(word: str) -> tuple[str, TokenKind]:
    return comparison_key(word), kind_of(word)


def comparison_key(text: str) -> str:
    """Ignores case, white space, and the style of quotes and dashes."""
    if text.isascii():
        return " ".join(text.lower().replace("`", "'").split())
    if len(text) <= _LONGEST:
        text = normalize("NFC", text)
    return " ".join(text.translate(_SAME).casefold().split())


def is_spoken(word: str) -> bool:
    """`GitHub` has the capitals of an identifier, but is a spoken name."""
    return word.isalpha() and word[0].isupper()


def kind_of(word: str) -> TokenKind:
    if not any(map(str.isalnum, word)):
        return TokenKind.MARK
    if _VALUE.fullmatch(word):
        return TokenKind.VALUE
    if _VERSION.fullmatch(word) and "." in word:
        return TokenKind.VALUE
    if (_CODE_MARKS.search(word) or _CAMEL.search(word)) and not _ABBREVIATION.fullmatch(word):
        return TokenKind.CODE
    return TokenKind.WORD if word == word.lower() else TokenKind.NAME

"""Gives a pair the words beside it that say what is meant: `8` → `9` is `8 litres` → `9 litres`, and a name is whole."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.text.words import FUNCTION_WORDS, NEGATIONS

_SHORT = 2  # characters of a number or a letter that says little by itself
_WORD_AFTER = re.compile(r"[ -][^\W\d_]+\b|\s?[%°]")
_WORD_BEFORE = re.compile(r"\b[^\W\d_]+ $")
_NAME_AFTER = re.compile(r"(?: [A-ZÀ-Ý][\w'’-]*\w)+")
_NAME_BEFORE = re.compile(r"(?:\b[A-ZÀ-Ý][\w'’-]*\w )+$")
_REACH = 60  # characters


class WidePair(NamedTuple):
    wrong: str
    right: str


def widened(wrong: str, right: str, start: int, output: str, message: str) -> WidePair:
    """`start`: where the wrong words stand in the output."""
    before, after = output[max(0, start - _REACH) : start], output[start + len(wrong) :][:_REACH]
    if wrong[:1].isupper() and right[:1].isupper() and len(wrong) > _SHORT:
        return _wide(wrong, right, *_name(before, after, right))
    unit = _WORD_AFTER.match(after)
    if unit and _is_content(unit[0]) and (len(wrong) <= _SHORT or _is_said(right + unit[0], message)):
        return _wide(wrong, right, "", unit[0])
    kept = _WORD_BEFORE.search(before)
    if len(wrong) <= _SHORT and kept and _is_content(kept[0]):
        return _wide(wrong, right, kept[0], "")
    return WidePair(wrong, right)


def _wide(wrong: str, right: str, before: str, after: str) -> WidePair:
    return WidePair(before + wrong + after, before + right + after)


def _name(before: str, after: str, right: str) -> tuple[str, str]:
    """The rest of the name, unless the right words are a whole name by themselves."""
    if " " in right:
        return "", ""
    first, rest = _NAME_BEFORE.search(before), _NAME_AFTER.match(after)
    opens = first is not None and (first.start() == 0 or before[: first.start()].rstrip()[-1:] in ".!?:")
    return ("" if first is None or opens else first[0]), ("" if rest is None else rest[0])


def _is_content(word: str) -> bool:
    plain = word.strip(" -").casefold()
    return plain not in FUNCTION_WORDS and plain not in NEGATIONS


def _is_said(words: str, message: str) -> bool:
    return words.casefold() in message.casefold()

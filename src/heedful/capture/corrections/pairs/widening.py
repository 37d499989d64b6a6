"""Gives a pair the words beside it that say what is meant: `8 litres` → `9 litres`, and a whole name."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.capture.corrections.pairs.spans import EDGES
from heedful.capture.corrections.pairs.words import is_content

_MORNING = " am"  # otherwise a small word
_SHORT = 2  # characters of a number or a letter that says little by itself
_WORD_AFTER = re.compile(r"[ -][^\W\d_]+(?:/[^\W\d_]+)?\b|\s?(?:%|°[CF]?\b|°)")
_WORD_BEFORE = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,30} $")
_REACH = 60  # characters
_ENDS = (".", "!", "?", ":", "")


class WidePair(NamedTuple):
    wrong: str
    right: str


def widened(wrong: str, right: str, start: int, output: str, message: str) -> WidePair:
    """`start`: where the wrong words stand in the output."""
    before, after = output[max(0, start - _REACH) : start], output[start + len(wrong) :][:_REACH]
    if wrong[:1].isupper() and right[:1].isupper() and len(wrong) > _SHORT:
        whole = " " in right
        return (
            WidePair(wrong, right) if whole else _wide(wrong, right, _name_before(before, message), _name_after(after))
        )
    unit = _WORD_AFTER.match(after)
    if (
        unit
        and (is_content(unit[0].strip(" -")) or unit[0].lower() == _MORNING)
        and (len(wrong) <= _SHORT or _is_said(right + unit[0], message))
    ):
        return _wide(wrong, right, "", unit[0])
    kept = _WORD_BEFORE.search(before)
    if len(wrong) <= _SHORT and kept and is_content(kept[0].strip()):
        return _wide(wrong, right, kept[0], "")
    return WidePair(wrong, right)


def _wide(wrong: str, right: str, before: str, after: str) -> WidePair:
    return WidePair(before + wrong + after, before + right + after)


def _name_before(before: str, message: str) -> str:
    """`Lake ` of `Lake Ellery`. The first word of a sentence has a capital anyway, so the message must have it too."""
    kept = ""
    words = before.split(" ")
    for number in range(len(words) - 2, -1, -1):
        word = words[number].lstrip(EDGES)
        opens = number == 0 or words[number - 1][-1:] in _ENDS
        if not word[:1].isupper() or not word[-1].isalnum() or (opens and not _is_said(word, message)):
            break
        kept = f"{word} {kept}"
        if word != words[number]:
            break
    return kept if words[-1] == "" else ""


def _name_after(after: str) -> str:
    """` Lund` of `Erik Lund`."""
    kept = ""
    words = after.split(" ")
    for said in words[1:]:
        word = said.rstrip(EDGES)
        if not word[:1].isupper():
            break
        kept += f" {word}"
        if word != said:
            break
    return kept if words[0] == "" else ""


def _is_said(words: str, message: str) -> bool:
    return words.casefold() in message.casefold()

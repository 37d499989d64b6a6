"""Fits the words that a reader found wrong and right to each other: `9 am` → `8` is about the number."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAMES = re.compile(r"[^\W\d_a-zà-ÿ][\w'’.\-]*(?: [^\W\d_a-zà-ÿ][\w'’.\-]*)*")
_WORDS = re.compile(r"[^\s,;:!?()\"“”`]+")
_ALIKE = 70  # of 100: one word written in two ways


class FittedPair(NamedTuple):
    wrong: str
    right: str


def fitted(wrong: str, right: str, output: str, message: str) -> FittedPair:
    """Both with as much as the other has: numbers, names, or one word that is written in another way."""
    old, new = _NUMBER.findall(wrong), _NUMBER.findall(right)
    if len(old) == len(new) == 1:
        return _fitted_numbers(wrong, right, old[0], new[0])
    if _is_name(right) and _NAMES.search(wrong):
        return _fitted_names(wrong, right, output, message)
    if " " not in right and " " in wrong and (likest := _likest(wrong, right)):
        return FittedPair(likest, right)
    return FittedPair(wrong, right)


def rivals(value: str, output: str) -> int:
    """How many numbers of this form the output has: with one, there is no other that can be meant."""
    return len({one for one in _NUMBER.findall(output) if _form(one) == _form(value)})


def is_value(wrong: str, right: str) -> bool:
    return all(_NUMBER.fullmatch(one) for one in (wrong, right)) and _form(wrong) == _form(right)


def _form(number: str) -> str:
    """`8:15` and `7:45` have one."""
    return re.sub(r"\d+", "9", number)


def _fitted_numbers(wrong: str, right: str, old: str, new: str) -> FittedPair:
    """`8:15` → `7:45`; and `60th` → `65` is `60` → `65`, for the rest stays."""
    rest = wrong.replace(old, "", 1), right.replace(new, "", 1)
    return FittedPair(wrong, right) if rest[0].casefold() == rest[1].casefold() else FittedPair(old, new)


def _fitted_names(wrong: str, right: str, output: str, message: str) -> FittedPair:
    """The whole name on either side."""
    whole = _name_around(right, message)
    names = _NAMES.findall(wrong)
    same = [name for name in names if name.count(" ") == whole.count(" ")]
    if len(same) == 1 and len(names) == 1:
        return FittedPair(same[0], whole)
    around = _name_around(names[-1], output)
    return FittedPair(around, whole) if around.count(" ") == whole.count(" ") else FittedPair(wrong, right)


def _is_name(text: str) -> bool:
    return _NAMES.fullmatch(text) is not None


def _name_around(name: str, text: str) -> str:
    """The name that a part of it belongs to."""
    found = [one.rstrip(".") for one in _NAMES.findall(text) if name in one]
    return found[0] if len(set(found)) == 1 and found[0].endswith(name) | found[0].startswith(name) else name


def _likest(wrong: str, right: str) -> str:
    from rapidfuzz import fuzz, process

    best = process.extractOne(right, _WORDS.findall(wrong), scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return best[0] if best else ""

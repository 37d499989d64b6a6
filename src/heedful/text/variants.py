"""Words that nobody wrote, but that are variants of what was written: `temp` is temperature, `weds` is Wednesday,
`clarinette` makes clarinettistes, Lindkvist is Lindqvist spelled otherwise, `gold_` and `mart_prod` make gold_prod, and
the evening after Tuesday is Wednesday.

A language model that puts a sentence right may write these. Any other word that nobody said is made up.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from heedful.text.support import WordSet

_WEEKS = tuple(
    days.split()
    for days in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
        "segunda terça quarta quinta sexta sábado domingo",
    )
)
_DAYS = frozenset(day for week in _WEEKS for day in week)
_ENDING_OF_DAY = "s"  # Tuesdays
_OF_DAY, _LONGEST_OF_DAY = 3, 5  # letters of an abbreviated day
_SHORTEST = 4  # letters of an abbreviation
_STEM, _SHARE_OF_STEM = 6, 0.6  # letters that two words begin with, and their share of the longer one
_SPELLED, _ALIKE = 5, 80.0  # letters of a word that may be spelled otherwise, and how alike both are, of 100
_PARTS = re.compile(r"[_\W]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)+")


def is_variant(word: str, known: WordSet) -> bool:
    """Both as `support.py` writes them."""
    if _NUMBER.fullmatch(word):  # fourteen ninety is 14,90
        return all(part in known.exact or part.lstrip("0") in known.exact for part in re.split(r"[.,]", word))
    if any(map(str.isdigit, word)):
        return False
    if "_" in word:
        parts = {part for one in (*known.words, *known.exact) for part in _PARTS.split(one)}
        return all(part in parts for part in _PARTS.split(word) if part)
    if not word.isalpha():
        return False
    return _is_form(word, known.words) or _is_spelling(word, known.words) or _is_next_day(word, known.words)


def _is_form(word: str, others: Collection[str]) -> bool:
    for other in others:
        shared, longer = _shared_beginning(word, other), max(len(word), len(other))
        if shared >= _SHORTEST and shared == len(other):
            return True
        if shared >= _STEM and shared >= _SHARE_OF_STEM * longer:
            return True
        if word in _DAYS and shared >= _OF_DAY and len(other) <= _LONGEST_OF_DAY:
            return True
    return False


def _is_next_day(word: str, others: Collection[str]) -> bool:
    """The day before or after one that was named: `we're the evening after`."""
    said = {other.removesuffix(_ENDING_OF_DAY) for other in others}
    day = word.removesuffix(_ENDING_OF_DAY)
    return any(
        week[(place + step) % len(week)] in said
        for week in _WEEKS
        for place, one in enumerate(week)
        if day in (one, one.removesuffix(_ENDING_OF_DAY))
        for step in (1, -1)
    )


def _shared_beginning(one: str, other: str) -> int:
    """In letters."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(one), len(other)))


def _is_spelling(word: str, others: Collection[str]) -> bool:
    from rapidfuzz import fuzz

    return len(word) >= _SPELLED and any(
        len(other) >= _SPELLED and fuzz.ratio(word, other) >= _ALIKE for other in others
    )

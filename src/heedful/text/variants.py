"""Words that nobody wrote, but that are variants of what was written: `temp` is temperature, `weds` is Wednesday,
`clarinette` makes clarinettistes, Lindkvist is Lindqvist spelled otherwise, `gold_` and `mart_prod` make gold_prod, and
the evening after Tuesday is Wednesday.

A language model that puts a sentence right may write these. Any other word that nobody said is made up.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from heedful.text.support import WordSet
from heedful.text.words import words_of

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
_ENDING_OF_DAY = "s"  # Tuesdays
_SHORT_DAYS = {
    "monday": {"mon"},
    "tuesday": {"tue", "tues"},
    "wednesday": {"wed", "weds"},
    "thursday": {"thu", "thur", "thurs"},
    "friday": {"fri"},
}
_NEXT = re.compile(
    r"\b(?:after|before|next|following|later|earlier|danach|davor|später|früher|lendemain|veille|après|avant"
    r"|siguiente|después|antes|seguir|seguinte|depois)\b",
    re.IGNORECASE,
)
_OTHERS = words_of(
    "january february march april may june july august september october november december januar februar märz mai juni"
    " juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero"
    " febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janeiro fevereiro março maio"
    " junho julho setembro outubro novembro dezembro hundred thousand million billion millions billions third fourth"
    " fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth thirtieth fourteenth fortieth"
)
"""Words that are alike and say something else."""
_OPPOSITES = ("less", "free", "los", "frei", "hypo", "hyper")
_SHORTEST = 4  # letters of an abbreviation
_STEM, _SHARE_OF_STEM = 6, 0.6  # letters that two words begin with, and their share of the longer one
_SPELLED, _ALIKE = 5, 85.0  # letters of a word that may be spelled otherwise, and how alike both are, of 100
_CODE = re.compile(r"\w+")


def is_variant(word: str, known: WordSet, said: str) -> bool:
    """Of words as `support.py` writes them; `said` is what the person said."""
    if any(map(str.isdigit, word)) or not _CODE.fullmatch(word):
        return False
    if "_" in word:
        names = [one for one in (*known.words, *known.exact) if _CODE.fullmatch(one)]
        parts = {part for one in names for part in one.split("_")}
        return all(part in parts for part in word.split("_") if part)
    if not word.isalpha() or word in _OTHERS or any(one in word for one in _OPPOSITES):
        return False
    if _NEXT.search(said) and _is_next_day(word, known.words):
        return True
    return _is_form(word, known.words) or _is_spelling(word, known.words)


def _is_form(word: str, others: Collection[str]) -> bool:
    for other in others:
        shared, longer = _shared_beginning(word, other), max(len(word), len(other))
        if shared >= _SHORTEST and shared == len(other):
            return True
        if shared >= _STEM and shared >= _SHARE_OF_STEM * longer:
            return True
    return not _SHORT_DAYS.get(word, set()).isdisjoint(others)


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
        other[0] == word[0] and abs(len(other) - len(word)) <= 1 and fuzz.ratio(word, other) >= _ALIKE
        for other in others
        if len(other) >= _SPELLED
    )

"""Fits right words to the wrong ones whose place they take: `9 am` → `8` is about the number, `six` → `5` is `five`."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = re.compile(r"(?<!\w)-?\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"\S+")
_PERCENT = re.compile(r"\s?(?:%|per ?cent|prozent|pour ?cent|por ciento|por cento)", re.IGNORECASE)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}
_COUNTS = tuple(
    words.split()
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen",
        "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
        " siebzehn achtzehn neunzehn",
        "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept"
        " dix-huit dix-neuf",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete"
        " dieciocho diecinueve",
        "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete"
        " dezoito dezanove",
    )
)
_TENS = dict(
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True)
)
_COUNTED = {word: number for words in reversed(_COUNTS) for number, word in enumerate(words)} | _TENS
_DAYS = tuple(f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun"))
_IS_DAY = re.compile(r"(?i:mon|tues|wednes|thurs|fri|satur|sun)(?i:days?)|(?i:tues?|weds?|thu(?:rs?)?|fri)\.?")


class Fit(NamedTuple):
    """`wrong` begins `skipped` characters after the words that it was made from."""

    wrong: str
    right: str
    skipped: int


def fitted(wrong: str, right: str, *, opens: bool) -> Fit:
    """Both without what they share at their edges. `opens`: the wrong words begin a sentence, or the right ones do, so
    that a capital may mean nothing."""
    right = _as_day(wrong, as_written(wrong, right))
    fit = _numbers(wrong, right) or Fit(*_unshared(wrong, right))
    return fit._replace(right=_cased(fit.wrong, fit.right)) if opens else fit


def number_of(word: str) -> int | None:
    """Of `8`, `eight` and `twenty-six`."""
    if word.isascii() and word.isdigit() and len(word) < 10:
        return int(word)
    tens, _, one = word.casefold().partition("-")
    number, rest = _COUNTED.get(tens), _COUNTED.get(one) if one else 0
    return None if number is None or rest is None else number + rest


def as_written(wrong: str, right: str) -> str:
    """The number written as the output writes it."""
    old, new = (text.split(maxsplit=1)[0].strip(".,;") for text in (wrong, right))
    number = number_of(new)
    if number is None or new.isdigit() == any(map(str.isdigit, wrong)):
        return right
    if new.isdigit():
        language = next((counts for counts in _COUNTS if old.casefold() in counts), None)
        said = language[number] if language is not None and number < len(language) else new
    else:
        said = str(number)
    return right.replace(new, said, 1)


def _as_day(wrong: str, right: str) -> str:
    """`Mondays` → `wednesday` is `Wednesdays`, and so is `weds`."""
    old, new = wrong.rsplit(maxsplit=1)[-1], right.rsplit(maxsplit=1)[-1]
    if old.casefold().removesuffix("s") not in _DAYS or not _IS_DAY.fullmatch(new):
        return right
    day = next(day for day in _DAYS if day.startswith(new[:3].casefold()))
    return right.removesuffix(new) + day.title() + ("s" if old.endswith("s") else "")


def _numbers(wrong: str, right: str) -> Fit | None:
    """`8:15` → `7:45`; and `60th` → `65` is about the number, for the rest stays."""
    old, new = _NUMBER.findall(wrong), _NUMBER.findall(right)
    if len(old) != 1 or len(new) != 1:
        return None
    rest, other = (_rest(text, number) for text, number in ((wrong, old[0]), (right, new[0])))
    if rest != other and other:
        return None
    ordinal = _ORDINAL.search(wrong)
    at = wrong.find(old[0])
    if ordinal is None:
        return Fit(old[0], new[0], at)
    return Fit(old[0] + ordinal[0], _ordinal(new[0]), at)


def _rest(text: str, number: str) -> str:
    return _ORDINAL.sub("", _PERCENT.sub("%", text)).replace(number, "", 1).strip().casefold()


def _ordinal(number: str) -> str:
    value = int(number) if number.isdigit() else 0
    return number + ("th" if value % 100 in (11, 12, 13) else _ORDINALS.get(value % 10, "th"))


def _unshared(wrong: str, right: str) -> tuple[str, str, int]:
    """Whole words that both begin or end with are no part of the mistake."""
    old, new = list(_WORD.finditer(wrong)), list(_WORD.finditer(right))
    while len(old) > 1 and len(new) > 1 and old[0][0].casefold() == new[0][0].casefold():
        old, new = old[1:], new[1:]
    while len(old) > 1 and len(new) > 1 and old[-1][0].casefold() == new[-1][0].casefold():
        old, new = old[:-1], new[:-1]
    start = old[0].start()
    return wrong[start : old[-1].end()], right[new[0].start() : new[-1].end()], start


def _cased(wrong: str, right: str) -> str:
    """As the wrong words begin, unless the right ones are a name or code."""
    is_own = bool(right[1:]) and not right[1:].islower()
    if is_own or wrong[:1].isupper() == right[:1].isupper() or not wrong[:1].isalpha():
        return right
    return (right[:1].upper() if wrong[:1].isupper() else right[:1].lower()) + right[1:]

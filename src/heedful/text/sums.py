"""Numbers that nobody says, but that follow from what is said: `four less` makes 32 of 36, `doppelt so lang` 24 of 12,
`half an hour earlier` 17:15 of 17:45, and `till two` is 14:00.

A language model that puts a sentence right may do such a sum. Any other number that nobody said is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from heedful.text.lexicon import NUMBER_WORDS
from heedful.text.words import words_of

_NUMBER = re.compile(
    r"(?<![\w.,:])\d{1,9}(?:[.,]\d{1,9}){0,3}(?![\w:]|[.,]\d)|(?<![\w:])\d{1,2}(?=\s?(?:[ap]m|h|uhr)\b)", re.I
)
_TIME = re.compile(r"(?<![\d:.,])(\d{1,2})\s?(?::|h\s?|\.(?=\d\d\s?(?:[ap]m|uhr)\b))(\d\d)(?!\d)", re.I)
_PENCE = re.compile(r"(?<![\w.,])(\d{1,3})(?:p|c|ct)\b")
_PORT = re.compile(r"(?<=:)\d{4,5}\b(?!:)")
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?:\D|$))")
_WORD = re.compile(r"[^\W\d_]+")
_IN_PARTS = re.compile(r"(\d{1,6})[.,](\d{1,2})")
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_PAST = re.compile(r"\b(?:half|quarter) past\b", re.I)  # a time, and no share
_LONGEST = 15  # digits
_DOTTED = re.compile(r"\d{1,2}\.\d\d")
_ONE = words_of("one eins ein eine einen einer un une una um uma")
_HALF = words_of("half halbe halben halber halb hälfte demi demie moitié media medio mitad meia meio metade")
_THIRD = words_of("third drittel tiers tercio terço")
_QUARTER = words_of("quarter viertel quart cuarto quarto")
_DOUBLE = words_of("double doubled twice doppelt doppelte verdoppeln double doubler doble dobro duplicar")
_TRIPLE = words_of("triple thrice dreifach dreimal triplo")
_COUNTED = {
    **{"tenner": 10.0, "fiver": 5.0, "fortnight": 14.0, "week": 7.0, "woche": 7.0, "semaine": 7.0, "semana": 7.0},
    **{"dozen": 12.0, "dutzend": 12.0, "douzaine": 12.0, "docena": 12.0, "dúzia": 12.0},
}
_HOUR, _HALF_DAY = 60, 12 * 60
_SCALES = (1.0, 0.01, 0.001)  # a cent of a euro, a kilohertz of a megahertz
_SAME = 1e-6
_MOST = 60  # numbers of a text that are looked at


def follows(number: str, before: str, said: str) -> bool:
    """Whether a number, as `support.py` writes it, comes from one in the text before by what was said of it."""
    said = _PAST.sub(" ", said)
    if _is_said_in_parts(number, said):
        return True
    steps, factors = set(_steps(said)), set(_factors(said))
    wanted, old = _values(number), set(_numbers(before))
    if any(_is(new, was + step) or _is(new, was - step) for new, was, step in product(wanted, old, steps)):
        return True
    if any(_is(new, was * factor) for new, was, factor in product(wanted, old, factors)):
        return True
    return bool(_TIME.search(before)) and any(_is(new, at) for new, at in product(_clock(number), _hours(said)))


def _steps(said: str) -> Iterator[float]:
    """How much more or less: in numbers, and in minutes."""
    for value in _said(said):
        yield from (value * scale for scale in _SCALES)
        yield value * _HOUR
    words = _words(said)
    for names, part in ((_HALF, 0.5), (_QUARTER, 0.25)):
        if not names.isdisjoint(words):
            yield from (part, part * _HOUR)
            yield from (value + part for value in _said(said))


def _factors(said: str) -> Iterator[float]:
    words = _words(said)
    for names, factors in (
        (_DOUBLE, (2.0,)),
        (_TRIPLE, (3.0,)),
        (_HALF, (0.5, 1.5)),
        (_THIRD, (1 / 3, 2 / 3, 4 / 3)),
    ):
        if not names.isdisjoint(words):
            yield from factors


def _hours(said: str) -> Iterator[float]:
    """The times of day that a person may mean who says `two`, in minutes."""
    half = not _HALF.isdisjoint(_words(said))
    for value in _said(said):
        for part in (0, _HALF_DAY):
            yield value * _HOUR + part
            if half:
                yield value * _HOUR + part + _HOUR / 2


def _said(text: str) -> list[float]:
    words = _words(text)
    counted = [float(NUMBER_WORDS[word]) for word in words if word in NUMBER_WORDS]
    counted += [_COUNTED[word] for word in words if word in _COUNTED]
    counted += [1.0] * (not _ONE.isdisjoint(words))
    counted += [float(match[1]) for match in _PENCE.finditer(text)]
    return [*_numbers(text), *counted][:_MOST]


def _numbers(text: str) -> list[float]:
    found = [_value(match[0]) for pattern in (_NUMBER, _PORT) for match in pattern.finditer(text)]
    found += [float(NUMBER_WORDS[word]) for word in _words(text) if word in NUMBER_WORDS]
    for match in _TIME.finditer(text):
        found += [float(match[1]), float(match[1]) * _HOUR + float(match[2])]
    return found[:_MOST]


def _values(number: str) -> list[float]:
    if len(number) > _LONGEST or not number.replace(".", "").replace(",", "").isdecimal():
        return []
    return [_value(number), *_clock(number)]


def _is_said_in_parts(number: str, said: str) -> bool:
    """Whether 14,90 is said as `fourteen ninety`, and 3,4 as `3 to 4`."""
    parts = _IN_PARTS.fullmatch(number)
    if parts is None:
        return False
    tokens = [str(NUMBER_WORDS.get(one.casefold(), one)) for one in _TOKEN.findall(said)]
    return any(tokens[at] == parts[1] and parts[2] in tokens[at + 1 : at + 3] for at in range(len(tokens) - 1))


def _clock(number: str) -> list[float]:
    """1715 may be 17:15, and so may 17.15."""
    number = number.replace(".", "", 1) if _DOTTED.fullmatch(number) else number
    if not number.isdecimal() or not 3 <= len(number) <= 4 or int(number[-2:]) >= _HOUR:
        return []
    return [float(number[:-2]) * _HOUR + float(number[-2:])]


def _value(number: str) -> float:
    plain = _THOUSANDS.sub("", number).replace(",", ".")
    return float(plain) if plain.count(".") <= 1 else 0.0


def _is(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME * max(1.0, abs(one))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]

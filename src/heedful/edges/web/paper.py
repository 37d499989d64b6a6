"""A page of a document as it is shown: its words, and the boxes of the values that were found on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from heedful.records.document import Box, DocumentText, PageText, Value, Word
from heedful.text.printed_values import compact, dates, is_date, number, numbers

_DATE_WORDS = 4
_SIGNS = ("", ",", ".")
_MOST_WORDS = 5_000  # of a page that can be picked


class Place(NamedTuple):
    page: int
    """Counted from 1."""
    box: Box


class PaperWord(NamedTuple):
    """In points."""

    x: str
    y: str
    width: str
    height: str
    text: str
    base: str
    """Where the letters stand on."""


@dataclass(frozen=True, slots=True)
class Paper:
    number: int
    count: int
    width: float
    height: float
    words: tuple[PaperWord, ...]

    def rect(self, box: Box) -> tuple[str, str, str, str]:
        """A box in points, with a little air."""
        air = 0.15 * (box.y1 - box.y0) * self.height
        x, y = box.x0 * self.width - air, box.y0 * self.height - air
        width, height = (box.x1 - box.x0) * self.width + 2 * air, (box.y1 - box.y0) * self.height + 2 * air
        return _short(x), _short(y), _short(max(width, 1)), _short(max(height, 1))


def paper(text: DocumentText, wanted: int) -> Paper:
    number = min(max(1, wanted), len(text.pages))
    page = text.pages[number - 1]
    words = tuple(_word(page, word) for word in page.words[:_MOST_WORDS])
    return Paper(number, len(text.pages), page.width, page.height, words)


def _word(page: PageText, word: Word) -> PaperWord:
    height = (word.y1 - word.y0) * page.height
    return PaperWord(
        _short(word.x0 * page.width),
        _short(word.y0 * page.height),
        _short(max((word.x1 - word.x0) * page.width, 0.1)),
        _short(max(height, 0.1)),
        word.text,
        _short(word.y0 * page.height + 0.8 * height),
    )


def _short(value: float) -> str:
    return f"{value:.1f}"


def printed_at(text: DocumentText, value: Value, near: Place | None) -> Place | None:
    """Where a value is printed that somebody typed: the place nearest to `near`, else the first one."""
    found = list(_places(text, value))
    if near is None or not found:
        return found[0] if found else None
    return min(found, key=lambda place: (abs(place.page - near.page), abs(place.box.y0 - near.box.y0)))


def _places(text: DocumentText, value: Value) -> Iterator[Place]:
    for place, page in enumerate(text.pages, 1):
        for run in _runs(page.words, _length(value)):
            if _says(" ".join(word.text for word in run), value):
                yield Place(place, _around(run))


def _runs(words: Sequence[Word], lengths: range) -> Iterator[Sequence[Word]]:
    for start in range(len(words)):
        for length in lengths:
            if start + length <= len(words):
                yield words[start : start + length]


def _length(value: Value) -> range:
    """How many words it may take."""
    if is_date(value):
        return range(1, _DATE_WORDS)
    words = 1 if isinstance(value, int | float) else len(value.split())
    return range(words, words + 1)


def _says(text: str, value: Value) -> bool:
    if isinstance(value, int | float):
        found = numbers(text)
        return len(found) == 1 and any(abs(number(found[0].digits, sign) - abs(value)) < 0.005 for sign in _SIGNS)
    if is_date(value):
        return any(value in (one.day_first, one.month_first) for one in dates(text))
    return bool(compact(value)) and compact(text) == compact(value)


def _around(words: Sequence[Word]) -> Box:
    return Box(
        min(word.x0 for word in words),
        min(word.y0 for word in words),
        max(word.x1 for word in words),
        max(word.y1 for word in words),
    )

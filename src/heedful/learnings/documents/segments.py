"""The rows of a page, cut where there is a gap: names, lines of addresses, labels, values, cells of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import combining, normalize

from heedful.records.document import PageText, Word
from heedful.text.rows import rows

MOST_WORDS = 3_000
"""Of a page. Of a page with more, the first and the last ones are looked at: that is where its sender is named."""

has_digit = re.compile(r"\d").search

_GAP = 1.2  # heights of the row; a wider space begins another segment
_LONGEST = 200  # characters of a word
_CONFUSABLE = str.maketrans("o0qil1|!s5$b8z2g6", "00011111555882299")


class Segment(NamedTuple):
    """Neighbouring words of a row."""

    x0: float
    y0: float
    x1: float
    y1: float
    words: tuple[str, ...]
    row: int
    """Counted from 0 at the top of the page."""

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def height(self) -> float:
        return self.y1 - self.y0


@lru_cache(8_192)
def fold(text: str) -> str:
    """The letters and digits of a text, without case, accents, spaces and punctuation.

    Characters that are mixed up in recognition become the same one: O and 0, l and 1.
    """
    text = text.lower()
    if not text.isascii():
        text = "".join(c for c in normalize("NFKD", text).casefold() if not combining(c))
    text = text.translate(_CONFUSABLE)
    return text if text.isalnum() else "".join(c for c in text if c.isalnum())


def fold_all(words: Iterable[str]) -> str:
    return "".join(map(fold, words))


def segments(page: PageText) -> list[Segment]:
    """From top to bottom and from left to right."""
    if page.width <= 0 or page.height <= 0:
        return []
    readable = PageText(page.width, page.height, tuple(w for w in _some(page.words) if w.text.strip()))
    shape = page.width / page.height
    return [_segment(words, number) for number, row in enumerate(rows(readable)) for words in _cut(row, shape)]


def _some(words: tuple[Word, ...]) -> tuple[Word, ...]:
    return words if len(words) <= MOST_WORDS else words[: MOST_WORDS // 2] + words[-MOST_WORDS // 2 :]


def _cut(row: Sequence[Word], shape: float) -> Iterator[Sequence[Word]]:
    start = 0
    for number, (left, right) in enumerate(pairwise(row), 1):
        if (right.x0 - left.x1) * shape > _GAP * max(left.y1 - left.y0, right.y1 - right.y0):
            yield row[start:number]
            start = number
    yield row[start:]


def _segment(words: Sequence[Word], row: int) -> Segment:
    x0, y0, x1, y1, _ = words[0]
    for word in words[1:]:
        y0, x1, y1 = min(y0, word.y0), max(x1, word.x1), max(y1, word.y1)
    return Segment(x0, y0, x1, y1, tuple(word.text[:_LONGEST] for word in words), row)

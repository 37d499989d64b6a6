"""The words of a document arranged in rows and segments, with the dates and numbers in them.

A segment is a run of words with no more than spaces between them: a label, a cell, a line of an address.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from statistics import median
from typing import NamedTuple

from heedful.records.document import Box, DocumentText, PageText, Word
from heedful.text.printed_values import (
    ALIKE,
    SYMBOLS,
    PrintedDate,
    PrintedNumber,
    compact,
    dates,
    decimal_vote,
    folded_letter,
    numbers,
)

_ROW = 0.45  # of the usual height of a word: centres that are closer are in one row
_SEGMENT = 0.9  # of a row's height: a wider gap separates segments
_TOUCHING = 0.05  # of the height: words with less between them are one word that was cut
_VERTICAL = 1.8  # a word this much higher than wide runs up or down the margin
_LETTERS = 300  # of a word that are read
_WORDS = 30_000  # of a document that are read


class Segment(NamedTuple):
    """A run of words in a row: from the first to before the last, and the part of the row's text they take."""

    first: int
    last: int
    start: int
    end: int
    x0: float
    x1: float


class Row:
    """Words that stand beside one another on a page, from left to right."""

    def __init__(self, page: int, words: Sequence[Word], ratio: float) -> None:
        self.page = page
        self.words = words
        self.y0 = min(word.y0 for word in words)
        self.y1 = max(word.y1 for word in words)
        self.x0 = words[0].x0
        self.x1 = max(word.x1 for word in words)
        self.height = median(word.y1 - word.y0 for word in words) or 0.01
        self.em = self.height * ratio
        """The height of the row as a share of the page's width."""
        self.starts = []
        offset = 0
        for word in words:
            self.starts.append(offset)
            offset += len(word.text) + 1
        self.text = " ".join([word.text for word in words])

    @property
    def centre(self) -> float:
        return (self.y0 + self.y1) / 2

    @cached_property
    def segments(self) -> list[Segment]:
        found, first = [], 0
        for place in range(1, len(self.words) + 1):
            if place == len(self.words) or self.words[place].x0 - self.words[place - 1].x1 > _SEGMENT * self.em:
                found.append(self._segment(first, place))
                first = place
        return found

    def _segment(self, first: int, last: int) -> Segment:
        end = self.starts[last - 1] + len(self.words[last - 1].text)
        return Segment(first, last, self.starts[first], end, self.words[first].x0, self.words[last - 1].x1)

    @cached_property
    def _folding(self) -> tuple[str, list[int]]:
        if self.text.isascii():
            lowered = self.text.lower()
            kept = [place for place, letter in enumerate(lowered) if letter.isalnum()]
            return "".join([lowered[place] for place in kept]), kept
        letters: list[str] = []
        places: list[int] = []
        for place, letter in enumerate(self.text):
            for part in folded_letter(letter):
                letters.append(part)
                places.append(place)
        return "".join(letters), places

    @property
    def compact(self) -> str:
        """The text without case, accents, signs and spaces."""
        return self._folding[0]

    @property
    def places(self) -> list[int]:
        """Where in the text each letter of the compact text stands."""
        return self._folding[1]

    @cached_property
    def lookalike(self) -> str:
        """The compact text with letters and digits that recognition confuses as one; places are the same."""
        return self.compact.translate(ALIKE)

    def compact_place(self, offset: int) -> int:
        """The place in the compact text of an offset in the text."""
        return bisect_left(self.places, offset)

    def word_at(self, offset: int) -> int:
        return max(0, bisect_right(self.starts, offset) - 1)

    def words_of(self, start: int, end: int) -> Sequence[Word]:
        return self.words[self.word_at(start) : self.word_at(max(start, end - 1)) + 1]

    def extent(self, start: int, end: int) -> tuple[float, float]:
        """From left to right, where a part of the text stands; parts of words in proportion."""
        first, last = self.word_at(start), self.word_at(max(start, end - 1))
        return self._x(first, start), self._x(last, end)

    def _x(self, place: int, offset: int) -> float:
        word = self.words[place]
        share = (offset - self.starts[place]) / max(1, len(word.text))
        return word.x0 + (word.x1 - word.x0) * min(1.0, max(0.0, share))

    def segment_at(self, offset: int) -> Segment:
        for segment in self.segments:
            if offset < segment.end:
                return segment
        return self.segments[-1]

    @cached_property
    def dates(self) -> list[PrintedDate]:
        return dates(self.text)

    @cached_property
    def numbers(self) -> list[PrintedNumber]:
        """The numbers of the row that are no part of a date, digit groups with spaces between them as one."""
        if not any(map(str.isdigit, self.text)):
            return []
        taken = [(found.start, found.end) for found in self.dates]
        found = [one for one in numbers(self.text) if not any(a <= one.start < b for a, b in taken)]
        return list(self._grouped(found))

    def _grouped(self, found: list[PrintedNumber]) -> Iterator[PrintedNumber]:
        pending: PrintedNumber | None = None
        for one in found:
            if pending is not None and self._continues(pending, one):
                digits = pending.digits + one.digits
                pending = PrintedNumber(pending.start, one.end, digits, pending.negative or one.negative, one.money)
                continue
            if pending is not None:
                yield pending
            pending = one
        if pending is not None:
            yield pending

    def _continues(self, before: PrintedNumber, after: PrintedNumber) -> bool:
        """1 234,56 is one number: close together, and three digits in each group after the first."""
        if not (before.digits.isdigit() and after.start == before.end + 1 and after.money):
            return False
        groups = after.digits.replace(",", ".").partition(".")[0]
        if len(groups) != 3 or len(before.digits) > 6 or before.digits.startswith("0"):
            return False
        one, other = self.words[self.word_at(before.start)], self.words[self.word_at(after.start)]
        return other.x0 - one.x1 < 0.4 * self.em


class Piece(NamedTuple):
    """A part of the text of a row."""

    row: int
    start: int
    end: int


class Span(NamedTuple):
    """Where a value stands: in one row, or one below the other in several."""

    pieces: tuple[Piece, ...]


class Sheet:
    """A document in rows, top to bottom, page after page."""

    def __init__(self, text: DocumentText) -> None:
        self.rows: list[Row] = []
        self.contexts: dict[Span, object] = {}
        """What stands around parts that were looked at, kept by those who look."""
        self.ends: list[int] = []
        """For each page, the number of rows up to its end."""
        room = _WORDS
        for number, page in enumerate(text.pages):
            words = _readable(page, room)
            room -= len(words)
            self.rows.extend(_rows(number, page, words))
            self.ends.append(len(self.rows))

    def text(self, span: Span) -> str:
        return " ".join([self.rows[row].text[start:end] for row, start, end in span.pieces])

    def page(self, span: Span) -> int:
        return self.rows[span.pieces[0].row].page

    def box(self, span: Span) -> Box:
        words = [word for row, start, end in span.pieces for word in self.rows[row].words_of(start, end)]
        return Box(
            min(word.x0 for word in words), min(word.y0 for word in words),
            max(word.x1 for word in words), max(word.y1 for word in words),
        )  # fmt: skip

    def below(self, row: int, most: int, height: float = 4.0) -> Iterator[int]:
        """The rows under a row on its page, at most so many and no further down than so many row heights."""
        origin = self.rows[row]
        for place in range(row + 1, min(len(self.rows), row + 1 + most)):
            other = self.rows[place]
            if other.page != origin.page or other.y0 - origin.y1 > height * max(origin.height, other.height):
                return
            yield place

    def above(self, row: int, most: int, height: float = 4.0) -> Iterator[int]:
        origin = self.rows[row]
        for place in range(row - 1, max(-1, row - 1 - most), -1):
            other = self.rows[place]
            if other.page != origin.page or origin.y0 - other.y1 > height * max(origin.height, other.height):
                return
            yield place

    @cached_property
    def decimal(self) -> str:
        """The decimal sign that most numbers of the document show."""
        votes = Counter(decimal_vote(found.digits) for row in self.rows for found in row.numbers if found.money)
        return "," if votes[","] > votes["."] else "." if votes["."] else ""

    @cached_property
    def day_first(self) -> bool:
        """The order of the document's dates: by those that can be read in one way only, else by its language."""
        shown = [found for row in self.rows for found in row.dates]
        clear = Counter(_order(row, found) for row in self.rows for found in row.dates)
        if not shown or clear["day"] != clear["month"]:
            return clear["day"] >= clear["month"]
        return self.decimal != "." or not self._dollars

    @cached_property
    def _dollars(self) -> bool:
        return any("$" in row.text or "USD" in row.text for row in self.rows)

    @cached_property
    def word_places(self) -> dict[str, list[tuple[int, float, float]]]:
        """For each word of letters, where it stands: page, and the centre of the word."""
        places: dict[str, list[tuple[int, float, float]]] = defaultdict(list)
        for row in self.rows:
            for word in row.words:
                if len(word.text) > 2 and not any(map(str.isdigit, word.text)):
                    places[compact(word.text)].append((row.page, word.x0, (word.y0 + word.y1) / 2))
        places.pop("", None)
        return places

    @cached_property
    def currencies(self) -> Counter[str]:
        """How often each currency is written, by sign or code."""
        found: Counter[str] = Counter()
        for row in self.rows:
            for sign, code in SYMBOLS.items():
                if sign in row.text:
                    found[code] += row.text.count(sign)
        return found


def _order(row: Row, found: PrintedDate) -> str:
    """Only a number above twelve shows which one is the day; the sign between them is a hint of the country."""
    printed = row.text[found.start : found.end]
    if not printed[:2].strip("./- ").isdigit() or printed[:4].isdigit():
        return ""
    if found.day_first == found.month_first:
        first = "".join(filter(str.isdigit, printed[:2]))
        second = found.day_first[8:]
        return "" if found.day_first[5:7] == second else "day" if int(first) == int(second) else "month"
    return "day" if "." in printed else ""


@lru_cache(maxsize=64)
def sheet(text: DocumentText) -> Sheet:
    """The sheet of a document. The examples of a layout come again with each of its documents, so some are kept."""
    return Sheet(text)


def _readable(page: PageText, room: int) -> list[Word]:
    width, height = page.width or 595.0, page.height or 842.0
    found = []
    for word in page.words[: max(0, room)]:
        text = word.text[:_LETTERS].strip()
        tall = (word.y1 - word.y0) * height > _VERTICAL * (word.x1 - word.x0) * width
        if text and not (tall and len(text) > 2):
            found.append(word if text == word.text else Word(*word[:4], " ".join(text.split())))
    return found


def _rows(number: int, page: PageText, words: list[Word]) -> Iterator[Row]:
    if not words:
        return
    ratio = (page.height or 842.0) / (page.width or 595.0)
    usual = median(word.y1 - word.y0 for word in words) or 0.01
    words.sort(key=lambda word: (word.y0 + word.y1, word.x0))
    current: list[Word] = []
    centre = 0.0
    for word in words:
        middle = (word.y0 + word.y1) / 2
        if current and middle - centre > _ROW * usual:
            yield Row(number, _joined(current, ratio), ratio)
            current = []
        centre = (centre * len(current) + middle) / (len(current) + 1)
        current.append(word)
    yield Row(number, _joined(current, ratio), ratio)


def _joined(words: list[Word], ratio: float) -> list[Word]:
    """The words from left to right, those that touch as one."""
    words.sort()
    found: list[Word] = []
    for word in words:
        last = found[-1] if found else None
        close = _TOUCHING * (word.y1 - word.y0) * ratio
        if last is not None and abs(word.x0 - last.x1) < close and _halves(last.text, word.text):
            text = last.text + word.text
            found[-1] = Word(last.x0, min(last.y0, word.y0), word.x1, max(last.y1, word.y1), text)
        else:
            found.append(word)
    return found


def _halves(one: str, other: str) -> bool:
    return len(one) + len(other) < _LETTERS and one[-1].isalnum() and other[0].isalnum()

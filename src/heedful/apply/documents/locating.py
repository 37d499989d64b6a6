"""Where a known value stands in a document, what stands around it, and where the same place is in another document."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from heapq import nsmallest
from math import exp
from statistics import median
from typing import NamedTuple

from heedful.apply.documents.candidates import single
from heedful.apply.documents.labels import Hit, header_index, hits
from heedful.apply.documents.sheet import Piece, Row, Segment, Sheet, Span, sheet
from heedful.records.document import DocumentText, Value
from heedful.text.printed_values import ALIKE, AMOUNT, DATE, compact, lookalike, number, shape

_MOST = 6  # places of one value that are looked at
_AROUND = 28  # letters of the text around a value
_ROWS_OF_VALUE = 3
NUMBER = "#"
_ANCHORS = 7
_LIKE = 85.0
_LABELLED_ROWS = 1_500


class Surroundings(NamedTuple):
    """What stands around a part of a document, without case, spaces and what recognition confuses."""

    left: str
    right: str
    above: str
    below: str
    page: int
    x0: float
    x1: float
    y: float
    opens: bool
    """It begins its segment."""
    closes: bool
    words: int
    rows: int
    shape: str
    label: str
    """The field that the nearest known label names."""
    prefix: str = ""
    """The beginning of its word that is no part of it."""
    suffix: str = ""


@lru_cache(maxsize=64)
def labelled(text: DocumentText) -> list[list[Hit]]:
    """The known labels in each row."""
    return [hits(row, header_index()) for row in sheet(text).rows[:_LABELLED_ROWS]]


# Places of a value


def spots(page: Sheet, kind: str, value: Value, *, misread: bool = True) -> list[Span]:
    """The places where a value is printed, in whatever form; if there is none, where something much like it is."""
    if kind == DATE:
        found = [single(place, one.start, one.end) for place, row in enumerate(page.rows) for one in row.dates
                 if value in (one.day_first, one.month_first)]  # fmt: skip
    elif isinstance(value, int | float):
        found = [single(place, one.start, one.end) for place, row in enumerate(page.rows) for one in row.numbers
                 if _is_number(one.digits, float(value))]  # fmt: skip
    else:
        found = _text_spots(page, str(value), misread=misread)
    return found[:_MOST]


def _is_number(digits: str, value: float) -> bool:
    return any(abs(number(digits, decimal) - abs(value)) < 0.005 for decimal in ("", ",", "."))


def _text_spots(page: Sheet, value: str, *, misread: bool) -> list[Span]:
    wanted = compact(value)
    if not wanted:
        return []
    whole: list[Span] = []
    parts: list[Span] = []
    for place, row in enumerate(page.rows):
        for start, end in _occurrences(row, wanted):
            (whole if _is_whole(row, start, end) else parts).append(single(place, start, end))
    if whole or (parts and len(wanted) > 3):
        return whole or parts
    return list(_over_rows(page, wanted)) or (_alike(page, wanted) if misread else [])


def _occurrences(row: Row, wanted: str) -> Iterator[tuple[int, int]]:
    place = row.compact.find(wanted)
    while place >= 0:
        yield row.places[place], row.places[place + len(wanted) - 1] + 1
        place = row.compact.find(wanted, place + len(wanted))


def _is_whole(row: Row, start: int, end: int) -> bool:
    before, after = row.text[start - 1 : start] if start else "", row.text[end : end + 1]
    return (
        not before.isalnum()
        and not after.isalnum()
        and not (before in "-/" and before)
        and not (after in "-/" and after)
    )


def _over_rows(page: Sheet, wanted: str) -> Iterator[Span]:
    """A value in several rows, one below the other."""
    for place, row in enumerate(page.rows):
        for segment in row.segments:
            text = _segment_text(row, segment)
            if len(text) >= 3 and wanted.startswith(text):
                pieces = _continued(page, place, segment, wanted[len(text) :], _ROWS_OF_VALUE)
                if pieces is not None:
                    yield Span((Piece(place, segment.start, segment.end), *pieces))


def _continued(page: Sheet, place: int, segment: Segment, rest: str, most: int) -> tuple[Piece, ...] | None:
    if not rest:
        return ()
    if not most:
        return None
    for below in page.below(place, 3, 2.0):
        row = page.rows[below]
        for other in row.segments:
            text = _segment_text(row, other)
            if not text or not (other.x0 < segment.x1 and other.x1 > segment.x0):
                continue
            if rest.startswith(text):
                pieces = _continued(page, below, other, rest[len(text) :], most - 1)
                if pieces is not None:
                    return (Piece(below, other.start, other.end), *pieces)
            elif text.startswith(rest):
                end = row.places[row.compact_place(other.start) + len(rest) - 1] + 1
                return (Piece(below, other.start, end),)
    return None


def _segment_text(row: Row, segment: Segment) -> str:
    return row.compact[row.compact_place(segment.start) : row.compact_place(segment.end)]


def _alike(page: Sheet, wanted: str) -> list[Span]:
    """Places that differ from a value by what recognition gets wrong: in figures, only letters that look like them."""
    if len(wanted) < 4:
        return []
    shown = wanted.translate(ALIKE)
    same = [
        single(place, row.places[at], row.places[at + len(shown) - 1] + 1)
        for place, row in enumerate(page.rows)
        if (at := row.lookalike.find(shown)) >= 0
    ]
    if same or 2 * sum(map(str.isdigit, wanted)) >= len(wanted):
        return same
    found = [(score, span) for score, span in fuzzy_places(page, wanted) if score >= _LIKE]
    found.sort(key=lambda one: -one[0])
    return [span for _, span in found[:2]]


def fuzzy_places(page: Sheet, wanted: str, least: float = 70.0) -> Iterator[tuple[float, Span]]:
    """The part of each row that is most like a compact text, with its likeness up to 100."""
    from rapidfuzz.fuzz import partial_ratio_alignment  # slow to import

    alike = lookalike(wanted)
    for place, row in enumerate(page.rows):
        if len(row.compact) < 0.7 * len(alike):
            continue
        match = partial_ratio_alignment(alike, lookalike(row.compact), score_cutoff=least)
        if match is not None and match.dest_end > match.dest_start:
            start, end = row.places[match.dest_start], row.places[min(match.dest_end, len(row.places)) - 1] + 1
            yield match.score, single(place, *_whole_words(row, start, end))


def _whole_words(row: Row, start: int, end: int) -> tuple[int, int]:
    """Widened to the words that it takes more than half of."""
    first, last = row.word_at(start), row.word_at(max(start, end - 1))
    if last > first and end - row.starts[last] < len(row.words[last].text) / 2:
        last -= 1
    if last > first and start - row.starts[first] > len(row.words[first].text) / 2:
        first += 1
    return row.starts[first], row.starts[last] + len(row.words[last].text)


# Contexts


def context(page: Sheet, span: Span, labels: list[list[Hit]]) -> Surroundings:
    known = page.contexts.get(span)
    if known is None:
        known = page.contexts[span] = _context(page, span, labels)
    return known  # type: ignore[return-value]


def _context(page: Sheet, span: Span, labels: list[list[Hit]]) -> Surroundings:
    first, last = span.pieces[0], span.pieces[-1]
    row, bottom = page.rows[first.row], page.rows[last.row]
    segment = row.segment_at(first.start)
    x0, x1 = row.extent(first.start, first.end)
    text = page.text(span)
    word, final = row.word_at(first.start), row.word_at(max(first.start, first.end - 1))
    return Surroundings(
        left=_left(row, first.start, segment),
        right=_right(row, first.end, row.segment_at(max(first.start, first.end - 1))),
        above=_neighbour(page, page.above(first.row, 3, 3.0), x0, x1),
        below=_neighbour(page, page.below(last.row, 2, 2.0), x0, x1),
        page=row.page,
        x0=x0,
        x1=x1,
        y=row.centre,
        opens=not compact(row.text[segment.start : first.start]),
        closes=not compact(bottom.text[last.end : bottom.segment_at(last.start).end]),
        words=len(text.split()),
        rows=len(span.pieces),
        shape=shape(text),
        label=_label(page, first, labels, x0, x1),
        prefix=row.text[row.starts[word] : first.start],
        suffix=row.text[first.end : row.starts[final] + len(row.words[final].text)],
    )


def _left(row: Row, start: int, segment: Segment) -> str:
    inside = compact(row.text[segment.start : start])
    if inside:
        return around(inside[-_AROUND:])
    before = [other for other in row.segments if other.end < segment.start]
    return around(compact(row.text[before[-1].start : before[-1].end])[-_AROUND:]) if before else ""


def _right(row: Row, end: int, segment: Segment) -> str:
    inside = compact(row.text[end : segment.end])
    if inside:
        return around(inside[:_AROUND])
    after = [other for other in row.segments if other.start > segment.start]
    return around(compact(row.text[after[0].start : after[0].end])[:_AROUND]) if after else ""


def around(text: str) -> str:
    """A neighbour's compact text as it is compared: numbers change from document to document, so all are one."""
    if sum(map(str.isdigit, text)) * 5 > 2 * len(text):
        return NUMBER
    return text.translate(ALIKE)


def _neighbour(page: Sheet, rows: Iterator[int], x0: float, x1: float) -> str:
    for place in rows:
        row = page.rows[place]
        for segment in row.segments:
            if segment.x0 < x1 and segment.x1 > x0:
                return around(compact(row.text[segment.start : segment.end])[:_AROUND])
    return ""


def _label(page: Sheet, piece: Piece, labels: list[list[Hit]], x0: float, x1: float) -> str:
    """The known label that the value stands beside, or under."""
    if piece.row >= len(labels):
        return ""
    before = [hit for hit in labels[piece.row] if hit.end <= piece.start]
    if before and not any(map(str.isdigit, page.rows[piece.row].text[before[-1].end : piece.start])):
        return before[-1].field
    for place in page.above(piece.row, 2, 1.5):
        row = page.rows[place]
        for hit in labels[place] if place < len(labels) else ():
            left, right = row.extent(hit.start, hit.end)
            if left < x1 and right > x0:
                return hit.field
    return ""


# The same place in another document


class Projection:
    """Tells where places of one document are in another: words that both have once show how far things moved."""

    def __init__(self, source: Sheet, target: Sheet) -> None:
        here, there = source.word_places, target.word_places
        self._moves = [
            (page, x, y, other[0], other[1] - x, other[2] - y)
            for word, ((page, x, y), *more) in here.items()
            if not more and len(there.get(word, ())) == 1
            for other in there[word]
        ]
        self.likeness = self._likeness(len(here))
        """The share of words that both documents have about where they were."""

    @property
    def shift(self) -> float:
        """How far everything moved to the right."""
        return median(move[4] for move in self._moves) if self._moves else 0.0

    def _likeness(self, words: int) -> float:
        moves = self._moves
        kept = sum(page == other and abs(dx) < 0.02 and abs(dy) < 0.02 for page, _, _, other, dx, dy in moves)
        return (kept + 0.25 * (len(moves) - kept) + 1) / (words + 1)

    def place(self, page: int, x: float, y: float) -> tuple[int, float, float]:
        near = nsmallest(
            _ANCHORS,
            [(abs(x - move[1]) + 3 * abs(y - move[2]), move) for move in self._moves if move[0] == page],
        )
        if len(near) < 3:
            return page, x, y
        pages = [move[3] for _, move in near]
        onto = max(set(pages), key=pages.count)
        moves = [move for _, move in near if move[3] == onto]
        return onto, x + median(move[4] for move in moves), y + median(move[5] for move in moves)


def nearness(dx: float, dy: float) -> float:
    """1 at the very place, about a third at half a row's distance to the side or one row up or down."""
    return exp(-((dx / 0.06) ** 2) - (dy / 0.02) ** 2)


def is_typed(kind: str) -> bool:
    return kind in (DATE, AMOUNT)

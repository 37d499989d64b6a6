"""A value that may be a field's: where it stands, how it was found, and how likely it is right."""

from __future__ import annotations

from typing import NamedTuple

from heedful.apply.documents.sheet import Piece, Sheet, Span
from heedful.records.document import Found, Value
from heedful.text.printed_values import spaced

_BESIDE = frozenset({"label", "learned"})
_WORDS, _LETTERS = 4, 40  # of a label that is quoted


class Candidate(NamedTuple):
    value: Value
    span: Span
    score: float
    """From 0 to 1, about the probability that it is right."""
    source: str = "label"

    def found(self, sheet: Sheet) -> Found:
        score = round(min(0.99, max(0.01, self.score)), 3)
        text = spaced(sheet.text(self.span))
        how = beside(sheet, self.span) if self.source in _BESIDE else ""
        return Found(self.value, score, text, sheet.page(self.span) + 1, sheet.box(self.span), self.source, how=how)


def beside(sheet: Sheet, span: Span) -> str:
    """In words: what the value stands right of, or below."""
    place, start, _ = span.pieces[0]
    row = sheet.rows[place]
    segment = row.segment_at(start)
    before = [other for other in row.segments if other.end < segment.start]
    left = row.text[segment.start : start].strip() or (row.text[before[-1].start : before[-1].end] if before else "")
    if _is_label(left):
        return f"right of “{_short(left, from_end=True)}”"
    x0, x1 = row.extent(start, span.pieces[0].end)
    for above in sheet.above(place, 2, 3.0):
        other = sheet.rows[above]
        over = [other.text[one.start : one.end] for one in other.segments if one.x0 < x1 and one.x1 > x0]
        if over:
            return f"below “{_short(over[0])}”" if _is_label(over[0]) else ""
    return ""


def _is_label(text: str) -> bool:
    """Mostly letters."""
    return 2 * sum(map(str.isalpha, text)) > len(text.replace(" ", "")) > 1


def _short(text: str, *, from_end: bool = False) -> str:
    words = text.strip(" :.-–|").split()
    return " ".join(words[-_WORDS:] if from_end else words[:_WORDS])[:_LETTERS]


def single(row: int, start: int, end: int) -> Span:
    """A span in one row."""
    return Span((Piece(row, start, end),))


def best(candidates: list[Candidate]) -> Candidate | None:
    """The candidate with the highest score, the first of equals."""
    return max(candidates, key=lambda one: one.score, default=None)

"""A value that may be a field's: where it stands, how it was found, and how likely it is right."""

from __future__ import annotations

from typing import NamedTuple

from heedful.apply.documents.sheet import Piece, Sheet, Span
from heedful.records.document import Found, Value
from heedful.text.printed_values import spaced


class Candidate(NamedTuple):
    value: Value
    span: Span
    score: float
    """From 0 to 1, about the probability that it is right."""
    source: str = "label"

    def found(self, sheet: Sheet) -> Found:
        score = round(min(0.99, max(0.01, self.score)), 3)
        text = spaced(sheet.text(self.span))
        return Found(self.value, score, text, sheet.page(self.span) + 1, sheet.box(self.span), self.source)


def single(row: int, start: int, end: int) -> Span:
    """A span in one row."""
    return Span((Piece(row, start, end),))


def best(candidates: list[Candidate]) -> Candidate | None:
    """The candidate with the highest score, the first of equals."""
    return max(candidates, key=lambda one: one.score, default=None)

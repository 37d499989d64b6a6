"""What can be seen of a page without reading it: how many tables it has, and how much of it words cover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from heedful.records.document import PageText, Word
from heedful.text.rows import rows

_COLUMNS = 3
_ROWS = 3
_GAP = 0.8  # of the height of the words: a wider gap separates columns, a narrower one words
_ALIGNED = 0.4  # of the height of the words: edges that differ by less are in line
_APART = 12  # heights: further below, a row is no longer of the same table


class _Cell(NamedTuple):
    left: float
    right: float
    text: str


class _Row(NamedTuple):
    cells: list[_Cell]
    top: float
    height: float


def table_count(page: PageText) -> int:
    """Counts runs of at least three rows with at least three columns in line, one of them of numbers.

    A first row without numbers is the heading. Rows of fewer columns in between continue a text.
    """
    return tables_in(rows(page), page)


def tables_in(page_rows: Iterable[list[Word]], page: PageText) -> int:
    """The same, for those who have the rows of the page already."""
    count = length = numeric = 0
    last: _Row | None = None
    for row in _with_columns(page_rows, page):
        matched, numbers = _in_line(last, row) if last is not None else (0, 0)
        if matched >= _COLUMNS:
            length += 1
            numeric += numbers > 0
        else:
            count += _is_table(length, numeric)
            length, numeric = 1, 0
        last = row
    return count + _is_table(length, numeric)


def coverage(pages: Sequence[PageText]) -> float:
    """The share of the area of all pages that words cover."""
    area = sum(page.width * page.height for page in pages)
    if area <= 0:
        return 0.0
    covered = sum(page.width * page.height * _covered(page.words) for page in pages)
    return round(min(covered / area, 1.0), 4)


def _covered(words: Iterable[Word]) -> float:
    return sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1, _ in words)


def _is_table(length: int, numeric: int) -> bool:
    return length >= _ROWS and numeric >= length - 2  # of `length` rows, all but the heading follow one with numbers


def _with_columns(page_rows: Iterable[list[Word]], page: PageText) -> Iterable[_Row]:
    for row in page_rows:
        if len(row) >= _COLUMNS:
            _, top, _, bottom, _ = row[0]
            cells = _cells(row, page.width, _GAP * (bottom - top) * page.height)
            if len(cells) >= _COLUMNS:
                yield _Row(cells, top * page.height, (bottom - top) * page.height)


def _cells(row: list[Word], width: float, gap: float) -> list[_Cell]:
    cells: list[_Cell] = []
    gap /= width
    left, _, right, _, text = row[0]
    for x0, _, x1, _, word in row[1:]:
        if x0 - right > gap:
            cells.append(_Cell(left * width, right * width, text))
            left, right, text = x0, x1, word
        else:
            text += word
            right = max(right, x1)
    cells.append(_Cell(left * width, right * width, text))
    return cells


def _is_numeric(text: str) -> bool:
    return 2 * sum(map(str.isdigit, text)) >= len(text)


def _in_line(above: _Row, below: _Row) -> tuple[int, int]:
    """How many cells of two rows stand below one another, and how many of them are numbers in both."""
    if below.top - above.top > _APART * above.height:
        return 0, 0
    near = _ALIGNED * min(above.height, below.height)
    matched = numeric = first = second = 0
    while first < len(above.cells) and second < len(below.cells):
        one, other = above.cells[first], below.cells[second]
        aligned = _is_aligned(one, other, near)
        matched += aligned
        numeric += aligned and _is_numeric(one.text) and _is_numeric(other.text)
        first += aligned or one.right <= other.right
        second += aligned or one.right > other.right
    return matched, numeric


def _is_aligned(one: _Cell, other: _Cell, near: float) -> bool:
    return (
        abs(one.left - other.left) <= near
        or abs(one.right - other.right) <= near
        or abs(one.left + one.right - other.left - other.right) <= 2 * near
    )

"""The lines of a document by heedful's own rules: the table under a row of column labels, or rows that multiply out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import NamedTuple

from heedful.apply.documents.candidates import Candidate, single
from heedful.apply.documents.labels import Hit, column_index, hits
from heedful.apply.documents.locating import labelled
from heedful.apply.documents.sheet import Row, Sheet, Span, sheet
from heedful.records.document import LINE_FIELDS, DocumentText
from heedful.text.printed_values import PrintedNumber, compact, plain_number, spaced

NUMERIC = frozenset({"qty", "price", "amount"})
_CORE = frozenset({"sku", "description", "qty", "price", "amount"})
_TOTALS = frozenset({"net_total", "tax_total", "grand_total"})
_HEADER_ROWS = 3
_LINES = 2_000  # of a document that are read
_GLUED = re.compile(r"(\d[\d.,]{0,12})\s?([^\W\d_]{1,10}\.?²?)")
_REACH = 0.02  # of the page's width: how far a number may stand beside its label
_NOTE = re.compile(r"\d{6}")


Product = tuple[PrintedNumber, PrintedNumber, PrintedNumber]
LITTLE = frozenset(("", "at", "a", "x", "je", "zu", "per", "op", "each", "pro", "por"))
"""Words between a description and its price."""


class Column(NamedTuple):
    """A column: the field it holds, if it is one, the extent of its label, and where its cells begin."""

    field: str | None
    x0: float
    x1: float
    left: float = 0.0


class Item(NamedTuple):
    """A line: the row that has its numbers, and its cells."""

    row: int
    cells: dict[str, Candidate]


class Header(NamedTuple):
    first: int
    last: int
    columns: list[Column]


@lru_cache(maxsize=64)
def default_lines(text: DocumentText) -> list[Item]:
    """The lines that the rules find."""
    page = sheet(text)
    header = table_header(page)
    items: list[Item] = []
    if header is not None:
        items = TableReader(page, labelled(text), header).items()
    return items or list(multiplied_rows(page))


# Column labels


def table_header(page: Sheet) -> Header | None:
    """The row of column labels with most of the known ones, together with those right below it that belong to it."""
    best: tuple[int, int] | None = None
    most = 1
    labels = [_column_hits(row) for row in page.rows[:1_500]]
    for place, found in enumerate(labels):
        core = {hit.field for hit in found} & _CORE
        if not core:
            continue
        last = _header_end(page, labels, place)
        fields = {hit.field for row in labels[place : last + 1] for hit in row} & _CORE
        if len(fields) > most or (len(fields) == most and best is not None and len(core) > most):
            best, most = (place, last), len(fields)
    if best is None:
        return None
    return Header(*best, _columns(page, labels, *best))


def _column_hits(row: Row) -> list[Hit]:
    """Column labels in a row, if it may be a header: no prose, no amounts."""
    if len(row.words) > 40 or any(one.money for one in row.numbers) or row.dates:
        return []
    found = hits(row, column_index())
    covered = sum(len(row.text[hit.start : hit.end].split()) for hit in found)
    return found if 3 * covered >= len(row.words) else []


def _header_end(page: Sheet, labels: list[list[Hit]], first: int) -> int:
    last = first
    for place in page.below(first, _HEADER_ROWS, 3.0):
        if place >= len(labels) or not labels[place]:
            break
        if page.rows[place].y0 - page.rows[place - 1].y1 > 0.9 * page.rows[place].height:
            break
        last = place
    return last


def _columns(page: Sheet, labels: list[list[Hit]], first: int, last: int) -> list[Column]:
    found: list[Column] = []
    for place in range(first, last + 1):
        row = page.rows[place]
        named = [(hit, row.extent(hit.start, hit.end)) for hit in labels[place]]
        for hit, (x0, x1) in named:
            field = hit.field if hit.field in LINE_FIELDS else None
            found.append(Column(field, x0, x1))
        for segment in row.segments:
            if not any(segment.start <= hit.start < segment.end for hit, _ in named):
                found.append(Column(None, segment.x0, segment.x1))
    return _single_columns(_merged(found))


def _merged(columns: list[Column]) -> list[Column]:
    """Labels one below the other are one column: the first that names a field decides."""
    found: list[Column] = []
    for column in sorted(columns, key=lambda one: one.x0):
        last = found[-1] if found else None
        overlap = 0.0 if last is None else min(last.x1, column.x1) - max(last.x0, column.x0)
        if (
            last is not None
            and overlap > 0.3 * min(last.x1 - last.x0, column.x1 - column.x0)
            and (last.field == column.field or not (last.field and column.field))
        ):
            found[-1] = Column(last.field or column.field, min(last.x0, column.x0), max(last.x1, column.x1))
        else:
            found.append(column)
    return found


def _single_columns(columns: list[Column]) -> list[Column]:
    """Of several columns with one label, the last amount and the first of anything else hold the field."""
    chosen: dict[str, int] = {}
    for place, column in enumerate(columns):
        if column.field is not None and (column.field == "amount" or column.field not in chosen):
            chosen[column.field] = place
    keep = set(chosen.values())
    return [column if place in keep else column._replace(field=None) for place, column in enumerate(columns)]


# Reading a table


class TableReader:
    """Reads the rows under a header."""

    def __init__(self, page: Sheet, labels: list[list[Hit]], header: Header) -> None:
        self._page = page
        self._labels = labels
        self._header = header
        self._rows = list(self._body())
        self._columns = self._placed(header.columns)
        self._stacked = header.last > header.first
        fields = {column.field for column in self._columns}
        self._key = next((field for field in ("amount", "price", "qty") if field in fields), None)
        held = {field for field in fields if field is not None} - {self._key}
        self._partners = {"qty", "price"} & held or {"sku"} & held

    def items(self) -> list[Item]:
        if self._key is None:
            return []
        found: list[Item] = []
        pending: list[int] = []
        for place in self._rows[:_LINES]:
            cells = self.cells(place)
            if self._is_item(cells) and not (self._is_total(place) and not {"qty", "price"} <= cells.keys()):
                if "description" in cells or not pending:
                    self._continue(found, pending)
                    found.append(Item(place, cells))
                else:
                    found.append(Item(place, self._together(place, cells, pending)))
                pending = []
            elif self._is_total(place):
                self._continue(found, pending)
                pending = []
            else:
                pending.append(place)
        self._continue(found, pending)
        return found

    # Rows

    def _body(self) -> Iterator[int]:
        """The rows of the table: to the totals, on the next pages from the same header or from the top."""
        texts = [row.lookalike for row in self._page.rows[self._header.first : self._header.last + 1]]
        ended = True
        for place, row in enumerate(self._page.rows):
            if _is_one_of(row.lookalike, texts):
                ended = False
                continue
            if not ended and self._ends(place):
                ended = True
            if not ended:
                yield place

    def _ends(self, place: int) -> bool:
        """A row with the tax or the gross total is the end, or one with the labels of several totals."""
        if place >= len(self._labels):
            return False
        named = {hit.field for hit in self._labels[place] if hit.field in _TOTALS}
        row = self._page.rows[place]
        if len(named) > 1 and (len(row.segments) > 2 or not row.numbers):
            return True
        money = [one for one in row.numbers if one.money]
        return len(money) == 1 and any(
            hit.field in ("tax_total", "grand_total") and self._first(place, hit) for hit in self._labels[place]
        )

    def _first(self, place: int, hit: Hit) -> bool:
        """It begins the row; before the name of a tax may stand its rate."""
        return (hit.opening or hit.field == "tax_total") and self._page.rows[place].word_at(hit.start) <= 3

    def _is_total(self, place: int) -> bool:
        return place < len(self._labels) and any(
            hit.field in _TOTALS and self._first(place, hit) for hit in self._labels[place]
        )

    # Columns

    def _placed(self, columns: list[Column]) -> list[Column]:
        """Where the cells of each column begin: numbers and texts may begin left of their label."""
        rows = [self._page.rows[place] for place in self._rows[:120]]
        rows = [row for row in rows if any(one.money for one in row.numbers) and len(row.numbers) > 1]
        found: list[Column] = []
        for at, column in enumerate(columns):
            before = columns[at - 1].x1 if at else 0.0
            after = columns[at + 1].x0 if at + 1 < len(columns) else 1.0
            starts = [x0 for row in rows for x0 in _cell_starts(row, column, before, after)]
            found.append(column._replace(left=min([column.x0, *_supported(starts)]) - 0.003))
        return sorted(found, key=lambda one: one.left)

    def cells(self, place: int) -> dict[str, Candidate]:
        row = self._page.rows[place]
        words: dict[int, list[int]] = {}
        for at, word in enumerate(row.words):
            words.setdefault(self._column_of(word.x0, word.x1, word.text), []).append(at)
        cells: dict[str, Candidate] = {}
        for column, members in words.items():
            field = self._columns[column].field if column >= 0 else None
            if field is not None:
                start, end = row.starts[members[0]], row.starts[members[-1]] + len(row.words[members[-1]].text)
                cells.update(cell(self._page, field, place, start, end))
        return cells

    def _column_of(self, x0: float, x1: float, text: str) -> int:
        """The last column that begins before the middle of a word; among columns that overlap, by what they hold."""
        middle = (x0 + x1) / 2
        chosen = -1
        if self._stacked and _plain_number(text):
            for at, column in enumerate(self._columns):
                if column.field in NUMERIC and column.left - 0.01 <= middle <= column.x1 + 0.01:
                    return at
        for at, column in enumerate(self._columns):
            if column.left <= middle:
                chosen = at
        if chosen > 0 and self._columns[chosen].field in NUMERIC and not any(map(str.isdigit, text)):
            before = self._columns[chosen - 1]
            if before.field == "description" and x1 < self._columns[chosen].x0 - 0.01:
                return chosen - 1
        return chosen

    # Items

    def _is_item(self, cells: Mapping[str, Candidate]) -> bool:
        key = cells.get(self._key or "")
        if key is None or not self._stands_alone(key):
            return False
        return not self._partners or bool(self._partners & cells.keys())

    def _stands_alone(self, key: Candidate) -> bool:
        """An amount of money, or a number that no other words stand beside: prose has numbers, too."""
        piece = key.span.pieces[0]
        row = self._page.rows[piece.row]
        if any(one.start == piece.start and one.money for one in row.numbers):
            return len(row.segments) > 1
        segment = row.segment_at(piece.start)
        return not compact(row.text[segment.start : piece.start])

    def _continue(self, found: list[Item], pending: list[int]) -> None:
        """Adds rows of description to the line above them, until there is a gap or a note."""
        if not found or not pending:
            return
        item = found[-1]
        description = item.cells.get("description")
        if description is None:
            return
        last = item.row
        for place in pending:
            row, before = self._page.rows[place], self._page.rows[last]
            text = self.cells(place)
            more = text.get("description")
            if row.page != before.page or row.y0 - before.y1 > 0.7 * max(row.height, before.height):
                break
            if more is None or text.keys() - {"description"} or is_note(str(more.value)):
                break
            description = joined(description, more)
            last = place
        item.cells["description"] = description

    def _together(self, place: int, cells: dict[str, Candidate], pending: list[int]) -> dict[str, Candidate]:
        """The numbers stand under the text of their line: the rows in between belong to it."""
        made: dict[str, Candidate] = {}
        for above in pending:
            row = self._page.rows[above]
            if row.page != self._page.rows[place].page:
                continue
            for field, candidate in self.cells(above).items():
                if field in ("sku", "description", "date", "uom"):
                    made.setdefault(field, candidate)
        return {**made, **cells}


def _cell_starts(row: Row, column: Column, before: float, after: float) -> Iterator[float]:
    """Where texts that stand under a label begin, if they do not reach under its neighbours."""
    if column.field in NUMERIC or column.field is None:
        for one in row.numbers:
            x0, x1 = row.extent(one.start, one.end)
            if (
                x0 < column.x1 + _REACH
                and x1 > column.x0 - _REACH
                and x0 > before
                and x1 < max(after, column.x1 + _REACH)
            ):
                yield x0
        return
    for segment in row.segments:
        if segment.x0 < column.x1 and segment.x1 > column.x0 and segment.x0 > before:
            yield segment.x0


def _is_one_of(text: str, known: Sequence[str]) -> bool:
    """The text is one of those, perhaps misread in places."""
    if text in known:
        return True
    alike = [other for other in known if len(other) > 12 and abs(len(other) - len(text)) <= 3]
    if not alike:
        return False
    from rapidfuzz.fuzz import ratio  # slow to import

    return any(ratio(text, other) > 82 for other in alike)


def _supported(starts: list[float]) -> list[float]:
    """Without those that stand apart from all others."""
    if len(starts) < 3:
        return starts
    ordered = sorted(starts)
    return [
        one
        for at, one in enumerate(ordered)
        if (at + 1 < len(ordered) and ordered[at + 1] - one < 0.04) or (at and one - ordered[at - 1] < 0.04)
    ]


def _plain_number(text: str) -> bool:
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def is_note(text: str) -> bool:
    """A remark under a line and no part of its description: a label with a number."""
    return ":" in text or _NOTE.search(text) is not None


def joined(one: Candidate, other: Candidate) -> Candidate:
    span = Span((*one.span.pieces, *other.span.pieces))
    first = str(one.value)
    return one._replace(value=spaced(f"{first} {other.value}"), span=span)


def cell(page: Sheet, field: str, place: int, start: int, end: int, decimal: str | None = None) -> dict[str, Candidate]:
    """The value of a cell; a unit beside a quantity is a cell of its own."""
    row = page.rows[place]
    text = row.text[start:end]
    if field == "date":
        shown = next((one for one in row.dates if start <= one.start < end), None)
        if shown is None:
            return {}
        return {field: Candidate(shown.read(day_first=page.day_first), single(place, shown.start, shown.end), 0.8)}
    if field in NUMERIC:
        return _number_cell(page, field, place, start, end, page.decimal if decimal is None else decimal)
    text = spaced(text).strip(" |;€$£")
    if not compact(text):
        return {}
    return {field: Candidate(text, single(place, start, end), 0.8)}


def _number_cell(page: Sheet, field: str, place: int, start: int, end: int, decimal: str) -> dict[str, Candidate]:
    row = page.rows[place]
    inside = [one for one in row.numbers if start <= one.start and one.end <= end and not _is_rate(row, one)]
    if not inside:
        glued = _GLUED.fullmatch(row.text[start:end].strip()) if field == "qty" else None
        if glued is None:
            return {}
        begin = start + row.text[start:end].index(glued.group(1))
        number = PrintedNumber(begin, begin + len(glued.group(1)), glued.group(1), negative=False, money=False)
    else:
        money = [one for one in inside if one.money]
        number = inside[0] if field == "qty" else (money or inside)[-1]
    value = plain_number(number.read(decimal))
    found = {field: Candidate(value, single(place, number.start, number.end), 0.82)}
    unit = row.text[number.end : end].strip()
    if field == "qty" and unit and unit[0].isalpha() and len(unit) <= 10 and not any(map(str.isdigit, unit)):
        begin = row.text.index(unit, number.end)
        found["uom"] = Candidate(unit, single(place, begin, begin + len(unit)), 0.75)
    return found


def _is_rate(row: Row, number: PrintedNumber) -> bool:
    return row.text[number.end : number.end + 2].lstrip().startswith("%")


# Without column labels


def multiplied_rows(page: Sheet) -> Iterator[Item]:
    """Rows where a quantity times a price is the amount, all in the same places."""
    rows = [(place, found) for place, row in enumerate(page.rows[:_LINES]) if (found := list(_products(page, row)))]
    if not rows:
        return
    clear = [(place, found[0]) for place, found in rows if len(found) == 1] or [
        (place, found[0]) for place, found in rows
    ]
    edges = [median(page.rows[place].extent(one[at].start, one[at].end)[1] for place, one in clear) for at in range(3)]
    ends = {place for place, _ in rows}
    for place, found in rows:
        distance, numbers = min((_distance(page.rows[place], one, edges), one) for one in found)
        if distance < 0.06:
            yield Item(place, _free_cells(page, place, numbers, ends))


def _distance(row: Row, numbers: Product, edges: list[float]) -> float:
    return max(abs(row.extent(one.start, one.end)[1] - edge) for one, edge in zip(numbers, edges, strict=True))


def _products(page: Sheet, row: Row) -> Iterator[Product]:
    shown = row.numbers[-8:]
    if len(shown) < 3 or not shown[-1].money:
        return
    rates = [one.read(page.decimal) for one in shown if _is_rate(row, one)]
    shown = [one for one in shown if not _is_rate(row, one)]
    values = [one.read(page.decimal) for one in shown]
    amount = values[-1]
    for second in range(len(shown) - 2, 0, -1):
        for first in range(second - 1, -1, -1):
            if _multiplies(values[first], values[second], amount, rates):
                one, other = shown[first], shown[second]
                if other.money or not one.money:
                    yield one, other, shown[-1]
                else:
                    yield other, one, shown[-1]


def _multiplies(quantity: float, price: float, amount: float, rates: Sequence[float]) -> bool:
    """Quantity times price is the amount, perhaps less a discount."""
    if not (amount and quantity and price):
        return False
    return any(
        abs(quantity * price * (1 - rate / 100) - amount) < 0.006 * max(1.0, abs(quantity))
        for rate in (0.0, *rates[:3])
    )


def _free_cells(page: Sheet, place: int, numbers: Product, ends: set[int]) -> dict[str, Candidate]:
    row = page.rows[place]
    cells: dict[str, Candidate] = {}
    for field, one in zip(("qty", "price", "amount"), numbers, strict=True):
        cells[field] = Candidate(plain_number(one.read(page.decimal)), single(place, one.start, one.end), 0.8, "shape")
    runs = _free_runs(row, numbers)
    first, last = numbers[0].end, row.segment_at(numbers[0].start).end
    unit = row.text[first:last].split()[:1]
    if unit and unit[0].isalpha() and len(unit[0]) <= 5:
        begin = row.text.index(unit[0], first)
        cells["uom"] = Candidate(unit[0], single(place, begin, begin + len(unit[0])), 0.6, "shape")
        runs = [(start, end) for start, end in runs if start != begin]
    if not runs:
        return cells
    start, end = max(runs, key=lambda one: one[1] - one[0])
    description = Candidate(spaced(row.text[start:end]), single(place, start, end), 0.6, "shape")
    cells["description"] = _wrapped(page, place, description, ends)
    for begin, finish in runs:
        text = row.text[begin:finish]
        if (
            begin != start
            and any(map(str.isdigit, text))
            and len(text) > 2
            and " " not in text
            and text[-1] not in ")."
        ):
            cells["sku"] = Candidate(text, single(place, begin, finish), 0.6, "shape")
            break
    return cells


def _free_runs(row: Row, numbers: Product) -> list[tuple[int, int]]:
    """The texts between the numbers, without the little words before a price."""
    taken = sorted((one.start, one.end) for one in numbers)
    runs = []
    for segment in row.segments:
        start = segment.start
        for begin, finish in [
            *((a, b) for a, b in taken if segment.start <= a < segment.end),
            (segment.end, segment.end),
        ]:
            text = row.text[start:begin].rstrip(" €$£:")
            words = text.split(" ")
            while words and compact(words[-1]) in LITTLE:
                words.pop()
            text = " ".join(words)
            if len(compact(text)) > 1:
                lead = len(text) - len(text.lstrip())
                runs.append((start + lead, start + len(text)))
            start = finish
    return runs


def _wrapped(page: Sheet, place: int, description: Candidate, ends: set[int]) -> Candidate:
    """With the rows below that begin where it begins."""
    x0, _ = page.rows[place].extent(*description.span.pieces[0][1:])
    for below in page.below(place, 3, 0.8):
        row = page.rows[below]
        under = row.segments[0]
        if below in ends or len(row.segments) > 1 or abs(under.x0 - x0) > 0.015 or is_note(row.text):
            break
        if row.y0 - page.rows[below - 1].y1 > 0.8 * row.height:
            break
        description = joined(description, Candidate(row.text, single(below, under.start, under.end), 0.6))
    return description

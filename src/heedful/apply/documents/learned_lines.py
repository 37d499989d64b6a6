"""Lines of a layout that people corrected: the columns, rows and notes of the examples, found again.

The lines that people left in an example are located on its page. That shows where each field stands, which rows are
lines and which are not, and how numbers are read. It is used where it gets the examples better than the rules do.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from statistics import median
from typing import NamedTuple

from heedful.apply.documents.candidates import Candidate, single
from heedful.apply.documents.lines import LITTLE, NUMERIC, Item, cell, default_lines, is_note, joined
from heedful.apply.documents.locating import NUMBER, Projection
from heedful.apply.documents.matching import likeness
from heedful.apply.documents.sheet import Row, Sheet, sheet
from heedful.records.document import REMOVED, DocumentText, Example, Found, Value
from heedful.text.printed_values import DATE, compact, kind_of, number, same, spaced

_NEAR_ROWS = 3  # above and below a line's numbers, where its other cells may be
_EDGE = 0.018  # of the page's width: cells whose edges are closer are in one column
_ALIGNED = 0.004  # texts whose beginnings differ by less are aligned
_TEACHING = 4
_AS_LIKE = 0.75
_ALWAYS = 0.9  # of the lines have it: a row without it is no line
_SIGNATURE = 14  # letters by which a row that is no line is known again
_BEGINNING = 10  # letters of a description by which it is found


class Place(NamedTuple):
    """Where a cell stands, seen from the row with the line's numbers."""

    offset: int
    x0: float
    x1: float
    prefix: str
    """What stands before it in its segment."""


class Located(NamedTuple):
    """A line of an example on its page: its row, and the places where each of its values may stand."""

    row: int
    places: dict[str, list[Place]]


class LearnedColumn(NamedTuple):
    """The column of a field."""

    field: str
    offset: int
    x0: float
    x1: float
    edge: float
    share: float
    """Of the lines that have it."""
    prefix: str
    decimal: str | None


class Table(NamedTuple):
    """What the examples show about the table."""

    lanes: dict[str, LearnedColumn]
    required: tuple[str, ...]
    excluded: frozenset[str]
    notes: frozenset[str]
    joins: bool
    """Descriptions go on in the next row."""


# Locating


def located(page: Sheet, lines: Sequence[Mapping[str, Value | None]]) -> list[Located | None]:
    """Each line on the page, top to bottom; None where it is not printed."""
    found: list[Located | None] = []
    used: set[int] = set()
    previous = -1
    for line in lines:
        ranked = [
            (points, -abs(place - previous - 1), place)
            for place, points in _matching_rows(page, line)
            if place not in used
        ]
        if not ranked:
            found.append(None)
            continue
        row = max(ranked)[2]
        used.add(row)
        previous = row
        found.append(Located(row, _places(page, row, line)))
    return found


def _matching_rows(page: Sheet, line: Mapping[str, Value | None]) -> Iterator[tuple[int, float]]:
    numbers = [float(value) for field, value in line.items() if field in NUMERIC and isinstance(value, int | float)]
    texts = [compact(str(line[field]))[:_BEGINNING] for field in ("sku", "description") if line.get(field)]
    for place, row in enumerate(page.rows):
        points = 0.0
        if numbers and row.numbers:
            values = [shown for one in row.numbers for shown in readings(one.digits)]
            points += sum(any(abs(abs(value) - shown) < 0.005 for shown in values) for value in numbers)
        if points or not numbers:
            points += 0.6 * sum(bool(text) and text in row.compact for text in texts)
        if points >= (1.5 if len(numbers) > 1 else 1.0 if numbers else 0.5):
            yield place, points


def readings(digits: str) -> set[float]:
    """The values that printed digits may have."""
    return {number(digits, decimal) for decimal in ("", ",", ".")}


def _places(page: Sheet, row: int, line: Mapping[str, Value | None]) -> dict[str, list[Place]]:
    first, last = max(0, row - _NEAR_ROWS), min(len(page.rows), row + _NEAR_ROWS + 1)
    near = [at for at in range(first, last) if page.rows[at].page == page.rows[row].page]
    found: dict[str, list[Place]] = {}
    for field, value in line.items():
        if value is None or value == "":
            continue
        places = [
            _place(page.rows[at], at - row, start, end)
            for at in near
            for start, end in _cells_with(page.rows[at], field, value)
        ]
        places.sort(key=lambda one: abs(one.offset))
        found[field] = places
    return found


def _place(row: Row, offset: int, start: int, end: int) -> Place:
    x0, x1 = row.extent(start, end)
    segment = row.segment_at(start)
    return Place(offset, x0, x1, compact(row.text[segment.start : start]))


def _cells_with(row: Row, field: str, value: Value) -> Iterator[tuple[int, int]]:
    """The parts of a row that have the value; of a long text, its beginning."""
    if isinstance(value, int | float):
        for one in row.numbers:
            if any(abs(abs(value) - shown) < 0.005 for shown in readings(one.digits)):
                yield one.start, one.end
    elif kind_of(field, value) == DATE:
        yield from ((one.start, one.end) for one in row.dates if value in (one.day_first, one.month_first))
    else:
        wanted = compact(value)
        whole = row.compact.find(wanted)
        if whole < 0 and len(wanted) > _BEGINNING:
            wanted = wanted[:_BEGINNING]
            whole = row.compact.find(wanted)
        while whole >= 0 and wanted:
            start, end = row.places[whole], row.places[whole + len(wanted) - 1] + 1
            if start == 0 or not row.text[start - 1].isalnum():
                yield start, end
            whole = row.compact.find(wanted, whole + len(wanted))


# Learning


class Lesson(NamedTuple):
    """An example's lines, and how far its page is shifted against the one that is read."""

    page: Sheet
    lines: Sequence[Mapping[str, Value | None]]
    places: list[Located | None]
    shift: float


def table(lessons: Sequence[Lesson]) -> Table | None:
    """What the lines of the examples have in common."""
    total = sum(len(lesson.lines) for lesson in lessons)
    if not total:
        return None
    lanes: dict[str, LearnedColumn] = {}
    fields = dict.fromkeys(field for lesson in lessons for line in lesson.lines for field in line)
    for field in fields:
        lane = _lane(field, lessons)
        if lane is not None:
            lanes[field] = lane
    beside = {field: lane for field, lane in lanes.items() if not lane.offset}
    required: list[str] = [one for one in ("amount", "price", "qty") if one in beside and beside[one].share >= _ALWAYS]
    if not required:
        required.extend([field for field in ("sku", "description") if field in beside][:1])
    if not required:
        return None
    made = Table(lanes, tuple(required), frozenset(), frozenset(), joins=True)
    return made._replace(
        excluded=frozenset(_left_out(made, lessons)),
        notes=frozenset(_notes(made, lessons)),
        joins=_joins(made, lessons),
    )


def _lane(field: str, lessons: Sequence[Lesson]) -> LearnedColumn | None:
    """The column where most lines have the field's value."""
    shown = [(lesson, line, places) for lesson in lessons
             for line, places in zip(lesson.lines, lesson.places, strict=True) if places is not None
             if line.get(field) not in (None, "")]  # fmt: skip
    lines = sum(place is not None for lesson in lessons for place in lesson.places)
    groups: dict[tuple[int, float], list[tuple[Place, float]]] = defaultdict(list)
    right = field in NUMERIC
    for lesson, _, line_places in shown:
        seen = set()
        for place in line_places.places.get(field, []):
            edge = (place.x1 if right else place.x0) + lesson.shift
            key = next(
                (known for known in groups if known[0] == place.offset and abs(known[1] - edge) < _EDGE),
                (place.offset, edge),
            )
            if key not in seen:
                seen.add(key)
                groups[key].append((place, lesson.shift))
    if not groups or not lines:
        return None
    ranked = sorted(groups.items(), key=lambda one: (-len(one[1]), abs(one[0][0]), one[0][1]))
    (offset, _), members = ranked[0]
    if len(members) < 0.5 * len(shown):
        return None
    prefixes = Counter(place.prefix for place, _ in members)
    starts = [place.x0 + moved for place, moved in members]
    loose = max(starts) - min(starts) > _ALIGNED
    if field == "uom" and loose and sum(prefix.isdigit() for prefix in prefixes.elements()) > 0.5 * len(members):
        return LearnedColumn(field, ranked[0][0][0], 1.0, 1.0, 1.0, len(members) / lines, NUMBER, None)
    prefix, times = prefixes.most_common(1)[0]
    return LearnedColumn(
        field,
        offset,
        min(starts),
        max(place.x1 + moved for place, moved in members),
        median((place.x1 if right else place.x0) + moved for place, moved in members),
        len(members) / lines,
        prefix if times >= 0.6 * len(members) and not any(map(str.isdigit, prefix)) else "",
        _decimal(field, shown),
    )


def _decimal(field: str, shown: Sequence[tuple[Lesson, Mapping[str, Value | None], Located]]) -> str | None:
    """The decimal sign with which the printed numbers are what people left, if it is not that of the document."""
    if field not in NUMERIC:
        return None
    votes: Counter[str] = Counter()
    for lesson, line, place in shown:
        value = line[field]
        for one in lesson.page.rows[place.row].numbers if isinstance(value, int | float) else ():
            for sign in (",", "."):
                if _reads(one.digits, sign, float(value or 0)) and not _reads(
                    one.digits, lesson.page.decimal, float(value or 0)
                ):
                    votes[sign] += 1
    return votes.most_common(1)[0][0] if votes else None


def _reads(digits: str, decimal: str, value: float) -> bool:
    return abs(number(digits, decimal) - abs(value)) < 0.005


def _left_out(made: Table, lessons: Sequence[Lesson]) -> Iterator[str]:
    """Rows that look like lines and are none."""
    for lesson in lessons:
        lines = {place.row for place in lesson.places if place is not None}
        moved = _moved(made, -lesson.shift)
        for place in range(len(lesson.page.rows)):
            if place not in lines and _has_required(lesson.page, place, moved):
                yield signature(lesson.page.rows[place])


def signature(row: Row) -> str:
    """The letters of a row, by which it is known again whatever its numbers are."""
    return "".join(filter(str.isalpha, row.compact))[:_SIGNATURE]


def _notes(made: Table, lessons: Sequence[Lesson]) -> Iterator[str]:
    """Rows under a description that are no part of it."""
    for lesson in lessons:
        moved = _moved(made, -lesson.shift)
        for line, place in zip(lesson.lines, lesson.places, strict=True):
            if place is None or "description" not in moved.lanes:
                continue
            wanted = compact(str(line.get("description") or ""))
            for row in _rows_below_description(lesson.page, place.row, moved):
                text = lesson.page.rows[row].compact
                if text and text[:_BEGINNING] not in wanted:
                    yield signature(lesson.page.rows[row])


def _joins(made: Table, lessons: Sequence[Lesson]) -> bool:
    """Some description goes on in the next row, or none had a next row."""
    continued = missed = 0
    for lesson in lessons:
        moved = _moved(made, -lesson.shift)
        for line, place in zip(lesson.lines, lesson.places, strict=True):
            if place is None or "description" not in moved.lanes:
                continue
            wanted = compact(str(line.get("description") or ""))
            for row in _rows_below_description(lesson.page, place.row, moved):
                text = lesson.page.rows[row].compact
                if text and text[:_BEGINNING] in wanted:
                    continued += 1
                elif not is_note(lesson.page.rows[row].text):
                    missed += 1
    return continued > 0 or missed == 0


def _moved(made: Table, shift: float) -> Table:
    if abs(shift) < 0.0005:
        return made
    lanes = {
        field: lane._replace(x0=lane.x0 + shift, x1=lane.x1 + shift, edge=lane.edge + shift)
        for field, lane in made.lanes.items()
    }
    return made._replace(lanes=lanes)


# Reading


def items(page: Sheet, made: Table) -> list[Item]:
    """The rows of a page that are lines as in the examples."""
    rows = [
        place
        for place in range(len(page.rows))
        if _has_required(page, place, made) and not _is_excluded(signature(page.rows[place]), made.excluded)
    ]
    lines = set(rows)
    return [Item(place, cells_at(page, place, made, lines)) for place in rows]


def _is_excluded(text: str, excluded: frozenset[str]) -> bool:
    return any(
        text == other or (len(text) > 4 and len(other) > 4 and likeness(text, other) > 0.85) for other in excluded
    )


def _has_required(page: Sheet, place: int, made: Table) -> bool:
    row = page.rows[place]
    for field in made.required:
        lane = made.lanes[field]
        if field in NUMERIC:
            if _number_in(row, lane) is None:
                return False
        elif not any(abs(segment.x0 - lane.x0) < _EDGE for segment in row.segments):
            return False
    return True


def _number_in(row: Row, lane: LearnedColumn) -> tuple[int, int] | None:
    near = []
    for one in row.numbers:
        x0, x1 = row.extent(one.start, one.end)
        distance = abs(x1 - lane.edge)
        if distance < _EDGE or (x0 >= lane.x0 - 0.01 and x1 <= lane.x1 + 0.01):
            near.append((distance, one.start, one.end))
    return min(near)[1:] if near else None


def cells_at(page: Sheet, place: int, made: Table, lines: set[int]) -> dict[str, Candidate]:
    found: dict[str, Candidate] = {}
    for lane in made.lanes.values():
        at = place + lane.offset
        if not (0 <= at < len(page.rows)) or page.rows[at].page != page.rows[place].page:
            continue
        for name, candidate in _lane_cell(page, at, lane, made).items():
            found.setdefault(name, candidate)
    if "description" in found and made.joins:
        for row in _rows_below_description(page, place, made, lines):
            if is_note(page.rows[row].text) or _is_excluded(signature(page.rows[row]), made.notes):
                break
            text = _text_in(page.rows[row], made.lanes["description"], _right_border(made, made.lanes["description"]))
            if text is None:
                break
            more = Candidate(spaced(page.rows[row].text[slice(*text)]), single(row, *text), 0.8)
            found["description"] = joined(found["description"], more)
    return {field: one._replace(source="learned") for field, one in found.items()}


def _lane_cell(page: Sheet, at: int, lane: LearnedColumn, made: Table) -> dict[str, Candidate]:
    row = page.rows[at]
    if lane.prefix == NUMBER:
        return _unit(page, at, made)
    if lane.field in NUMERIC:
        bounds = _number_in(row, lane)
        if bounds is None:
            return {}
        end = row.segment_at(bounds[0]).end if lane.field == "qty" and "uom" not in made.lanes else bounds[1]
        return cell(page, lane.field, at, bounds[0], end, lane.decimal)
    if kind_of(lane.field) == DATE:
        return next((cell(page, "date", at, one.start, one.end) for one in row.dates
                     if abs(row.extent(one.start, one.end)[0] - lane.x0) < 2 * _EDGE), {})  # fmt: skip
    text = _text_in(row, lane, _right_border(made, lane))
    if text is None:
        return {}
    return {lane.field: Candidate(spaced(row.text[slice(*text)]), single(at, *text), 0.85)}


def _unit(page: Sheet, at: int, made: Table) -> dict[str, Candidate]:
    """A unit that stands beside its quantity: the word after the number."""
    row = page.rows[at]
    bounds = _number_in(row, made.lanes["qty"]) if "qty" in made.lanes else None
    words = [] if bounds is None else row.text[bounds[1] :].split()
    if bounds is None or not words or words[0][0].isdigit():
        return {}
    start = row.text.index(words[0], bounds[1])
    return {"uom": Candidate(words[0], single(at, start, start + len(words[0])), 0.85)}


def _right_border(made: Table, lane: LearnedColumn) -> float:
    """Where the next column of the same row begins."""
    after = [other.x0 for other in made.lanes.values() if other.offset == lane.offset and other.x0 > lane.edge + 0.01]
    return min(after, default=1.0) - 0.002


def _text_in(row: Row, lane: LearnedColumn, border: float) -> tuple[int, int] | None:
    """The text of a cell: from its column's edge, or after its label, to the end of its segment or the next column."""
    if lane.prefix:
        at = row.compact.find(lane.prefix)
        if at < 0 or at + len(lane.prefix) >= len(row.places):
            return None
        start = row.places[at + len(lane.prefix)]
        return start, row.segment_at(start).end
    first = next((at for at, word in enumerate(row.words) if abs(word.x0 - lane.edge) < _EDGE), None)
    if first is None:
        return None
    last = first
    for at in range(first + 1, len(row.words)):
        word = row.words[at]
        gap = word.x0 - row.words[at - 1].x1
        if (
            word.x0 + min(0.01, (word.x1 - word.x0) / 2) > border
            or gap > 2.5 * row.em
            or (lane.field in ("sku", "uom") and gap > 0.9 * row.em)
        ):
            break
        last = at
    while last > first and compact(row.words[last].text) in LITTLE:
        last -= 1
    return row.starts[first], row.starts[last] + len(row.words[last].text)


def _rows_below_description(page: Sheet, place: int, made: Table, lines: set[int] | None = None) -> Iterator[int]:
    """The rows under a description that begin where it begins, up to a gap or the next line."""
    lane = made.lanes["description"]
    offsets = {one.offset for one in made.lanes.values()}
    start = place + lane.offset
    if not 0 <= start < len(page.rows):
        return
    last = start
    for below in page.below(start, 5, 6.0):
        row, before = page.rows[below], page.rows[last]
        taken = below - place in offsets and below != start
        if taken or (lines is not None and (below in lines or below - min(offsets) in lines)):
            return
        if row.y0 - before.y1 > 0.9 * max(row.height, before.height) or len(row.segments) > 1:
            return
        if abs(row.segments[0].x0 - lane.edge) > _EDGE:
            return
        yield below
        last = below


# Choosing


class LineLearning:
    """Reads the lines of a document by the rules or as in the examples, whichever gets the examples better."""

    def __init__(self, text: DocumentText, examples: Sequence[Example]) -> None:
        self._text = text
        self._page = sheet(text)
        self._examples = [one for one in examples if one.lines or _taught(one)][:_TEACHING]

    def lines(self) -> tuple[dict[str, Found], ...]:
        default = default_lines(self._text)
        return tuple(self._found(item) for item in self._items(default))

    def _items(self, default: list[Item]) -> list[Item]:
        if not self._examples:
            return default
        if not any(example.lines for example in self._examples):
            return []
        made = table(self._lessons(self._examples, self._page))
        if made is None:
            return default
        taught = items(self._page, made)
        lost = not self._is_complete(default) and len(taught) >= len(default)
        if lost or (self._rules.perfect and _has_more(taught, default)):
            return self._completed(default, taught)
        return default if self._rules.perfect else self._chosen(default, taught, made)

    def _is_complete(self, default: list[Item]) -> bool:
        """The rules found lines with all the fields that the lines of the examples have."""
        lines = [line for example in self._examples for line in example.lines]
        usual = [field for field in {field for line in lines for field in line}
                 if sum(line.get(field) is not None for line in lines) >= _ALWAYS * len(lines)]  # fmt: skip
        usual = [field for field in usual if self._rules.field(field) == 1]
        return bool(default) and all(
            sum(field in item.cells for item in default) >= _ALWAYS * len(default) for field in usual
        )

    def _completed(self, default: list[Item], taught: list[Item]) -> list[Item]:
        """As in the examples, because the rules lost a column or the whole table: a label was misread."""
        by_rules = {item.row: item.cells for item in default}
        return [Item(item.row, {**by_rules.get(item.row, {}), **item.cells}) for item in taught]

    def _chosen(self, default: list[Item], taught: list[Item], made: Table) -> list[Item]:
        rules, learned = self._rules, self._learned()
        rows = taught if learned.rows > rules.rows and taught else default or taught
        by_rules = {item.row: item.cells for item in default}
        by_examples = {item.row: item.cells for item in taught}
        lines = {item.row for item in rows}
        found = []
        for item in rows:
            one, other = by_rules.get(item.row), by_examples.get(item.row)
            if other is None:
                other = cells_at(self._page, item.row, made, lines)
            found.append(Item(item.row, dict(other) if one is None else _mixed(one, other, rules, learned)))
        return found

    @cached_property
    def _rules(self) -> Trial:
        """How well the rules get the lines of the examples."""
        trial = Trial()
        for example in self._examples:
            trial.add(example, located_lines(example), default_lines(example.text), _weight(example))
        return trial

    def _learned(self) -> Trial:
        """How well each example's lines are got from the others; a single one can only be tried on itself."""
        trial = Trial()
        for example in self._examples:
            page = sheet(example.text)
            made = table(self._lessons([one for one in self._examples if one is not example] or [example], page))
            trial.add(example, located_lines(example), [] if made is None else items(page, made), _weight(example))
        return trial

    def _lessons(self, examples: Iterable[Example], onto: Sheet) -> list[Lesson]:
        """Of the examples that look most like the page: a layout that was changed has older ones that do not."""
        made = []
        for one in examples:
            page = sheet(one.text)
            projection = Projection(page, onto)
            moved = 0.0 if page is onto else projection.shift
            made.append((projection.likeness, Lesson(page, one.lines, located_lines(one), moved)))
        least = _AS_LIKE * max(likeness for likeness, _ in made)
        return [lesson for likeness, lesson in made if likeness >= least]

    def _found(self, item: Item) -> dict[str, Found]:
        checked = _checked(item.cells)
        found = {}
        for field, one in item.cells.items():
            made = one._replace(score=checked.get(field, one.score)).found(self._page)
            found[field] = replace(made, taught_by=self._taught_by(field)) if one.source == "learned" else made
        return found

    def _taught_by(self, field: str) -> tuple[str, ...]:
        names = (f"lines.{field}", f"lines.{REMOVED}")
        ids = [one.taught[name] for one in self._examples for name in names if name in one.taught]
        return tuple(dict.fromkeys(ids))


class Trial:
    """How often rows and fields came out right."""

    def __init__(self) -> None:
        self._rows: Counter[bool] = Counter()
        self._fields: dict[str, Counter[bool]] = defaultdict(Counter)

    def add(self, example: Example, places: list[Located | None], found: Sequence[Item], weight: float) -> None:
        by_row = {item.row: item.cells for item in found}
        rows = {place.row for place in places if place is not None}
        for line, place in zip(example.lines, places, strict=True):
            cells = None if place is None else by_row.get(place.row)
            self._rows[cells is not None] += 1
            if cells is not None:
                for field in {**line, **cells}:
                    one = cells.get(field)
                    right = same(None if one is None else one.value, line.get(field))
                    self._fields[field][right] += round(10 * weight)
        self._rows[False] += sum(row not in rows for row in by_row)

    @property
    def rows(self) -> float:
        total = self._rows.total()
        return self._rows[True] / total if total else 0.0

    @property
    def perfect(self) -> bool:
        return self.rows == 1 and all(not counts[False] for counts in self._fields.values())

    def field(self, name: str) -> float:
        total = self._fields[name].total()
        return self._fields[name][True] / total if total else 0.0


def _mixed(
    one: Mapping[str, Candidate], other: Mapping[str, Candidate], rules: Trial, learned: Trial
) -> dict[str, Candidate]:
    """Each field from whoever gets it better; of equals, from the rules."""
    found = {}
    for field in {**one, **other}:
        chosen = other if learned.field(field) > rules.field(field) else one
        if field in chosen:
            found[field] = chosen[field]
    return found


def _has_more(taught: Sequence[Item], default: Sequence[Item]) -> bool:
    """All the lines of the rules, and others that multiply out."""
    known = {item.row for item in default}
    more = [item for item in taught if item.row not in known]
    return bool(more) and known <= {item.row for item in taught} and all(_checked(item.cells) for item in more)


def _checked(cells: Mapping[str, Candidate]) -> dict[str, float]:
    """Numbers that multiply out are right."""
    values = [cells[field].value if field in cells else None for field in ("qty", "price", "amount")]
    if all(isinstance(value, int | float) for value in values):
        quantity, price, amount = (float(value) for value in values if value is not None)
        if amount and abs(quantity * price - amount) < 0.006 * max(1.0, abs(quantity)):
            return dict.fromkeys(("qty", "price", "amount"), 0.96)
    return {}


def _taught(example: Example) -> bool:
    return any(name.startswith("lines.") for name in example.taught)


def _weight(example: Example) -> float:
    return 3.0 if _taught(example) else 2.0 if example.confirmed else 1.0


def located_lines(example: Example) -> list[Located | None]:
    lines = tuple(tuple(line.items()) for line in example.lines)
    return _located(example.text, lines)


@lru_cache(maxsize=64)
def _located(text: DocumentText, lines: tuple[tuple[tuple[str, Value | None], ...], ...]) -> list[Located | None]:
    return located(sheet(text), [dict(line) for line in lines])

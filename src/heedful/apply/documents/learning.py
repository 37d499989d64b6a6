"""Header fields of a layout that people corrected: for each field the way that gets the earlier documents right.

The ways are heedful's own rules, the place where the value stood in the examples, a value that is always the same, and
that there is none. Each is tried on the examples, learning from the others; of equals, the rules win, so that what was
right without examples stays right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from heedful.apply.documents.candidates import Candidate
from heedful.apply.documents.fields import header_fields
from heedful.apply.documents.labels import Hit
from heedful.apply.documents.locating import Projection, Surroundings, context, labelled, spots
from heedful.apply.documents.matching import Convention, Lesson, likely, likeness
from heedful.apply.documents.parties import has_legal_form
from heedful.apply.documents.sheet import Sheet, Span, sheet
from heedful.apply.documents.steady import STEADY, VARYING, is_other, is_piece, place_of, similarity, snapped
from heedful.records.document import HEADER_FIELDS, DocumentText, Example, Found, Value
from heedful.text.printed_values import AMOUNT, CURRENCIES, CURRENCY, DATE, compact, kind_of, same

_SISTER = 0.7  # likeness of the names of two companies of one group
_EXAMPLES = 5  # that are looked at
_CORRECTED = 4  # of them, that people corrected, also if they are older
_TAUGHT, _CONFIRMED, _LEFT = 3.0, 2.0, 1.0
_OLDER = 0.93
_TRIED = 3  # examples that a way is tried on
_TEACHING = 4  # examples that teach in a trial
_FITS = 0.62  # how well a place must fit to be believed
_FITS_WELL = 0.78
_FITS_BETTER = 0.3
_SURE = 0.85  # of what the rules find by a label of its own, or by adding up
_UNLIKE = 0.13  # pages that share less of their words at the same places are of different layouts
_UNTRIED = 0.75
_VARYING_CONSTANT = 3  # equal examples before a field that varies by nature is believed to be constant


def telling(examples: Sequence[Example]) -> list[Example]:
    """The examples that tell most: the newest, and older ones with corrections, newest first."""
    corrected = [at for at, example in enumerate(examples) if example.taught][:_CORRECTED]
    others = [at for at in range(len(examples)) if at not in corrected][: _EXAMPLES - len(corrected)]
    return [examples[at] for at in sorted([*corrected, *others])]


class Teacher:
    """An example, and what is known about it without looking at others."""

    def __init__(self, example: Example) -> None:
        self.example = example
        self.page = sheet(example.text)
        self.labels = labelled(example.text)
        self.defaults = header_fields(example.text)
        self._contexts: dict[str, list[Surroundings]] = {}

    def value(self, field: str) -> Value | None:
        return self.example.fields.get(field)

    def weight(self, field: str) -> float:
        if field in self.example.taught:
            return _TAUGHT
        return _CONFIRMED if self.example.confirmed else _LEFT

    def contexts(self, field: str, kind: str) -> list[Surroundings]:
        """Where the field's value stands, and what is around it."""
        if field not in self._contexts:
            value = self.value(field)
            found = [] if value is None else spots(self.page, kind, value)
            around = [context(self.page, span, self.labels) for span in found]
            own = [one for one in around if one.label == field]
            self._contexts[field] = own or [one for one in around if one.label not in HEADER_FIELDS] or around
        return self._contexts[field]

    def right(self, field: str) -> bool:
        """The rules got the field right."""
        found = self.defaults.get(field)
        return same(None if found is None else found.value, self.value(field))


class _Score(NamedTuple):
    default: float
    learned: float
    constant: float
    none: float


class HeaderLearning:
    def __init__(self, text: DocumentText, examples: Sequence[Example]) -> None:
        self.page = sheet(text)
        self.labels = labelled(text)
        self.defaults = header_fields(text)
        self._teachers = [Teacher(example) for example in telling(examples)]
        self._projections: dict[tuple[int, int], Projection] = {}

    def fields(self) -> dict[str, Found]:
        names = [*HEADER_FIELDS, *(field for teacher in self._teachers for field in teacher.example.fields)]
        found = {field: self._field(field) for field in dict.fromkeys(names)}
        return {field: one for field, one in found.items() if one is not None}

    def _field(self, field: str) -> Found | None:
        teachers = [teacher for teacher in self._teachers if field in teacher.example.fields]
        default = self.defaults.get(field)
        if not teachers:
            return None if default is None else default.found(self.page)
        return FieldWays(self, field, teachers).found()

    def projection(self, teacher: Teacher, onto: Sheet) -> Projection:
        key = id(teacher.page), id(onto)
        if key not in self._projections:
            self._projections[key] = Projection(teacher.page, onto)
        return self._projections[key]


class FieldWays:
    """The ways to one field, and how well each does on the examples."""

    def __init__(self, learning: HeaderLearning, field: str, teachers: Sequence[Teacher]) -> None:
        self._learning = learning
        self._field = field
        self._teachers = teachers
        self._default = learning.defaults.get(field)
        values = [teacher.value(field) for teacher in teachers]
        self._shown = [teacher for teacher, value in zip(teachers, values, strict=True) if value is not None]
        self._kind = kind_of(field, next((value for value in values if value is not None), None))
        self._weights = {id(one): one.weight(field) * _OLDER**at for at, one in enumerate(teachers)}

    def found(self) -> Found | None:
        score = self._score
        top = max(score)
        if score.default >= top:
            found = self._by_place() if self._is_misplaced() else self._by_default()
        elif score.learned >= top:
            found = self._by_likely_place()
        elif score.constant >= top:
            return self._on_page() or self._constant()
        else:
            return None if self._is_unwanted() else self._by_default()
        return self._with_known_value(found)

    def _by_likely_place(self) -> Found | None:
        """The place of the examples; what the rules find, if there is none, or the page does not look like them."""
        unwanted = self._is_unwanted()
        if not unwanted and self._default is not None:
            fit = 0.0 if self._learned is None else self._learned.score
            if self._default.score > max(fit, _SURE) or not self._is_like_examples():
                return self._by_default()
        return self._by_place() or (None if unwanted else self._by_default())

    def _is_like_examples(self) -> bool:
        page = self._learning.page
        return any(self._learning.projection(one, page).likeness > _UNLIKE for one in self._shown)

    def _is_misplaced(self) -> bool:
        """The rules were right so far, but now found something that stands elsewhere, and where it stood is another."""
        default = self._default
        if default is None or default.score > _SURE or not self._shown or self._stands_as_before(default):
            return False
        if isinstance(default.value, str) and snapped(self._kind, default.value, self._known_values) is not None:
            return False
        found, fit = self._likely(self._learning.page, self._learning.labels, self._shown, default.span)
        if found is None or found.span == default.span or same(found.value, default.value):
            return False
        return found.score > _FITS_WELL and found.score - fit > _FITS_BETTER and self._is_like_examples()

    def _stands_as_before(self, default: Candidate) -> bool:
        here = context(self._learning.page, default.span, self._learning.labels)
        for teacher in self._shown:
            for there in teacher.contexts(self._field, self._kind):
                if _named_alike(there.left, here.left) > 0.8 or _named_alike(there.above, here.above) > 0.8:
                    return True
                page, x, y = self._learning.projection(teacher, self._learning.page).place(
                    there.page, there.x0, there.y
                )
                if page == here.page and abs(y - here.y) < 0.012 and abs(x - here.x0) < 0.03:
                    return True
        return False

    # Trials

    @cached_property
    def _score(self) -> _Score:
        total = sum(self._weights.values())
        right = sum(self._weights[id(one)] for one in self._teachers if one.right(self._field))
        if right == total:
            return _Score(1.0, 0.0, 0.0, 0.0)
        none = sum(self._weights[id(one)] for one in self._teachers if one.value(self._field) is None)
        return _Score(right / total, self._learned_score(), self._constant_score(), none / total)

    def _learned_score(self) -> float:
        if len(self._shown) < 2:
            return _UNTRIED if self._shown and self._shown[0].contexts(self._field, self._kind) else 0.0
        hits = weights = 0.0
        for target in self._shown[:_TRIED]:
            others = [one for one in self._shown if one is not target][:_TEACHING]
            found, _ = self._likely(target.page, target.labels, others)
            weights += self._weights[id(target)]
            if found is not None and found.score > _FITS and same(found.value, target.value(self._field)):
                hits += self._weights[id(target)]
        missing = sum(self._weights[id(one)] for one in self._teachers if one.value(self._field) is None)
        return hits / (weights + missing)

    def _constant_score(self) -> float:
        if not self._may_be_constant():
            return 0.0
        total = sum(self._weights.values())
        if len(self._shown) < 2:
            return _UNTRIED - 0.1 if self._shown else 0.0
        value = self._usual
        return sum(self._weights[id(one)] for one in self._shown if same(one.value(self._field), value)) / total

    def _may_be_constant(self) -> bool:
        if self._is_steady:
            return True
        alike = sum(same(one.value(self._field), self._usual) for one in self._shown)
        if self._field in VARYING or self._kind in (DATE, AMOUNT):
            return alike >= _VARYING_CONSTANT and not self._is_printed()
        return alike >= 2 or not self._is_printed()

    @cached_property
    def _usual(self) -> Value | None:
        """The value that weighs most in the examples."""
        weights: dict[str, float] = defaultdict(float)
        first: dict[str, Value] = {}
        for one in self._shown:
            value = one.value(self._field)
            if value is not None:
                key = compact(str(value))
                weights[key] += self._weights[id(one)]
                first.setdefault(key, value)
        return first[max(weights, key=lambda key: weights[key])] if weights else None

    def _is_printed(self) -> bool:
        return any(one.contexts(self._field, self._kind) for one in self._shown)

    # Ways

    def _by_default(self) -> Found | None:
        default = self._default
        if default is None:
            found = self._learned
            return None if found is None or found.score < _FITS_WELL else self._found_by_place(found)
        weights = sum(self._weights.values())
        right = sum(self._weights[id(one)] for one in self._teachers if one.right(self._field))
        confidence = (2 * default.score + right) / (2 + weights)
        return default._replace(score=confidence).found(self._learning.page)

    def _by_place(self) -> Found | None:
        found = self._learned
        return None if found is None or found.score < _FITS else self._found_by_place(found)

    def _found_by_place(self, found: Candidate) -> Found:
        reliability = 0.97 if self._score.default == 1 else 0.6 + 0.37 * max(self._score)
        made = found._replace(score=found.score * reliability).found(self._learning.page)
        return replace(made, taught_by=self._taught_by)

    @cached_property
    def _learned(self) -> Candidate | None:
        return self._likely(self._learning.page, self._learning.labels, self._shown)[0]

    def _likely(
        self, page: Sheet, labels: list[list[Hit]], teachers: Sequence[Teacher], other: Span | None = None
    ) -> tuple[Candidate | None, float]:
        lessons = []
        for teacher in teachers:
            contexts = teacher.contexts(self._field, self._kind)
            if contexts:
                projection = self._learning.projection(teacher, page)
                weight = self._weights[id(teacher)] * projection.likeness**2
                lessons.append(Lesson(contexts, weight, projection))
        return likely(self._field, self._kind, page, labels, lessons, self._convention(page, teachers), other)

    def _convention(self, page: Sheet, teachers: Sequence[Teacher]) -> Convention:
        """As people read the dates and numbers of the examples, where one can read them in two ways."""
        orders: Counter[bool] = Counter()
        decimals: Counter[str] = Counter()
        for teacher in teachers:
            value = teacher.value(self._field)
            for row in teacher.page.rows if self._kind == DATE else ():
                for shown in row.dates:
                    if shown.day_first != shown.month_first and value in (shown.day_first, shown.month_first):
                        orders[value == shown.day_first] += 1
            if self._kind == AMOUNT and isinstance(value, int | float):
                decimals.update(_decimals(teacher, value))
        day_first = orders.most_common(1)[0][0] if orders else page.day_first
        return Convention(day_first, decimals.most_common(1)[0][0] if decimals else page.decimal)

    @property
    def _taught_by(self) -> tuple[str, ...]:
        ids = [one.example.taught[self._field] for one in self._teachers if self._field in one.example.taught]
        return tuple(dict.fromkeys(ids))

    # There is none

    def _is_unwanted(self) -> bool:
        """What the rules find stands where they were wrong before; elsewhere it may be right."""
        default = self._default
        if default is None:
            return True
        here = context(self._learning.page, default.span, self._learning.labels)
        for teacher in self._teachers:
            wrong = teacher.defaults.get(self._field)
            if wrong is None or teacher.right(self._field):
                continue
            there = context(teacher.page, wrong.span, teacher.labels)
            page, x, y = self._learning.projection(teacher, self._learning.page).place(there.page, there.x0, there.y)
            near = page == here.page and abs(y - here.y) < 0.03 and abs(x - here.x0) < 0.1
            alike = max(_named_alike(there.left, here.left), _named_alike(there.above, here.above))
            if near or alike > 0.8:
                return True
        return False

    # Values that stay the same

    def _with_known_value(self, found: Found | None) -> Found | None:
        """The value in the spelling that people gave it, also where recognition changed some letters."""
        if self._kind in (DATE, AMOUNT) or self._field in VARYING:
            return found or self._constant()
        if found is not None:
            value = snapped(self._kind, str(found.value), self._known_values)
            if value is not None:
                return found if value == found.value else self._known(found, value)
        if self._is_steady:
            return self._steady(found)
        return found or self._on_page() or self._constant()

    def _steady(self, found: Found | None) -> Found | None:
        """Something else was found than what the examples have, or nothing."""
        present = self._on_page()
        if present is not None or found is None:
            return present or self._constant()
        if self._kind == CURRENCY and str(found.value) not in CURRENCIES:
            return self._constant() or found
        if self._field == self._sender and not self._is_another_company(str(found.value)):
            return self._constant() or found
        if self._score.default == 1 or (self._is_printed() and is_other(str(found.value), str(self._usual))):
            return found
        return self._constant()

    @property
    def _is_steady(self) -> bool:
        return self._field == self._sender or self._field in STEADY

    @cached_property
    def _sender(self) -> str:
        """The field that names the sender of this layout: the seller, or on orders the buyer."""
        invoices = any(one.value("invoice_number") is not None for one in self._teachers)
        orders = any(one.value("order_number") is not None for one in self._teachers)
        return "buyer" if orders and not invoices else "seller"

    def _is_another_company(self, shown: str) -> bool:
        """A whole other name at the usual place: not a piece of the known one, nor a line without a legal form."""
        usual = str(self._usual)
        if not is_other(shown, usual) or is_piece(shown, usual) or (has_legal_form(usual) > has_legal_form(shown)):
            return False
        sister = similarity(shown, usual) > _SISTER
        return sister or (self._default is not None and self._stands_as_before(self._default))

    def _on_page(self) -> Found | None:
        for value in self._known_values:
            place = place_of(self._learning.page, self._kind, value)
            if place is not None:
                alike, span = place
                made = Candidate(value, span, 0.96 * alike, "learned").found(self._learning.page)
                return replace(made, taught_by=self._taught_by)
        return None

    def _constant(self) -> Found | None:
        if not self._may_be_constant() or self._usual is None:
            return None
        share = self._constant_score()
        if share < 0.6:
            return None
        how = "the same in earlier documents"
        return Found(self._usual, round(0.85 * share, 3), source="learned", taught_by=self._taught_by, how=how)

    def _known(self, found: Found, value: str) -> Found:
        confidence = max(found.confidence, 0.9)
        return replace(found, value=value, confidence=confidence, source="learned", taught_by=self._taught_by)

    @cached_property
    def _known_values(self) -> list[str]:
        """What people said, or left in several documents, the weightiest first."""
        weights: dict[str, float] = defaultdict(float)
        first: dict[str, str] = {}
        for one in self._shown:
            value = str(one.value(self._field))
            weights[compact(value)] += self._weights[id(one)]
            first.setdefault(compact(value), value)
        ranked = sorted(weights, key=lambda key: -weights[key])
        return [first[key] for key in ranked if weights[key] > _LEFT or len(self._shown) == 1]


def _decimals(teacher: Teacher, value: float) -> Iterator[str]:
    """The decimal signs with which numbers that read otherwise are this value."""
    for row in teacher.page.rows:
        for shown in row.numbers:
            if abs(abs(shown.read(teacher.page.decimal)) - abs(value)) > 0.005:
                yield from (sign for sign in (",", ".") if abs(abs(shown.read(sign)) - abs(value)) < 0.005)


def _named_alike(one: str, other: str) -> float:
    """How alike two neighbours are, if they have letters."""
    return likeness(one, other) if len(one) > 2 and len(other) > 2 else 0.0

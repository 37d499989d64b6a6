"""Finds the value of a field in a document from where it stood in others: by what was around it, and by its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from heedful.apply.documents.candidates import Candidate, single
from heedful.apply.documents.fields import trimmed
from heedful.apply.documents.labels import OTHER, Hit
from heedful.apply.documents.locating import NUMBER, Projection, Surroundings, around, context, is_typed, nearness
from heedful.apply.documents.sheet import Piece, Row, Segment, Sheet, Span
from heedful.text.printed_values import DATE, compact, plain_number, spaced

_LABEL_LEAST = 3  # letters of a label that is searched for
_TYPED_MOST = 600  # dates or numbers of a document that are looked at
_MISSING = 0.3  # of its weight has what no candidate agrees with: it was something that changes
_MISSING_LABEL = 0.6  # the same if nothing is known about it yet
_NEIGHBOURS = ("left", "right", "above", "below")
_WEIGHTS = {"left": 3.0, "right": 1.5, "above": 1.5, "below": 0.5, "place": 3.0, "shape": 2.0, "label": 1.0}


class Lesson(NamedTuple):
    """The places of a field's value in one example, and how much the example counts."""

    contexts: Sequence[Surroundings]
    weight: float
    projection: Projection


class Convention(NamedTuple):
    """How dates and numbers are read."""

    day_first: bool
    decimal: str


def likely(
    field: str, kind: str, page: Sheet, labels: list[list[Hit]], lessons: Sequence[Lesson], convention: Convention,
    other: Span | None = None,
) -> tuple[Candidate | None, float]:  # fmt: skip
    """What stands where the lessons say, with a score from 0 to 1 of how well it fits; and how well another does."""
    spans = list(_typed_spans(page, kind) if is_typed(kind) else _text_spans(page, lessons))
    if other is not None:
        spans.append(other)
    if not spans or not lessons:
        return None, 0.0
    options = [(span, context(page, span, labels)) for span in dict.fromkeys(spans)]
    total = sum(lesson.weight for lesson in lessons)
    points = [0.0] * len(options)
    for lesson in lessons:
        best = [0.0] * len(options)
        for taught in lesson.contexts:
            weights = _weights(taught, [one.contexts for one in lessons if one is not lesson])
            for at, fit in enumerate(_fits(field, taught, options, lesson.projection, weights)):
                best[at] = max(best[at], fit)
        for at, fit in enumerate(best):
            points[at] += lesson.weight * fit / total
    at = max(range(len(options)), key=lambda one: points[one])
    found = Candidate(_value(page, kind, options[at][0], convention), options[at][0], points[at], "learned")
    return found, next((points[place] for place, (span, _) in enumerate(options) if span == other), 0.0)


def _typed_spans(page: Sheet, kind: str) -> Iterator[Span]:
    count = 0
    for place, row in enumerate(page.rows):
        for one in row.dates if kind == DATE else row.numbers:
            yield single(place, one.start, one.end)
            count += 1
        if count > _TYPED_MOST:
            return


def _value(page: Sheet, kind: str, span: Span, convention: Convention) -> str | int | float:
    piece = span.pieces[0]
    row = page.rows[piece.row]
    if kind == DATE:
        shown = next((one for one in row.dates if one.start == piece.start), None)
        return spaced(page.text(span)) if shown is None else shown.read(day_first=convention.day_first)
    if is_typed(kind):
        number = next((one for one in row.numbers if one.start == piece.start), None)
        return spaced(page.text(span)) if number is None else plain_number(number.read(convention.decimal))
    return spaced(page.text(span))


# How well a candidate fits


def _weights(taught: Surroundings, others: Sequence[Sequence[Surroundings]]) -> dict[str, float]:
    """Neighbours that the other examples have, too, count more: they are labels. What differs is another value."""
    weights = dict(_WEIGHTS)
    for name in _NEIGHBOURS:
        text = getattr(taught, name)
        if text == NUMBER:
            weights[name] *= _MISSING
        elif others:
            agreeing = sum(any(likeness(text, getattr(one, name)) >= 0.8 for one in contexts) for contexts in others)
            weights[name] *= _MISSING + (1.2 - _MISSING) * agreeing / len(others)
    return weights


def _fits(
    field: str,
    taught: Surroundings,
    options: list[tuple[Span, Surroundings]],
    projection: Projection,
    weights: dict[str, float],
) -> list[float]:
    place = projection.place(taught.page, taught.x0, taught.y)
    features = [_features(field, taught, other, place) for _, other in options]
    for name in _NEIGHBOURS:
        if weights[name] <= _WEIGHTS[name] and max(one[name] for one in features) < 0.6:
            weights[name] *= _MISSING if weights[name] < _WEIGHTS[name] else _MISSING_LABEL
    total = sum(weights.values())
    return [sum(weights[name] * one[name] for name in weights) / total for one in features]


def _features(
    field: str, taught: Surroundings, other: Surroundings, place: tuple[int, float, float]
) -> dict[str, float]:
    page, x, y = place
    dx = min(abs(other.x0 - x), abs(other.x1 - (x + taught.x1 - taught.x0)))
    return {
        "left": likeness(taught.left, other.left),
        "right": likeness(taught.right, other.right),
        "above": likeness(taught.above, other.above),
        "below": likeness(taught.below, other.below),
        "place": nearness(dx, other.y - y) if page == other.page else 0.0,
        "shape": _shape_likeness(taught.shape, other.shape),
        "label": _label_likeness(field, taught.label, other.label),
    }


def _label_likeness(field: str, taught: str, other: str) -> float:
    """What stands beside the label of another field is not this field's value."""
    if other == field:
        return 1.0
    if other in ("", OTHER) or taught == other:
        return 0.7
    return 0.0


@lru_cache(maxsize=16_384)
def likeness(one: str, other: str) -> float:
    """How alike two texts around a value are, from 0 to 1."""
    if one == other:
        return 1.0
    if not one or not other:
        return 0.3
    from rapidfuzz.fuzz import ratio  # slow to import

    alike = ratio(one, other) / 100
    short = min(len(one), len(other))
    if short >= 5 and (one.endswith(other) or other.endswith(one) or one.startswith(other) or other.startswith(one)):
        alike = max(alike, 0.8)
    return alike if alike > 0.6 else 0.0


@lru_cache(maxsize=8_192)
def _shape_likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    from rapidfuzz.fuzz import ratio

    alike = ratio(one, other) / 100
    if ("9" in one) != ("9" in other):
        alike *= 0.4
    return alike


# Candidates that are no dates and numbers


def _text_spans(page: Sheet, lessons: Iterable[Lesson]) -> Iterator[Span]:
    for lesson in lessons:
        for taught in lesson.contexts:
            for place, start in _starts(page, taught, lesson.projection):
                yield from _extents(page, place, start, taught)


def _starts(page: Sheet, taught: Surroundings, projection: Projection) -> Iterator[tuple[int, int]]:
    yield from _at_place(page, taught, projection)
    if len(taught.left) >= _LABEL_LEAST:
        yield from _after_label(page, taught.left)
    if len(taught.above) >= _LABEL_LEAST:
        yield from _under_label(page, taught)
    if len(taught.right) >= _LABEL_LEAST:
        yield from _before_label(page, taught)


def _at_place(page: Sheet, taught: Surroundings, projection: Projection) -> Iterator[tuple[int, int]]:
    onto, x, y = projection.place(taught.page, taught.x0, taught.y)
    for place in _rows_near(page, onto, y, 0.022):
        row = page.rows[place]
        if taught.opens:
            yield from ((place, segment.start) for segment in row.segments if abs(segment.x0 - x) < 0.05)
        else:
            near = min(range(len(row.words)), key=lambda at: abs(row.words[at].x0 - x))
            if row.words[near].x0 - 0.03 < x < row.words[near].x1:
                yield place, row.starts[near]


def _rows_near(page: Sheet, number: int, y: float, most: float) -> Iterator[int]:
    if not 0 <= number < len(page.ends):
        return
    first = page.ends[number - 1] if number else 0
    for place in range(first, page.ends[number]):
        if abs(page.rows[place].centre - y) < most:
            yield place


def _after_label(page: Sheet, label: str) -> Iterator[tuple[int, int]]:
    """Right after a text, in its segment or at the next one."""
    for place, row in enumerate(page.rows):
        at = row.lookalike.find(label)
        if at < 0 and len(label) > 6 and row.lookalike:
            at = _fuzzy_end(row.lookalike, label)
        elif at >= 0:
            at += len(label)
        if 0 <= at < len(row.places):
            yield place, row.places[at]


def _fuzzy_end(text: str, label: str) -> int:
    """Where a text that is like the label ends, or -1."""
    if len(text) < len(label) - 2:
        return -1
    from rapidfuzz.fuzz import partial_ratio_alignment

    match = partial_ratio_alignment(label, text, score_cutoff=82)
    return -1 if match is None else match.dest_end


def _under_label(page: Sheet, taught: Surroundings) -> Iterator[tuple[int, int]]:
    for place, row in enumerate(page.rows):
        if taught.above[:4] not in row.lookalike:
            continue
        for segment in row.segments:
            if likeness(taught.above, around(compact(row.text[segment.start : segment.end])[:28])) < 0.8:
                continue
            for below in page.below(place, 3, 3.0):
                under = [one for one in page.rows[below].segments if one.x0 < segment.x1 and one.x1 > segment.x0]
                if under:
                    yield from ((below, one.start) for one in under)
                    break


def _before_label(page: Sheet, taught: Surroundings) -> Iterator[tuple[int, int]]:
    for place, row in enumerate(page.rows):
        at = row.lookalike.find(taught.right)
        if at < 0:
            continue
        offset = row.places[at]
        segment = row.segment_at(offset)
        before = [one for one in row.segments if one.start < segment.start]
        if segment.start < offset and compact(row.text[segment.start : offset]):
            first = max(segment.first, row.word_at(offset) - taught.words)
            yield place, segment.start if taught.opens else row.starts[first]
        elif before:
            yield place, before[-1].start


def _extents(page: Sheet, place: int, start: int, taught: Surroundings) -> Iterator[Span]:
    row = page.rows[place]
    segment = row.segment_at(start)
    start = max(start, segment.start)
    end = _end(row, start, segment, taught)
    start = _after_prefix(row, start, end, taught)
    bounds = trimmed(row.text, start, _before_suffix(row, start, end, taught))
    if bounds is None:
        return
    first = Piece(place, *bounds)
    yield Span((first,))
    if taught.rows > 1:
        yield Span((first, *_pieces_below(page, place, segment, taught.rows - 1)))


def _end(row: Row, start: int, segment: Segment, taught: Surroundings) -> int:
    if taught.closes:
        return segment.end
    stop = row.lookalike.find(taught.right[:8], row.compact_place(start)) if len(taught.right) > 2 else -1
    if stop >= 0 and start < row.places[stop] < segment.end and not taught.right[0].isdigit():
        return row.places[stop]
    last = min(row.word_at(start) + taught.words, len(row.words)) - 1
    return min(segment.end, row.starts[last] + len(row.words[last].text))


def _after_prefix(row: Row, start: int, end: int, taught: Surroundings) -> int:
    """`Nr.471102` where `Nr.` was no part of the value: the same letters, or what comes after the same sign."""
    prefix = taught.prefix
    word = row.word_at(start)
    if not prefix or start != row.starts[word]:
        return start
    text = row.text[start:end]
    if text.lower().startswith(prefix.lower()):
        return start + len(prefix)
    sign = prefix[-1]
    if not sign.isalnum() and sign in text:
        return start + text.index(sign) + 1
    letters = len(text) - len(text.lstrip("".join(set(filter(str.isalpha, text))))) if taught.shape[:1] == "9" else 0
    return start + letters


def _before_suffix(row: Row, start: int, end: int, taught: Surroundings) -> int:
    suffix = taught.suffix.strip(".,;:)")
    if suffix and row.text[start:end].rstrip(".,;:)").endswith(suffix):
        return end - (len(row.text[start:end]) - len(row.text[start:end].rstrip(".,;:)"))) - len(suffix)
    return end


def _pieces_below(page: Sheet, place: int, segment: Segment, most: int) -> Iterator[Piece]:
    for below in page.below(place, most, 1.2):
        row = page.rows[below]
        under = [one for one in row.segments if abs(one.x0 - segment.x0) < 0.02]
        if not under:
            return
        yield Piece(below, under[0].start, under[0].end)

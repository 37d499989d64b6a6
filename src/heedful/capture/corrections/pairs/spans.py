"""Words of a text that may be meant: those that the reader points at, and values such as numbers and names."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from heedful.records.reading import Pointing
from heedful.text.sentences import Span

EDGES = " \t\n\"'`“”„‘’«»‹›.,;:!?*()[]{}<>…|"
_POINTED = 9  # starts and ends that are looked at
_VALUES = 40  # looked at besides
_LONGEST = 90  # characters
_LEAST = 1e-4  # probability: values are looked at that the reader does not point at
_CUT_BEFORE, _CUT_AFTER = re.compile(r"\d[.,:/]\d$|\w-[^\W\d]$"), re.compile(r"\d[.,:/]\d|[^\W\d]-\w")
_MINUS = re.compile(r"(?:^|\s)-\d$")
_VALUE = re.compile(
    r"`[^`\n]{1,60}`|[\"“„«][^\"”“»\n]{1,60}[\"”“»]"  # code and quotations
    r"|[#$€£]?\b\d+(?:[.,:/]\d+)*\w*(?:-\w+)?%?"  # numbers, with what is joined to them
    r"|\b[A-ZÀ-Ý][\w'’&-]*(?: (?:de |da |del |van |von )?[A-ZÀ-Ý][\w'’&-]*){0,3}"  # names
    r"|\b\w+(?:[_./-]\w+)+"
)


class TextSpan(NamedTuple):
    """A part of a text, and how probable the reader finds its edges."""

    start: int
    end: int
    text: str
    sentence: Span
    starts: float
    ends: float


def likely_spans(text: str, sentences: Sequence[Span], pointing: Pointing, most: int) -> list[TextSpan]:
    """The most probable ones first."""
    found: dict[Span, TextSpan] = {}
    for pointed in (*_pointed(pointing), *_values(text)):
        trimmed = _trimmed(text, *pointed, sentences)
        if trimmed is not None and trimmed not in found and (sentence := _sentence(trimmed, sentences)) is not None:
            start, end = trimmed
            chances = pointing.starts.get(start, 0.0), pointing.ends.get(end, 0.0)
            found[trimmed] = TextSpan(start, end, text[start:end], sentence, *chances)
    return heapq.nlargest(most, found.values(), key=lambda one: (one.starts + _LEAST) * (one.ends + _LEAST))


def _pointed(pointing: Pointing) -> Iterator[Span]:
    starts = heapq.nlargest(_POINTED, pointing.starts, key=lambda at: pointing.starts[at])
    ends = heapq.nlargest(_POINTED, pointing.ends, key=lambda at: pointing.ends[at])
    return ((start, end) for start, end in product(starts, ends) if 0 < end - start <= _LONGEST)


def _values(text: str) -> Iterator[Span]:
    return (match.span() for match in islice(_VALUE.finditer(text), _VALUES))


def _trimmed(text: str, start: int, end: int, sentences: Sequence[Span]) -> Span | None:
    """Without marks at its edges, but with a minus; the full stop of `Dr.` stays. None if a number is cut."""
    while start < end and text[start] in EDGES:
        start += 1
    while start < end and text[end - 1] in EDGES and not _is_short(text, end, sentences):
        end -= 1
    before, after = text[max(0, start - 2) : start + 1], text[max(0, end - 1) : end + 2]
    if start >= end or _CUT_BEFORE.search(before) or _CUT_AFTER.match(after):
        return None
    return (start - 1 if _MINUS.search(before) else start), end


def _is_short(text: str, end: int, sentences: Sequence[Span]) -> bool:
    inside = all(end != sentence[1] for sentence in sentences)
    return text[end - 1] == "." and text[end - 2 : end - 1].isalpha() and text[end : end + 1] == " " and inside


def _sentence(span: Span, sentences: Sequence[Span]) -> Span | None:
    return next((one for one in sentences if one[0] <= span[0] and span[1] <= one[1]), None)

"""Where words stand on the page as the reader sees it, after rotation. Runs in the worker."""

from __future__ import annotations

import ctypes
import math
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import repeat
from typing import Any

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in points from the top left corner of the page."""
Span = tuple[int, int]
"""From one character to before another."""

_GAP = 1.0  # of the height of a word: a wider gap makes two words of it
_STEEP = 0.99  # the sine of the angle from which on text runs up or down
_FLAT = 0.01
_BOX = 16  # bytes: four floats


class WordBoxes:
    """As wide as the characters and as high as their font, so that the words of a line have the same height."""

    def __init__(self, pdfium: Any, page: Any, text_page: Any) -> None:
        self._pdfium = pdfium
        self._text_page = text_page
        frame = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, frame)
        self._frame = frame.left, frame.top, frame.right, frame.bottom
        self._turns = pdfium.FPDFPage_GetRotation(page) % 4

    def of(self, spans: Sequence[Span]) -> Iterator[tuple[Span, Box]]:
        """Splits words where there is a gap or a new line between characters.

        The first and the last character tell it all, unless they are further apart than characters fill. That saves
        most of the time, as PDFium has to be called for every box.
        """
        boxes = self._characters([start for start, _ in spans] + [end - 1 for _, end in spans])
        for span, (x0, y0, x1, y1), (a0, b0, a1, b1) in zip(spans, boxes, boxes[len(spans) :], strict=False):
            box = x0 if x0 < a0 else a0, y0 if y0 < b0 else b0, x1 if x1 > a1 else a1, y1 if y1 > b1 else b1
            height = y1 - y0
            if box[3] - box[1] > 1.8 * height or box[2] - box[0] > height * (1 + (span[1] - span[0]) / 2):
                yield from self._pieces(span)
            else:
                yield span, box

    def _pieces(self, span: Span) -> list[tuple[Span, Box]]:
        start, end = span
        slope = abs(math.sin(self._pdfium.FPDFText_GetCharAngle(self._text_page, start)))
        is_steep, is_flat = slope > _STEEP, slope < _FLAT
        if self._turns % 2:
            is_steep, is_flat = is_flat, is_steep
        found: list[tuple[Span, Box]] = []
        for index, box in zip(range(start, end), self._characters(range(start, end)), strict=True):
            if found:
                (began, _), before = found[-1]
                apart = is_flat and _are_apart(before, box)
                if not apart and not (is_steep and _are_apart(_turned(before), _turned(box))):
                    found[-1] = (began, index + 1), _union(before, box)
                    continue
            found.append(((index, index + 1), box))
        return found

    def _characters(self, indexes: Sequence[int]) -> list[Box]:
        """All in one go, without a loop in Python around the calls."""
        edges = array("f", bytes(_BOX * len(indexes)))
        start, _ = edges.buffer_info()
        places = range(start, start + _BOX * len(indexes), _BOX)
        page = ctypes.cast(self._text_page, ctypes.c_void_p).value
        deque(map(_loose_box(self._pdfium), repeat(page), indexes, places), maxlen=0)
        found = edges.tolist()
        return self._seen(found[0::4], found[1::4], found[2::4], found[3::4])

    def _seen(self, lefts: list[float], tops: list[float], rights: list[float], bottoms: list[float]) -> list[Box]:
        """Boxes of the page as it is written, turned clockwise by quarters."""
        left, top, right, bottom = self._frame
        if self._turns == 0:
            columns = _after(left, lefts), _before(top, tops), _after(left, rights), _before(top, bottoms)
        elif self._turns == 1:
            columns = _after(bottom, bottoms), _after(left, lefts), _after(bottom, tops), _after(left, rights)
        elif self._turns == 2:
            columns = _before(right, rights), _after(bottom, bottoms), _before(right, lefts), _after(bottom, tops)
        else:
            columns = _before(top, tops), _before(right, rights), _before(top, bottoms), _before(right, lefts)
        return list(zip(*columns, strict=True))


@cache
def _loose_box(pdfium: Any) -> Any:
    """`FPDFText_GetLooseCharBox` that takes addresses as numbers: a call takes less than half of the time."""
    kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    return ctypes.cast(pdfium.FPDFText_GetLooseCharBox, kind)


def _after(origin: float, places: list[float]) -> list[float]:
    return [place - origin for place in places]


def _before(origin: float, places: list[float]) -> list[float]:
    return [origin - place for place in places]


def _union(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _turned(box: Box) -> Box:
    return box[1], box[0], box[3], box[2]


def _are_apart(before: Box, box: Box) -> bool:
    """Whether a character stands far from those before it, on either side, or in another line."""
    height = min(before[3] - before[1], box[3] - box[1])
    gap = max(box[0] - before[2], before[0] - box[2])
    return gap > _GAP * height or abs(before[1] + before[3] - box[1] - box[3]) > height

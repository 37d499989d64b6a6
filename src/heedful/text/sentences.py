"""Splitting text into sentences.

A line break ends a sentence; in wrapped text only a blank line or a list item does. A full stop inside `code`, after an
abbreviation, an initial or a list number ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

# Only the beginning of a run of marks is looked at, and runs are possessive: time is linear in the text.
_MARKS = r"(?<![.!?…])[.!?…]++[)\]\"'”’»*_`]{0,3}+(?=\s|\Z)"
_ENDS = re.compile(rf"(?P<marks>{_MARKS})|\n")
_WRAPPED_ENDS = re.compile(rf"(?P<marks>{_MARKS})|\n(?=[^\S\n]*\n|[^\S\n]{{0,12}}(?:[-*+•>|#]|\d{{1,3}}[.)]\s))")
_SHORTENED = re.compile(
    r"""(?:
        \b(?i:e\.g|i\.e|z\.b|p\.ej|vs|etc|cf|approx|incl|resp|bzw|ca|mr|mrs|ms|dr|prof|st|sr|sra|mme|inc)
      | \b(?:Fig|M|[A-HJ-Z])
      | (?:^|[\n:;.!?)]\s{0,3})\d{1,3}
    )$""",
    re.VERBOSE,
)
_LONGEST_SHORT = 12  # characters, with what must stand before
_NUMBERED = re.compile(r"(?<=\bN[or])\.\s?\d")  # otherwise somebody says no
_GERMAN_DATE = re.compile(r"(?<=\d)\.\s(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")
_GOES_ON = re.compile(r"[^\S\n]+[a-zà-ÿ]")
_CODE = re.compile(r"`[^`\n]{1,300}`")


def spans(text: str, *, wrapped: bool = False) -> Iterator[Span]:
    """Start and end of each sentence, its mark included, white space not stripped."""
    shadow = _CODE.sub(lambda code: "x" * len(code[0]), text) if "`" in text else text
    start = 0
    for end in (_WRAPPED_ENDS if wrapped else _ENDS).finditer(shadow):
        if end["marks"] and _is_inside(shadow, end):
            continue
        ended = end.end() if end["marks"] else end.start()
        if ended > start:
            yield start, ended
        start = end.end()
    if start < len(text):
        yield start, len(text)


def sentences(text: str, *, wrapped: bool = False) -> list[str]:
    """Sentences, stripped; none is empty."""
    found = (text[start:end].strip() for start, end in spans(text, wrapped=wrapped))
    return [sentence for sentence in found if sentence]


def sentence_at(text: str, start: int, end: int, reach: int, *, wrapped: bool = False) -> Span:
    """The sentence, or sentences, around a span; at most `reach` characters to either side."""
    low, high = max(0, start - reach), min(len(text), end + reach)
    first = low
    for begun, ended in spans(text[low:high], wrapped=wrapped):
        if low + ended <= start:
            first = low + ended
        elif low + ended >= end:
            return max(first, low + begun), low + ended
    return first, high


def _is_inside(text: str, end: re.Match[str]) -> bool:
    """Whether the full stop belongs to the word before it, or dots only mark an omission."""
    at, marks = end.start(), end["marks"]
    if marks.startswith(("…", "..")):
        return _GOES_ON.match(text, end.end()) is not None
    if not marks.startswith("."):
        return False
    shortened = _SHORTENED.search(text, max(0, at - _LONGEST_SHORT), at) or _NUMBERED.match(text, at)
    return bool(shortened or _GERMAN_DATE.match(text, at))

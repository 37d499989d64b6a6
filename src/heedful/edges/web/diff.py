"""The lines that differ between two texts, with a few equal ones around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal, NamedTuple

_CONTEXT = 3  # equal lines on either side of a change
_COMPARED = 1_000  # lines of the differing middle of either text
_MOST = 400  # lines that are shown


class DiffLine(NamedTuple):
    kind: Literal["same", "gone", "come", "more"]
    """`more` stands for lines that are left out, which `start` counts."""
    start: str
    changed: str = ""
    """What differs from the other version of this line."""
    end: str = ""


def diff(before: str, after: str, *, most: int = _MOST) -> list[DiffLine]:
    """Empty if the texts are equal. Very long ones are compared only as far as a person would read."""
    old, new = before.splitlines(), after.splitlines()
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    gone, come = old[head : len(old) - tail], new[head : len(new) - tail]
    if not gone and not come:
        return []
    lines = [*_context(old[:head], last=True), *_changes(gone[:_COMPARED], come[:_COMPARED])]
    lines += _context(old[len(old) - tail :] if tail else [], last=False)
    left = len(lines) - most
    return lines if left <= 0 else [*lines[:most], _more(left)]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from _middle(old[start:end])
        else:
            yield from _changed(old[start:end], new[new_start:new_end])


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    if len(old) != len(new):
        yield from (DiffLine("gone", line) for line in old)
        yield from (DiffLine("come", line) for line in new)
        return
    pairs = [_parts(*pair) for pair in zip(old, new, strict=True)]
    yield from (DiffLine("gone", *parts) for parts, _ in pairs)
    yield from (DiffLine("come", *parts) for _, parts in pairs)


def _parts(old: str, new: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Both lines, each cut into its equal beginning, what differs, and its equal end; words stay whole."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    while head and _in_word(old[head - 1]):
        head -= 1
    while tail and _in_word(old[-tail]):
        tail -= 1
    if head + tail == 0:
        return (old, "", ""), (new, "", "")
    first, second = len(old) - tail, len(new) - tail
    return (old[:head], old[head:first], old[first:]), (new[:head], new[head:second], new[second:])


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines or characters at the beginning are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _context(lines: Sequence[str], *, last: bool) -> Iterator[DiffLine]:
    """The last or the first of many equal lines."""
    left = len(lines) - _CONTEXT
    shown = lines[-_CONTEXT:] if last else lines[:_CONTEXT]
    if left > 0 and last:
        yield _more(left)
    yield from (DiffLine("same", line) for line in shown)
    if left > 0 and not last:
        yield _more(left)


def _middle(lines: Sequence[str]) -> Iterator[DiffLine]:
    left = len(lines) - 2 * _CONTEXT
    if left <= 1:
        yield from (DiffLine("same", line) for line in lines)
        return
    yield from (DiffLine("same", line) for line in lines[:_CONTEXT])
    yield _more(left)
    yield from (DiffLine("same", line) for line in lines[-_CONTEXT:])


def _more(count: int) -> DiffLine:
    return DiffLine("more", f"{count:,}")

"""The edits of a reviewer: which lines and words became which, from two texts or from a unified diff."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import islice

from heedful.records.review import Edit
from heedful.text.checks import clipped
from heedful.text.diff import differences

_MOST = 40  # edits that are kept
_MOST_LINES = 1_000  # of the differing middle of either text
_LINE = 300  # characters of a line that are kept
_SHOWN = 160
_SUMMARISED = 4
_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_HEADER = re.compile(r"^(?:diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )")


def edits(before: str, after: str) -> tuple[Edit, ...]:
    """What changed: words within lines where a few of them differ, otherwise whole lines."""
    old, new = before.splitlines(), after.splitlines()
    return tuple(islice(_edits(*_without_equal_ends(old, new)), _MOST))


def is_diff(text: str) -> bool:
    return any(_HUNK.match(line) for line in text.splitlines())


def sides(diff: str) -> tuple[str, str]:
    """Both texts of a unified diff, as far as it shows them."""
    old: list[str] = []
    new: list[str] = []
    inside = False
    for line in diff.splitlines():
        if _HUNK.match(line):
            inside = True
        elif _HEADER.match(line) and not (inside and line[:1] in "+-" and line[:4] not in ("--- ", "+++ ")):
            inside = False
        elif inside and line[:1] == "-":
            old.append(line[1:])
        elif inside and line[:1] == "+":
            new.append(line[1:])
        elif inside and line[:1] in (" ", ""):
            old.append(line[1:])
            new.append(line[1:])
    return "\n".join(old), "\n".join(new)


def summary(found: tuple[Edit, ...]) -> str:
    """The edits in words: what a person would say was changed."""
    parts = [_said(edit) for edit in found[:_SUMMARISED]]
    more = len(found) - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


def _said(edit: Edit) -> str:
    before, after = clipped(edit.before, _SHOWN), clipped(edit.after, _SHOWN)
    if not before:
        return f"added {after}"
    return f"changed {before} to {after}" if after else f"removed {before}"


def _without_equal_ends(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end][:_MOST_LINES], new[start : len(new) - end][:_MOST_LINES]


def _edits(old: list[str], new: list[str]) -> Iterator[Edit]:
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, come = old[start:end], new[new_start:new_end]
        if len(gone) == len(come):
            for one, other in zip(gone, come, strict=True):
                yield from _line(one, other)
        else:
            yield from _block("\n".join(gone), "\n".join(come))


def _line(before: str, after: str) -> Iterator[Edit]:
    phrases = differences(before, after)
    if phrases:
        yield from (Edit("word", phrase.before, phrase.after) for phrase in phrases)
    elif before.strip() != after.strip():
        yield Edit("line", clipped(before, _LINE), clipped(after, _LINE))


def _block(before: str, after: str) -> Iterator[Edit]:
    phrases = differences(before, after) if before.strip() and after.strip() else []
    if phrases:
        yield from (Edit("word", phrase.before, phrase.after) for phrase in phrases)
    elif before.strip() or after.strip():
        yield Edit("line", clipped(before, _LINE), clipped(after, _LINE))

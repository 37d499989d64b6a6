"""The section of heedful in AGENTS.md or CLAUDE.md: where it is, and the file with a new one. Other text stays."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.errors import InvalidInput
from heedful.text.fence import BEGIN, END

_MARK = re.compile(r"^\ufeff?[ \t]*(<!--[ \t]*heedful:(begin|end)[ \t]*-->)[ \t]*\r?$", re.MULTILINE)
_BOM = "\ufeff"


class _Mark(NamedTuple):
    kind: str
    start: int
    end: int


def has_section(content: str) -> bool:
    return _place(content) is not None


def updated(content: str, section: str) -> str:
    newline = _newline(content)
    section = section.replace("\n", newline)
    place = _place(content)
    if place is not None:
        return f"{content[: place[0]]}{section}{content[place[1] :]}"
    return f"{content}{_gap(content, newline)}{section}{newline}"


def _place(content: str) -> tuple[int, int] | None:
    marks = [_Mark(found[2], *found.span(1)) for found in _MARK.finditer(content)]
    if not marks:
        return None
    if [mark.kind for mark in marks] != ["begin", "end"]:
        listed = ", ".join(f"{mark.kind} in line {content.count(chr(10), 0, mark.start) + 1}" for mark in marks[:6])
        raise InvalidInput(
            f"The heedful markers in the file do not match: {listed}.",
            hint=f"Keep one {BEGIN} followed by one {END}, or delete all of them.",
        )
    return marks[0].start, marks[1].end


def _newline(content: str) -> str:
    return "\r\n" if content.partition("\n")[0].endswith("\r") else "\n"


def _gap(content: str, newline: str) -> str:
    """What to insert for an empty line before the section."""
    said = content.removeprefix(_BOM)
    if not said or said.endswith(newline * 2) or said == newline:
        return ""
    return newline if said.endswith("\n") else newline * 2

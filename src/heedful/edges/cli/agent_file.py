"""The section of an agent file (AGENTS.md, CLAUDE.md) that heedful keeps: approved learnings between two markers.

The file is somebody else's: whatever stands outside the markers stays as it is, to the byte. No line of what was
learned can pass for a marker, a heading, a fence or a comment (`text/fence.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from heedful.edges.cli.essence import essence, shortened
from heedful.errors import InvalidInput
from heedful.records.insight import TITLE_LIMIT, Insight, InsightCategory
from heedful.text.fence import BEGIN, END, markdown

_NOTE = (
    "Learned from earlier conversations, and approved by people. `heedful learnings write` keeps this section:",
    "change it with `heedful learnings edit`, `retire` or `approve`. What is changed here is lost.",
)
_NOTHING = "Nothing is approved yet."
_RULES = "Rules"
_NAMES = {
    InsightCategory.WORKFLOW: "Workflows",
    InsightCategory.TOOL_USAGE: "Tools",
    InsightCategory.BEST_PRACTICE: "Practices",
    InsightCategory.PATTERN: "Patterns",
    InsightCategory.ANTI_PATTERN: "To avoid",
    InsightCategory.DECISION: "Decisions",
    InsightCategory.BUG_FIX: "Bugs and their fixes",
    InsightCategory.OPTIMIZATION: "Optimizations",
}
_MARK = re.compile(r"^\ufeff?[ \t]*(<!--[ \t]*heedful:(begin|end)[ \t]*-->)[ \t]*\r?$", re.MULTILINE)
_BOM = "\ufeff"


def section(insights: Sequence[Insight]) -> list[str]:
    """Its lines, with the markers: rules first, then by category, what was learned first first."""
    told = [line for name, group in _groups(insights) for line in ("", f"### {name}", "", *_bullets(group))]
    return [BEGIN, "## Learned from earlier work", "", *_NOTE, *(told or ["", _NOTHING]), END]


def _groups(insights: Sequence[Insight]) -> Iterator[tuple[str, list[Insight]]]:
    ordered = sorted(insights, key=lambda one: (one.at, one.id))
    named = [(_RULES, [one for one in ordered if one.rule])]
    others = [one for one in ordered if not one.rule]
    named += [(name, [one for one in others if one.category is category]) for category, name in _NAMES.items()]
    return ((name, group) for name, group in named if group)


def _bullets(insights: Sequence[Insight]) -> Iterator[str]:
    for one in insights:
        yield f"- {markdown(shortened(one.title, TITLE_LIMIT))}"
        yield from (f"  {markdown(said)}" for said in essence(one))


class _Mark(NamedTuple):
    kind: str
    start: int
    end: int


def has_section(content: str) -> bool:
    return _place(content) is not None


def updated(content: str, lines: Sequence[str]) -> str:
    """The file with this section in the place of the one it has, or at its end."""
    newline = _newline(content)
    told = newline.join(lines)
    place = _place(content)
    if place is not None:
        return f"{content[: place[0]]}{told}{content[place[1] :]}"
    return f"{content}{_gap(content, newline)}{told}{newline}"


def _place(content: str) -> tuple[int, int] | None:
    marks = [_Mark(found[2], *found.span(1)) for found in _MARK.finditer(content)]
    if not marks:
        return None
    if [mark.kind for mark in marks] != ["begin", "end"]:
        told = ", ".join(f"{mark.kind} in line {content.count(chr(10), 0, mark.start) + 1}" for mark in marks[:6])
        raise InvalidInput(
            f"The markers of heedful's section do not fit together: {told}.",
            hint=f"Leave one {BEGIN} and, below it, one {END}; or delete them all.",
        )
    return marks[0].start, marks[1].end


def _newline(content: str) -> str:
    """As the file itself begins its second line."""
    return "\r\n" if content.partition("\n")[0].endswith("\r") else "\n"


def _gap(content: str, newline: str) -> str:
    """An empty line between what stands there and the section."""
    said = content.removeprefix(_BOM)
    if not said or said.endswith(newline * 2) or said == newline:
        return ""
    return newline if said.endswith("\n") else newline * 2

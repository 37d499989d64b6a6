"""The section of an agent file (AGENTS.md, CLAUDE.md): approved learnings as Markdown between two markers."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.learnings.kinds import KINDS
from heedful.records.context import AgentsSection
from heedful.records.learning import Learning
from heedful.text.fence import BEGIN, END, markdown

TITLE = "Learned from earlier work"
_NOTE = (
    "Learned from earlier conversations, and approved by people. `heedful learnings write` keeps this section:",
    "change it with `heedful learnings edit`, `retire` or `approve`. What is changed here is lost.",
)
_NOTHING = "Nothing is approved yet."


def section(learnings: Sequence[Learning], elsewhere: Sequence[str] = ()) -> AgentsSection:
    """Grouped by kind and category, oldest first."""
    groups: dict[str, list[Learning]] = {heading: [] for kind in KINDS.values() for heading in kind.headings.values()}
    for one in sorted(learnings, key=lambda one: (one.at, one.id)):
        groups[KINDS[one.kind].heading(one)].append(one)
    lines = [BEGIN, f"## {TITLE}", "", *_NOTE]
    for heading, group in groups.items():
        if group:
            lines += ["", f"### {heading}", "", *(line for one in group for line in _bullet(one))]
    if not learnings:
        lines += ["", _NOTHING]
    ids = tuple(one.id for group in groups.values() for one in group)
    return AgentsSection("\n".join((*lines, END)), ids, tuple(elsewhere))


def _bullet(learning: Learning) -> list[str]:
    first, *more = map(markdown, KINDS[learning.kind].bullet(learning))
    return [f"- {first}", *(f"  {line}" for line in more)]

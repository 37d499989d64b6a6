"""What several screens are made of: named facts in a grid, and both sides of a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.table import Table
from rich.text import Text

from heedful.edges.cli.terminal import Part, assembled, visible

GONE, COME = "red", "green"
"""The colours of what was removed and added."""


def grid(style: str, named: Iterable[tuple[str, Sequence[Part]]]) -> Table:
    """Names on the left, and what they stand for beside them; what stands for nothing is left out."""
    found = Table.grid(padding=(0, 2))
    found.add_column(no_wrap=True)
    for name, parts in named:
        if any(parts):
            found.add_row(Text(visible(name), style), assembled(parts))
    return found


def change(before: str, after: str) -> Iterator[Text]:
    """Lines with a minus, then lines with a plus."""
    for mark, style, text in (("-", GONE, before), ("+", COME, after)):
        yield from (Text(visible(f"{mark} {line}"), style) for line in text.splitlines())

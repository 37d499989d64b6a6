"""What several screens are made of: tables, named facts in a grid, and both sides of a change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from heedful.edges.cli.terminal import Part, assembled, visible

GONE, COME = "red", "green"
"""The colours of what was removed and added."""


def table(columns: Iterable[str], *, wrapping: Collection[str] = (), numbers: Collection[str] = ()) -> Table:
    """A table of which these columns may wrap, and those of numbers are aligned to the right."""
    found = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        found.add_column(
            Text(visible(name)),
            justify="right" if name in numbers else "left",
            no_wrap=name not in wrapping,
            overflow="fold",
        )
    return found


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

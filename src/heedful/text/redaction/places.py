"""Where a mark stands in a text. Far faster than a pattern, so it comes before any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def places(mark: str, text: str) -> Iterable[int]:
    at = text.find(mark)
    return () if at < 0 else _from(at, mark, text)


def _from(at: int, mark: str, text: str) -> Iterator[int]:
    while at >= 0:
        yield at
        at = text.find(mark, at + len(mark))

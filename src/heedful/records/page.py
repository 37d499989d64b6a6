"""A page of a long list, and the cursor of the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from heedful.records import names
from heedful.records.record import Record

T = TypeVar("T")
_SIZE = 500


@dataclass(frozen=True, slots=True)
class Page(Record, Generic[T]):
    items: Sequence[T]
    next: str | None
    """Pass this as `cursor` for the next page; None at the end."""


def every(page: Callable[..., Page[T]], limit: int | None, cursor: str | None, **wanted: Any) -> Iterator[T]:
    """Iterates over a list from a cursor on, up to a limit, reading page by page."""
    most = None if limit is None else names.limit(limit)
    size = _SIZE if most is None else min(_SIZE, max(1, most))
    first = page(**wanted, limit=size, cursor=cursor)  # reports invalid filters now
    return islice(_items(page, first, size, wanted), most)


def _items(page: Callable[..., Page[T]], first: Page[T], size: int, wanted: Mapping[str, Any]) -> Iterator[T]:
    yield from first.items
    while first.next is not None:
        first = page(**wanted, limit=size, cursor=first.next)
        yield from first.items

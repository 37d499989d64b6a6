"""A part of a long list, and where the next part begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    items: Sequence[T]
    next: str | None
    """Hand this in as `cursor` for the next page; None at the end."""

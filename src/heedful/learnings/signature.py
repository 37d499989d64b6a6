"""A signature: finds duplicates of a learning without reading all learnings."""

from __future__ import annotations

from typing import NamedTuple

from heedful.text.canonical import canonical
from heedful.text.fingerprints import bands, simhash


class Signature(NamedTuple):
    canonical: str
    """Equal for two texts that differ only in case, spaces, dates and issue numbers."""
    simhash: int
    bands: tuple[int, int, int]
    """Two texts that differ in few words have one in common."""


def signature(category: str, title: str, core: str) -> Signature:
    value = simhash(f"{title}\n{core}")
    return Signature(canonical(category, title, core), value, bands(value))

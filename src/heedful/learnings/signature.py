"""A signature: finds learnings that say the same without reading all of them."""

from __future__ import annotations

from typing import NamedTuple

from heedful.text.canonical import canonical
from heedful.text.fingerprints import bands, simhash


class Signature(NamedTuple):
    canonical: str
    """The same for two texts that differ in case, spaces, dates and numbers of issues alone."""
    simhash: int
    bands: tuple[int, int, int]
    """Of which two texts have one in common if they differ in few words."""


def signature(category: str, title: str, core: str) -> Signature:
    value = simhash(f"{title}\n{core}")
    return Signature(canonical(category, title, core), value, bands(value))

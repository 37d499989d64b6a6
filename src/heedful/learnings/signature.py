"""What an insight looks like, for finding its likes without reading all of them."""

from __future__ import annotations

from typing import NamedTuple

from heedful.records.learning import Stated
from heedful.text.canonical import canonical
from heedful.text.fingerprints import bands, simhash


class Signature(NamedTuple):
    canonical: str
    """The same for two texts that differ in case, spaces, dates and numbers of issues alone."""
    simhash: int
    bands: tuple[int, int, int]
    """Of which two texts have one in common if they differ in few words."""


def signature(topic: str, words: Stated) -> Signature:
    core = words.core()
    value = simhash(f"{words.title}\n{core}")
    return Signature(canonical(topic, words.title, core), value, bands(value))

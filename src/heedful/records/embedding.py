"""Texts as vectors: those of similar meaning point in similar directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""One row for each text. Rows have length one, so that the product of two is their similarity, from -1 to 1."""


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """Names the model and its version: vectors of different names are never compared."""

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A row for each text, in their order. The same text always gives the same row."""

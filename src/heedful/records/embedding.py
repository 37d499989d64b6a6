"""Embeddings: texts of similar meaning have vectors in similar directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""One row per text. Rows have length one, so the dot product of two is their cosine similarity, from -1 to 1."""


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """The model and its version: vectors of different names are never compared."""

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order. The same text always has the same row."""

"""Embeddings: texts of similar meaning have vectors in similar directions."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from heedful.errors import Misconfigured, ProviderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG = logging.getLogger("heedful.meaning")

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


class Meaning(NamedTuple):
    embedder: str
    """The name of the embedder: only vectors of the same one can be compared."""
    vector: NDArray[np.float32]


def meanings(embedder: Embedder, texts: Sequence[str]) -> list[Meaning] | None:
    """One per text. None if the embedder fails: search continues by words, and a job adds the vectors later."""
    try:
        vectors = embedder.embed(texts)
    except (ProviderError, Misconfigured) as error:
        _LOG.warning("embedding failed, searching by words only: %s", error)
        return None
    return [Meaning(embedder.name, vector) for vector in vectors]


def meaning(embedder: Embedder, text: str) -> Meaning | None:
    found = meanings(embedder, [text])
    return None if found is None else found[0]

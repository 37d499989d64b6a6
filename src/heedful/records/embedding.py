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


ASPECTS = "\x1e"
"""Between the aspects of a text that is embedded."""
_MOST_ASPECTS = 6


def embedded(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """One row per text. That of a text with several aspects is the sum of their directions: it is near whatever is near
    one of them, where a vector of all in a row would be less near."""
    import numpy as np  # not for a process that only records

    parts = [text.split(ASPECTS, _MOST_ASPECTS - 1) for text in texts]
    vectors = embedder.embed([part for text in parts for part in text])
    if len(vectors) == len(texts):
        return vectors
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-9))
    starts = np.cumsum([0, *map(len, parts[:-1])])
    sums: Vectors = np.add.reduceat(vectors / lengths, starts, dtype=np.float32)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9), np.float32)


def meanings(embedder: Embedder, texts: Sequence[str]) -> list[Meaning] | None:
    """One per text. None if the embedder fails: search continues by words, and a job adds the vectors later."""
    try:
        vectors = embedded(embedder, texts)
    except (ProviderError, Misconfigured) as error:
        _LOG.warning("embedding failed, searching by words only: %s", error)
        return None
    return [Meaning(embedder.name, vector) for vector in vectors]


def meaning(embedder: Embedder, text: str) -> Meaning | None:
    found = meanings(embedder, [text])
    return None if found is None else found[0]

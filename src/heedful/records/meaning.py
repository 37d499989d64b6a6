"""What a text means, as a vector; and doing without, when whatever makes vectors does not answer."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from heedful.errors import Misconfigured, ProviderError
from heedful.records.embedding import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG = logging.getLogger("heedful.meaning")


class Meaning(NamedTuple):
    embedder: str
    """What made the vector: only those of the same can be compared."""
    vector: NDArray[np.float32]


def meanings(embedder: Embedder, texts: Sequence[str]) -> list[Meaning] | None:
    """One for each text. None if the embedder fails: searching goes on by words, and a job catches up on vectors."""
    try:
        vectors = embedder.embed(texts)
    except (ProviderError, Misconfigured) as error:
        _LOG.warning("no vectors for now: %s", error)
        return None
    return [Meaning(embedder.name, vector) for vector in vectors]


def meaning(embedder: Embedder, text: str) -> Meaning | None:
    found = meanings(embedder, [text])
    return None if found is None else found[0]

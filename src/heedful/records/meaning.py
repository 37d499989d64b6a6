"""The embedding of a text; or none, if the embedder fails."""

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

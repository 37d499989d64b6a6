"""Embeds learnings that have no vector, or one of older wording or another embedder."""

from __future__ import annotations

from collections.abc import Callable

from heedful.learnings.table import LearningTable
from heedful.records.embedding import Embedder, embedded
from heedful.store import Store
from heedful.store.vectors import NewVector, packed

_CHUNK = 32


def embed_missing(store: Store, embedder: Embedder, progress: Callable[[int], None] = lambda _: None) -> int:
    """Returns how many were embedded. A learning edited meanwhile keeps the newer vector."""
    done, place = 0, 0
    while found := LearningTable(store).unembedded(embedder.name, place, _CHUNK):
        vectors = embedded(embedder, [one.text for one in found])
        written = [NewVector(one.no, one.said, packed(vector)) for one, vector in zip(found, vectors, strict=True)]
        with store.recording() as record:
            LearningTable(store).put_vectors(record.transaction, embedder.name, written)
        done += len(written)
        place = found[-1].no
        progress(len(written))
    return done

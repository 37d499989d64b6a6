"""Vectors in memory: of many, the nearest are those that comparing each of them would give."""

from __future__ import annotations

import numpy as np

from heedful.store.nearest import Index
from heedful.store.vectors import packed

DIMENSIONS = 96
MANY = 6_000  # so many that signs are compared first
GROUPS = 60


def _vectors(count: int, seed: int) -> list[bytes]:
    dice = np.random.default_rng(seed)
    centres = dice.standard_normal((GROUPS, DIMENSIONS))
    rows = centres[dice.integers(0, GROUPS, count)] + 0.4 * dice.standard_normal((count, DIMENSIONS))
    return [packed(row.astype(np.float32)) for row in rows]


def _by_comparing_each(vectors: dict[int, bytes], asked: bytes, limit: int) -> list[int]:
    vector = np.frombuffer(asked, np.int8).astype(np.float64)
    cosines = {}
    for number, kept in vectors.items():
        row = np.frombuffer(kept, np.int8).astype(np.float64)
        cosines[number] = row @ vector / np.linalg.norm(row) / np.linalg.norm(vector)
    return sorted(cosines, key=lambda number: (-cosines[number], number))[:limit]


def _asked(vector: bytes) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    whole = np.frombuffer(vector, np.int8).astype(np.float32)
    return whole / np.linalg.norm(whole)


def test_the_nearest_of_many_are_found() -> None:
    index, vectors = Index(), dict(enumerate(_vectors(MANY, seed=1), 1))
    index.add(list(vectors), list(vectors.values()), MANY, DIMENSIONS)

    for number in range(1, MANY, 1_000):
        near = index.nearest(_asked(vectors[number]), 20)
        assert [one.no for one in near] == _by_comparing_each(vectors, vectors[number], 20)


def test_a_vector_that_was_written_again_counts_once_and_as_it_is_now() -> None:
    index, vectors = Index(), dict(enumerate(_vectors(MANY, seed=1), 1))
    index.add(list(vectors), list(vectors.values()), MANY, DIMENSIONS)
    again = dict(zip(range(10, 40), _vectors(30, seed=2), strict=True))
    for version in (1, 2):
        index.add(list(again), list(again.values()), MANY + version, DIMENSIONS)

    vectors |= again
    near = index.nearest(_asked(again[12]), MANY)
    assert len(near) == len({one.no for one in near}) == MANY
    assert [one.no for one in near[:20]] == _by_comparing_each(vectors, again[12], 20)


def test_some_can_be_left_out() -> None:
    index, vectors = Index(), dict(enumerate(_vectors(MANY, seed=1), 1))
    index.add(list(vectors), list(vectors.values()), MANY, DIMENSIONS)
    first = [one.no for one in index.nearest(_asked(vectors[5]), 3)]

    others = [one.no for one in index.nearest(_asked(vectors[5]), 20, without=np.array(first))]
    assert others == [no for no in _by_comparing_each(vectors, vectors[5], 23) if no not in first]

"""Ranking: rarity and impact of terms, impacts in one byte, and one order of two lists."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from heedful.learnings.score_fusion import K1, UNPACKED_IMPACT, fuse, idf, impact, pack_impact

_counts = st.integers(1, 512)
_scores = st.floats(0.01, 100)
_cosines = st.floats(-1, 1)
_keys = st.integers(0, 30)


def _best_first(scores: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))


_texts = st.dictionaries(_keys, _scores, max_size=20).map(_best_first)
_vectors = st.dictionaries(_keys, _cosines, max_size=20).map(_best_first)


@given(st.integers(1, 10**6), st.integers(0, 10**6))
def test_a_rarer_term_tells_more_and_every_term_tells_something(rows: int, having: int) -> None:
    assert 0 < idf(rows, having + 1) <= idf(rows, having)


@given(_counts, _counts)
def test_impact_grows_with_repetition_and_falls_with_length(count: int, length: int) -> None:
    assert 0 < impact(count, length) < impact(count + 1, length) < K1 + 1
    assert impact(count, length + 1) < impact(count, length)


@given(_counts, _counts)
def test_a_byte_keeps_an_impact_to_half_a_step(count: int, length: int) -> None:
    assume(count <= length)
    exact = impact(count, length)
    byte = pack_impact(exact)
    assert 1 <= byte <= 255
    assert abs(UNPACKED_IMPACT[byte] - exact) <= (K1 + 1) / 255 / 2 + 1e-9


@given(st.floats(0, 10))
def test_any_impact_fits_a_byte_that_is_not_nothing(x: float) -> None:
    assert 1 <= pack_impact(x) <= 255


def test_a_byte_packs_to_itself() -> None:
    assert [pack_impact(x) for x in UNPACKED_IMPACT[1:]] == list(range(1, 256))


@given(_texts, _vectors)
def test_fusing_loses_nobody_and_scores_within_bounds(
    text: list[tuple[int, float]], vector: list[tuple[int, float]]
) -> None:
    fused = fuse(text, vector)
    assert sorted(key for key, _ in fused) == sorted({key for key, _ in [*text, *vector]})
    assert all(0 <= score <= 1 for _, score in fused)
    assert all(one[1] >= other[1] for one, other in pairwise(fused))
    assert fuse(text, vector) == fused


@given(st.lists(st.tuples(_scores, _cosines), max_size=20))
def test_lists_that_agree_keep_their_order(pairs: list[tuple[float, float]]) -> None:
    scores = sorted((score for score, _ in pairs), reverse=True)
    cosines = sorted((cosine for _, cosine in pairs), reverse=True)
    fused = fuse(list(enumerate(scores)), list(enumerate(cosines)))
    assert [key for key, _ in fused] == list(range(len(pairs)))


@given(_texts)
def test_without_vectors_the_terms_decide_alone(text: list[tuple[int, float]]) -> None:
    fused = fuse(text, [])
    assert [key for key, _ in fused] == [key for key, _ in text]
    assert not fused or fused[0][1] == 1.0


@given(_vectors)
def test_without_terms_the_meaning_decides_alone(vector: list[tuple[int, float]]) -> None:
    assert [key for key, _ in fuse([], vector)] == [key for key, _ in vector]


@given(_texts, _vectors, st.floats(0.1, 10))
def test_the_scale_of_the_term_scores_does_not_matter(
    text: list[tuple[int, float]], vector: list[tuple[int, float]], scale: float
) -> None:
    scaled = dict(fuse([(key, score * scale) for key, score in text], vector))
    assert scaled == pytest.approx(dict(fuse(text, vector)))


def test_the_one_with_the_name_comes_before_those_that_are_about_the_like() -> None:
    text = [("V7", 9.8), ("V8", 4.1), ("V9", 4.1)]
    vector = [("V8", 0.71), ("V9", 0.70), ("V7", 0.52)]
    assert fuse(text, vector)[0][0] == "V7"


def test_who_is_missing_among_the_vectors_has_the_least_of_them() -> None:
    fused = dict(fuse([("new", 5.0), ("old", 5.0)], [("far", 0.9), ("old", 0.3)]))
    assert fused["new"] == fused["old"]


def test_a_key_that_comes_twice_counts_once_at_its_best() -> None:
    assert fuse([("a", 2.0), ("a", 1.0)], []) == [("a", 1.0)]

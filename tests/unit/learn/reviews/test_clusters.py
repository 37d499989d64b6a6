"""Clusters do not depend on the order of arrival, and every member is like its centre."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from heedful.learn.reviews.clusters import ALIKE, Clustered, clusters, nearness
from heedful.store.vectors import packed

_DIRECTIONS = np.random.default_rng(1).normal(size=(6, 32)).astype(np.float32)
_TAGS = ("security", "tone")


@st.composite
def remarks(draw: st.DrawFn) -> list[Clustered]:
    """Near one of a few directions, with or without a tag, on one of two agents."""
    found = []
    for number in range(draw(st.integers(0, 24))):
        noise = np.random.default_rng(draw(st.integers(0, 99))).normal(0, 0.4, 32)
        vector = _DIRECTIONS[draw(st.integers(0, 5))] + noise.astype(np.float32)
        tags = frozenset(draw(st.sets(st.sampled_from(_TAGS))))
        found.append(Clustered(f"r{number:02}", draw(st.sampled_from(["coder", "writer"])), tags, packed(vector)))
    return found


@given(remarks(), st.randoms())
def test_the_order_does_not_matter(given: list[Clustered], dice: object) -> None:
    mixed = list(given)
    dice.shuffle(mixed)  # type: ignore[attr-defined]
    assert clusters(mixed) == clusters(given)


@given(remarks())
def test_members_are_of_one_agent_like_their_centre_and_in_one_cluster(given: list[Clustered]) -> None:
    known = {one.id: one for one in given}
    found = clusters(given)
    members = [id for cluster in found for id in cluster.members]
    assert len(members) == len(set(members))
    for cluster in found:
        group = [known[id] for id in cluster.members]
        assert len(group) > 1
        assert len({one.group for one in group}) == 1
        # The centre itself may have been left out as unlike the others: then the nearest one stands for it.
        assert cluster.centre == cluster.members[0]
        assert min(_near(known[cluster.centre], one) for one in group) >= 2 * ALIKE - 1 - 0.3


def _near(one: Clustered, two: Clustered) -> float:
    ours, theirs = (np.frombuffer(each.vector, np.int8).astype(np.float32) for each in (one, two))
    cosine = float(ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs))
    return nearness(cosine, one.tags, two.tags)


def test_a_flood_of_equal_remarks_is_one_cluster() -> None:
    vector = packed(_DIRECTIONS[0])
    given = [Clustered(f"r{number:05}", "coder", frozenset(), vector) for number in range(2_000)]
    (cluster,) = clusters(given)
    assert len(cluster.members) == 2_000


def test_different_tags_take_apart_and_a_common_one_brings_together() -> None:
    one, two = frozenset({"security"}), frozenset({"tone"})
    assert nearness(0.5, one, two) < nearness(0.5, one, frozenset()) < nearness(0.5, one, one)

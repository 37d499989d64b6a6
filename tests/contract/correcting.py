"""People correct an AI: an embedder that is quick and predictable, and ways to look at all that is derived."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

import heedful
from heedful.errors import ProviderUnreachable
from heedful.learnings.events import subject
from heedful.learnings.fold import advanced
from heedful.learnings.kinds import kind_of
from heedful.learnings.row import State
from heedful.learnings.score_fusion import impact, pack_impact
from heedful.learnings.table import LearningTable
from heedful.records.embedding import Vectors
from heedful.records.learning import Status

_DIMENSIONS = 96


class WordEmbedder:
    """Texts are near each other that have words in common; what else is meant by them, it does not know."""

    dimensions = _DIMENSIONS

    def __init__(self, name: str = "words-1") -> None:
        self.name = name
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        rows: Vectors = np.array([_direction(text, self.name) for text in texts], np.float32).reshape(-1, _DIMENSIONS)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


class DeafEmbedder:
    """One whose server does not answer."""

    name = "deaf-1"
    dimensions = _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise ProviderUnreachable(f"{len(texts)} texts found nobody.", hint="Try later.")


def _direction(text: str, name: str) -> Any:
    seeds = [crc32(f"{name} {word}".encode()) for word in text.lower().split()[:50] or [""]]
    return sum(np.random.default_rng(seed).standard_normal(_DIMENSIONS) for seed in seeds)


def report(loop: heedful.Loop, wrong: str = "", right: str = "", **told: Any) -> str:
    """The id of what was learned."""
    return loop.capture.correction(wrong, right, **told).id


def found(loop: heedful.Loop, query: str, **wanted: Any) -> list[str]:
    """What the corrections that are found for a question say is right, the best first."""
    matches = loop.apply.search(query, kind="correction", **wanted)
    return [match.learning.right for match in matches if isinstance(match.learning, heedful.Correction)]


def rows(loop: heedful.Loop, table: str, columns: str = "*") -> list[tuple[Any, ...]]:
    with loop.store.database.read(loop.name) as transaction:
        return sorted(transaction.query(f"select {columns} from {table} where org_id = :org", {"org": loop.name}))


def learnings(loop: heedful.Loop) -> dict[str, State]:
    """The table."""
    return {state.id: state for state in map(State._make, rows(loop, "learning", ", ".join(State._fields)))}


def folded(loop: heedful.Loop) -> dict[str, State]:
    """What the table must be: the log, read from its beginning."""
    found: dict[str, State | None] = {}
    for event in loop.events():
        if (id := subject(event)) is not None:
            found[id] = advanced(found.get(id), event)
    return {id: state for id, state in found.items() if state is not None}


def postings(loop: heedful.Loop) -> dict[str, dict[int, int]]:
    """Each term's places and their weights, of the only generation there is."""
    ((generation, following),) = rows(loop, "org", "generation, next_generation")
    assert following is None
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for number, term, block, entries in rows(loop, "posting", "generation, term, block, entries"):
        assert number == generation
        assert entries
        assert len(entries) % 3 == 0
        places = [entries[at] + 256 * entries[at + 1] for at in range(0, len(entries), 3)]
        assert places == sorted(set(places))
        found[term] |= {4_096 * block + place: entries[3 * at + 2] for at, place in enumerate(places)}
    return dict(found)


def recounted(loop: heedful.Loop) -> dict[str, dict[int, int]]:
    """What postings must be: the words of all learnings, counted one by one."""
    said = {event.seq: event for event in loop.events()}
    counted: dict[str, dict[int, int]] = defaultdict(dict)
    for state in folded(loop).values():
        if state.status == Status.MERGED:
            continue  # evidence for another one, and not to be found
        words = kind_of(state).wording(said[state.said])
        assert words is not None
        all_terms = words.terms()
        for term, count in Counter(all_terms).items():
            counted[term][state.no] = pack_impact(impact(count, len(all_terms)))
    return dict(counted)


def vectors(loop: heedful.Loop) -> dict[int, tuple[int, str]]:
    """For each place, which words its vector is made of, and by whom."""
    return {no: (said, by) for no, said, by in rows(loop, "learning_vector", "no, said, embedder")}


def is_live(loop: heedful.Loop) -> bool:
    state = loop.store.projections.states().get("learnings")
    return state is None or state.live


def check(loop: heedful.Loop) -> None:
    """The table, its full text and the number of learnings are what the log says."""
    kept = learnings(loop)
    assert kept == folded(loop)
    assert postings(loop) == recounted(loop)
    found = [state for state in kept.values() if state.status != Status.MERGED]
    assert LearningTable(loop.store).count() == len(found)
    said = {state.no: state.said for state in found}
    assert {no: one[0] for no, one in vectors(loop).items() if said.get(no) != one[0]} == {}  # none of other words

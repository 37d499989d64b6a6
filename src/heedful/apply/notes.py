"""Notes that an agent gets with each prompt, chosen more strictly than a context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from heedful.apply.context import composed
from heedful.learnings.kinds import KINDS
from heedful.learnings.relevance import Retrieval
from heedful.learnings.table import OWN_OR_NO_SCOPE, LearningTable
from heedful.records.context import Composed
from heedful.records.embedding import Embedder
from heedful.records.learning import Status
from heedful.records.learnings import MATCHED, Match
from heedful.store import Store

_RELEVANT = 0.35
_SEARCHED = 10  # of each kind
_TOKENS = 2_000  # agents cut long contexts off


def notes(store: Store, embedder: Embedder, prompt: str, about: str | None, besides: Collection[str]) -> Composed:
    """Nothing is recorded, because the agent gets them whether they are useful or not."""
    if LearningTable(store).count() <= len(besides):
        return Composed("", (), 0)  # loading the model takes longer than all the rest
    wanted = {"status": Status.ACTIVE.value, OWN_OR_NO_SCOPE: about}
    found = Retrieval(store, embedder).related_of_each_kind(prompt, _SEARCHED, wanted)
    store.notify(MATCHED, found)
    return composed(list(_chosen(found, besides)), _TOKENS)


def _chosen(found: Sequence[Match], besides: Collection[str]) -> Iterator[Match]:
    """As many of each kind as it allows, best first."""
    taken: Counter[str] = Counter()
    for match in found:
        learning, kind = match.learning, KINDS[match.learning.kind]
        trusted = learning.approved or kind.first_hand
        if trusted and match.relevance >= _RELEVANT and learning.id not in besides and taken[kind.name] < kind.notes:
            taken[kind.name] += 1
            yield match

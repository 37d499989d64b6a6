"""Conflicts of a rule with others: contrary, the same, narrower; and what only a person can tell.

Certain is only a difference in a value, a choice or a negation between nearly the same words. Most contradictions are
said in other words, so two rules about the same matter are shown side by side rather than passed over in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from heedful.records.embedding import Embedder, meanings
from heedful.records.proposal import ConflictKind, RuleConflict
from heedful.records.rule import RuleWords
from heedful.store import Store
from heedful.text.canonical import canonical_text
from heedful.text.contradictions import contrast
from heedful.text.terms import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SAME_MATTER = 0.6  # cosine: asking once too often costs a glance, once too seldom a contradiction in a prompt
_CONTRASTED = 0.55  # cosine from which a difference in a value, choice or negation counts
_CONTRARY = 0.6  # cosine from which a certain one is a contradiction
_HELD = 0.95  # share of the words of the shorter that the longer has
_SURELY_HELD = 0.6  # cosine with it
_LOOKED_AT = 10  # the nearest: nobody reads more
_KEPT = 8_192  # readings of texts and pairs, because each look at the inbox compares the same ones


class OtherRule(NamedTuple):
    id: str
    words: RuleWords
    in_force: bool


class RuleConflicts:
    """Made for one look at some rules."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._matrix: NDArray[np.float32] | None = None
        """All vectors, one under the other."""

    def of(self, words: RuleWords, others: Iterable[OtherRule]) -> tuple[RuleConflict, ...]:
        """The most certain first."""
        mine = frozenset(words.agents)
        beside = [other for other in others if _meet(mine, other.words.agents)]
        cosines = self._cosines(words.text, [other.words.text for other in beside])
        same = _canonical(words.text)
        near = [
            (other, cosine)  # few of many: the others need not be read word by word
            for other, cosine in zip(beside, cosines, strict=True)
            if cosine >= _CONTRASTED or _canonical(other.words.text) == same
        ]
        nearest = sorted(near, key=lambda one: (-one[1], one[0].id))[:_LOOKED_AT]
        found = [_conflict(words, other, cosine) for other, cosine in nearest]
        order = list(ConflictKind)
        return tuple(
            sorted((one for one in found if one is not None), key=lambda one: (order.index(one.kind), one.other))
        )

    def _cosines(self, text: str, others: Sequence[str]) -> list[float]:
        if not others:
            return []
        if not self._read(list(dict.fromkeys((text, *others)))):
            return [_overlap(text, other) for other in others]
        if self._matrix is None:
            import numpy as np

            self._matrix = np.stack(list(self._vectors.values()))
        cosines = dict(zip(self._vectors, (self._matrix @ self._vectors[text]).tolist(), strict=True))
        return [cosines[other] for other in others]

    def _read(self, texts: Sequence[str]) -> bool:
        """Embeds what was never embedded before; false if the embedder fails."""
        cache, name = self._store.database.cache, self._embedder.name
        unread = [text for text in texts if text not in self._vectors]
        self._matrix = None if unread else self._matrix
        self._vectors |= {text: found for text in unread if (found := cache.get(("rule", name, text))) is not None}
        missing = [text for text in unread if text not in self._vectors]
        made = meanings(self._embedder, missing) if missing else []
        if made is None:
            return False
        for text, one in zip(missing, made, strict=True):
            self._vectors[text] = one.vector
            cache.put(("rule", name, text), one.vector)
        return True


_canonical = lru_cache(_KEPT)(canonical_text)
_contrast = lru_cache(_KEPT)(contrast)
_terms = lru_cache(_KEPT)(lambda text: frozenset(terms(text)))


def _meet(ours: frozenset[str], theirs: Sequence[str]) -> bool:
    """Whether an agent would get both."""
    return not ours or not theirs or not ours.isdisjoint(theirs)


def _conflict(words: RuleWords, other: OtherRule, cosine: float) -> RuleConflict | None:
    ours, theirs = words.text, other.words.text
    if _canonical(ours) == _canonical(theirs):
        return _found(ConflictKind.SAME, other, "They are the same words.")
    found = _contrast(ours, theirs)
    if found is not None and found.sure and cosine >= _CONTRARY:
        return _found(ConflictKind.CONTRARY, other, str(found))
    if found is not None and cosine >= _CONTRASTED:
        return _found(ConflictKind.UNSURE, other, f"{found} Can an agent obey both?")
    if cosine >= _SURELY_HELD and _overlap(ours, theirs) >= _HELD:
        return _found(ConflictKind.NARROWER, other, "One of them says what the other says, and more.")
    if cosine >= _SAME_MATTER:
        return _found(ConflictKind.UNSURE, other, "They are about the same matter. Can an agent obey both?")
    return None


def _found(kind: ConflictKind, other: OtherRule, why: str) -> RuleConflict:
    return RuleConflict(kind, other.id, other.in_force, other.words.text, why, _WAYS_OUT[kind, other.in_force])


_WAYS_OUT = {
    (ConflictKind.CONTRARY, True): (
        "Replace the rule in force with this one.",
        "Reject this proposal.",
        "Edit this one to say when it holds instead of the other.",
    ),
    (ConflictKind.CONTRARY, False): (
        "Approve one of the two, and reject the other.",
        "Edit both to say when they hold.",
    ),
    (ConflictKind.UNSURE, True): (
        "If both can be obeyed, approve it.",
        "Otherwise replace the rule in force, or reject this proposal.",
    ),
    (ConflictKind.UNSURE, False): ("If both can be obeyed, approve both.", "Otherwise reject one of them."),
    (ConflictKind.SAME, True): ("Reject this proposal: the rule is in force already.",),
    (ConflictKind.SAME, False): ("Reject one of the two.",),
    (ConflictKind.NARROWER, True): ("Replace the rule in force if this one says it better.", "Otherwise reject it."),
    (ConflictKind.NARROWER, False): ("Edit one of them to hold both, and reject the other.",),
}


def _overlap(ours: str, theirs: str) -> float:
    """The share of the words of the shorter that the other has."""
    mine, other = _terms(ours), _terms(theirs)
    return len(mine & other) / min(len(mine), len(other)) if mine and other else 0.0

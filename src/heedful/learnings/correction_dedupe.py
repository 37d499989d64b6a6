"""Whether two corrections say the same, or something else about the same thing.

What is newer stands: it supersedes what it contradicts, and is not averaged with it. So both answers are strict: in
doubt two corrections are about different things, and both stay.
"""

from __future__ import annotations

from enum import Enum, auto

from heedful.records.learning import Corrected
from heedful.text.normalize import composed, normal
from heedful.text.terms import terms

_EDGES = " .,;:!?\"'`«»“”‘’()"


class Relation(Enum):
    NONE = auto()
    SAME = auto()
    """The same correction, said again."""
    CONTRARY = auto()
    """About the same thing, and not the same."""


def relation(new: Corrected, old: Corrected) -> Relation:
    from heedful.text.contradictions import at_odds  # noqa: PLC0415 - its patterns take 16 ms to compile

    wrong, right = _compared(new)
    old_wrong, old_right = _compared(old)
    if (wrong, right) == (old_wrong, old_right):
        return Relation.SAME
    if not _same_question(new.query, old.query):
        return Relation.NONE
    if wrong and wrong == old_wrong and right and old_right:
        return Relation.CONTRARY
    if wrong and wrong == old_right:
        return Relation.CONTRARY  # what had been right is wrong now
    if not wrong and not old_wrong and at_odds(new.right, old.right):
        return Relation.CONTRARY
    return Relation.NONE


def _same_question(new: str, old: str) -> bool:
    """The same words can be wrong in one place and right in another."""
    ours, theirs = set(terms(new)), set(terms(old))
    return not ours or not theirs or 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _compared(words: Corrected) -> tuple[str, str]:
    """Without case and marks around it, unless it is about these."""
    pair = _plain(words.wrong), _plain(words.right)
    if pair[0] != pair[1]:
        return pair
    return " ".join(composed(words.wrong).split()), " ".join(composed(words.right).split())


def _plain(text: str) -> str:
    return normal(text).strip(_EDGES)

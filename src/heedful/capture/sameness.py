"""Whether two corrections say the same, or something else about the same thing.

What is newer stands: it supersedes what it contradicts, and is not averaged with it. So both answers are strict: in
doubt two corrections are about different things, and both stay.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum, auto

from heedful.model.learning import Words
from heedful.model.terms import terms
from heedful.model.words import composed, normal

_SHARED = 2  # terms that two instructions must have in common
_VALUE = re.compile(r"\d")
_POLARITY_WORDS = """
    always never not no don't do dont avoid without with must mustn't stop immer nie niemals nicht kein keine ohne mit
    toujours jamais pas sans avec siempre nunca no sin con sempre não sem com
"""
_POLARITY = frozenset(_POLARITY_WORDS.split())
_WORD = re.compile(r"[\w'’]+(?:[.\-/][\w'’]+)*")
_EDGES = " .,;:!?\"'`«»“”‘’()"


class Relation(Enum):
    NONE = auto()
    SAME = auto()
    """The same correction, said again."""
    CONTRARY = auto()
    """About the same thing, and not the same."""


def relation(new: Words, old: Words) -> Relation:
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
    if not wrong and not old_wrong and _differs_in_value(new.corrected, old.corrected):
        return Relation.CONTRARY
    return Relation.NONE


def _same_question(new: str, old: str) -> bool:
    """The same words can be wrong in one place and right in another."""
    ours, theirs = set(terms(new)), set(terms(old))
    return not ours or not theirs or 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _compared(words: Words) -> tuple[str, str]:
    """Without case and marks around it, unless it is about these."""
    pair = _plain(words.original), _plain(words.corrected)
    if pair[0] != pair[1]:
        return pair
    return " ".join(composed(words.original).split()), " ".join(composed(words.corrected).split())


def _differs_in_value(new: str, old: str) -> bool:
    """Two instructions in the same words, but for a number, or for saying yes to what the other says no to."""
    ours, theirs = _words(new), _words(old)
    only = list(((ours - theirs) + (theirs - ours)).elements())
    if not only or len(set(terms(new)) & set(terms(old)) - set(only)) < _SHARED:
        return False
    return all(_VALUE.search(word) for word in only) or all(word in _POLARITY for word in only)


def _words(text: str) -> Counter[str]:
    return Counter(word.replace("’", "'") for word in _WORD.findall(normal(text)))


def _plain(text: str) -> str:
    return normal(text).strip(_EDGES)

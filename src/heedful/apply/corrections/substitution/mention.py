"""Whether a text only mentions words: negates or quotes them, or says what they were before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from heedful.apply.corrections.substitution.tokens import Token
from heedful.apply.corrections.substitution.vocabulary import DENYING, DENYING_PAIRS, NAMING, NOT_DENYING_PAIRS, REVISED

_BACK = 6  # words
_AHEAD = 4
_CLAUSE = frozenset({",", ";", ":", "—", "–", "(", ")", "|", "but", "aber", "mais", "pero"})
_ARROWS = frozenset({"→", "=>", "⇒"})


def is_denied(before: Sequence[Token]) -> bool:
    """`never returns an error`, `instead of tabs`: a negation precedes it in the same clause."""
    words = _clause(before)
    pairs = list(pairwise(words))
    if any(pair in DENYING_PAIRS for pair in pairs):
        return True
    allowed = {pair[0] for pair in pairs if pair in NOT_DENYING_PAIRS}
    allowed |= {pair[1] for pair in pairs if pair in NOT_DENYING_PAIRS}
    return any((word in DENYING and word not in allowed) or word.endswith("n't") for word in words)


def is_revised(after: Sequence[Token]) -> bool:
    """`foo was renamed`, `foo → bar`: the text says what became of it."""
    ahead = after[:_AHEAD]
    if any(one.text in _ARROWS for one in ahead[:2]) or [one.text for one in ahead[:2]] == ["-", ">"]:
        return True
    words = [one.key for one in ahead]
    return any(word in REVISED for word in words) or words[:2] in (["is", "now"], ["(", "now"], ["no", "longer"])


def is_named(before: Sequence[Token]) -> bool:
    """`you said "error"`, `the word "error"`: the quotes are about the words."""
    return any(one.key in NAMING for one in before[-5:])


def _clause(before: Sequence[Token]) -> list[str]:
    words: list[str] = []
    for one in reversed(before):
        if one.key in _CLAUSE or len(words) == _BACK:
            break
        if one.key in ("and", "or", "und", "et", "y") and words and one.key != "or":
            break
        words.append(one.key)
    return words[::-1]

"""Whether somebody says in so many words that a thing holds beyond this time. Few do; those who do mean it."""

from __future__ import annotations

import re
from enum import IntEnum


class Lasting(IntEnum):
    PASSING = -1
    """`for now`, `this time`, `not yet`."""
    UNSAID = 0
    CORRECTED = 1
    """Not said; but it corrects what the agent did, and the reader understands that it holds beyond that."""
    IMPLIED = 2
    """`we never …`, `whenever`, `in this repo`, `DO NOT`: also said of what is being built. Or `I told you`: also said
    of the task."""
    EXPLICIT = 3
    """`from now on`, `remember that`, or a sentence that begins with `always` or `never`."""


_EXPLICIT = re.compile(
    r"\b(?:from now on|remember that|in future|every time you|each time you(?!['’])|"
    r"ab jetzt|künftig|désormais|"
    r"a partir de (?:ahora|agora))\b|"
    r"\bgoing forward\s*(?:[,.!]|$)|"
    r"^\W{0,3}(?:(?:please|also|and|but|no|ok|okay|just|btw|remember|bitte)\b\W{1,3}){0,3}"
    r"(?:going forward|(?:always|never)\b(?! \w*[a-rt-z]s\b)|don'?t ever|do not ever|"  # `always returns` tells
    r"immer|niemals|toujours|jamais|siempre|nunca|sempre)\b",
    re.IGNORECASE,
)
_IMPLIED = re.compile(
    r"\b(?:(?:like|as) i said|i(?:['’]ve| have)? (?:already |just )?(?:said|told you)|"
    r"(?-i:DO NOT|MUST NOT|DON'T)|always|never|every time|each time|whenever|ever again|before you|i'?d? prefer|"
    r"after (?:each|every)|we use|we don'?t|(?:in|for) (?:this|our) (?:repo|repository|project|codebase)|immer|"
    r"remember to|keep in mind|next time|nie(?:mals)?|toujours|jamais|siempre|nunca|sempre)\b|\bever\W{0,3}$|"
    r"^\W{0,3}(?:(?:please|also|and|but|just)\b\W{1,3}){0,2}(?:remember|stop \w{2,30}ing)\b",
    re.IGNORECASE,
)


_PASSING = re.compile(
    r"\b(?:for (?:now|the moment|the time being)|this (?:one )?time|just this once|temporarily|right now|"
    r"yet(?! another)|vorerst|diesmal|"
    r"pour l'instant|cette fois|por ahora|esta vez|por enquanto|desta vez)\b",
    re.IGNORECASE,
)


def lasting(sentence: str) -> Lasting:
    if _PASSING.search(sentence):
        return Lasting.PASSING
    if _EXPLICIT.search(sentence):
        return Lasting.EXPLICIT
    return Lasting.IMPLIED if _IMPLIED.search(sentence) else Lasting.UNSAID

"""Whether somebody says in so many words that a thing holds beyond this time. Few do; those who do mean it."""

from __future__ import annotations

import re
from enum import IntEnum


class Lasting(IntEnum):
    UNSAID = 0
    IMPLIED = 1
    """`we never …`, `whenever`, `in this repo`, `DO NOT`: also said of what is being built."""
    EXPLICIT = 2
    """`from now on`, `remember that`, `I told you`, or a sentence that begins with `always` or `never`."""


_EXPLICIT = re.compile(
    r"\b(?:from now on|going forward|remember (?:that|to)|in future|next time|every time you|each time you|like i said|"
    r"as i said|i (?:already |just )?(?:said|told you)|ab jetzt|künftig|désormais|a partir de (?:ahora|agora))\b|"
    r"^\W{0,3}(?:(?:please|also|and|but|no|ok|okay|just|btw|bitte)\b\W{1,3}){0,3}"
    r"(?:always|never|don'?t ever|do not ever|stop \w{2,30}ing|immer|niemals|toujours|jamais|siempre|nunca|sempre)\b",
    re.IGNORECASE,
)
_IMPLIED = re.compile(
    r"\b(?:(?-i:DO NOT|MUST NOT|DON'T)|always|never|every time|each time|whenever|ever again|before you|i'?d? prefer|"
    r"after (?:each|every)|we use|we don'?t|(?:in|for) (?:this|our) (?:repo|repository|project|codebase)|immer|"
    r"nie(?:mals)?|toujours|jamais|siempre|nunca|sempre)\b",
    re.IGNORECASE,
)


def lasting(sentence: str) -> Lasting:
    if _EXPLICIT.search(sentence):
        return Lasting.EXPLICIT
    return Lasting.IMPLIED if _IMPLIED.search(sentence) else Lasting.UNSAID

"""Whether a sentence is an order: `use uv`, `no emojis in commit messages`. Everything else tells how something is."""

from __future__ import annotations

import re

from heedful.text.words import DETERMINERS, PRONOUNS

_ORDERING = re.compile(r"(?:always|never|don['’]?t|do not|no|not|only|avoid|prefer|use|please)\b", re.IGNORECASE)
_FIRST = re.compile(r"[^\s,.;:]+")
_MAIN_CLAUSE = re.compile(
    r"[,;:(]|\s[-–—]\s|\b(?:when(?:ever)?|if|before|after|because|that|which|what|who|whose|where|so|unless|until|since|"
    r"as|while|once|than|how|why|whether)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|must|should|shall|will|would|can|could|may|might|does|did|isn['’]?t|aren['’]?t|"
    r"needs?|we|i|they|you)\b",
    re.IGNORECASE,
)


def is_order(sentence: str) -> bool:
    """It begins with what to do: its first clause has no subject that does something."""
    words = sentence.strip(" \"'“”*")
    first = _FIRST.match(words)
    if first is None or _ORDERING.match(words):
        return first is not None
    if first[0].casefold() in DETERMINERS | PRONOUNS or not first[0].isalpha():
        return False
    return _TELLS.search(_MAIN_CLAUSE.split(words, maxsplit=1)[0]) is None

"""Whether a sentence can be understood without the conversation: what its `it`, `this` and `that` stand for."""

from __future__ import annotations

import re

from heedful.learn.conversations.rules.lexicon import (
    JOINED_BY_THAT,
    ONCE,
    POINTED_AT,
    POINTING_TO_THAT,
    PROJECT_NOUNS,
    UNNAMING,
)

_WORD = re.compile(r"[\w'`./@\-]+")
_ONCE = re.compile(rf"\b(?:{ONCE})(?!\w)")
_POINTED_AT = re.compile(POINTED_AT)
_PROJECT = re.compile(rf"^(?:{PROJECT_NOUNS})\b")
# `Keep it simple` means whatever is being written.
_IDIOMS = re.compile(r"\b(?:keep|make) it (?:simple|short|dry|small|clean|brief|concise|minimal|generic|consistent)\b")
_MANY = frozenset({"it", "its", "they", "them", "their", "he", "she", "him", "her", "itself", "themselves"})
_POINTING = frozenset({"this", "these", "those", "that", "that's", "such"})
_LEADING = re.compile(
    r"^(?:(?:always|never|don't|do not|dont|please|also|just|only|ever|to|we|you|i|should|must) )*([\w'-]+)"
)
_IDENTIFIER = re.compile(
    r"`[^`]{2,60}`|\b\w+_\w+\b|\b[\w/-]{1,100}\.[a-z]{1,5}\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z]+[A-Z]\w+\b"
)
_IT = re.compile(r"\b(?:it|that)\b(?=[\s.,;!]*$|\s(?:in|on|from|to|for|before|after|with|and|by)\b)", re.IGNORECASE)


def stands_alone(masked: str) -> bool:
    """Whether nothing in these words, in lower case, points out of them or at one occasion."""
    if _ONCE.search(masked) or _POINTED_AT.search(masked):
        return False
    masked = _IDIOMS.sub("keep code", masked)
    words = [(match[0].strip("'`."), match.start(), match.end()) for match in _WORD.finditer(masked)]
    leading = _LEADING.match(masked)
    opened = leading.end() if leading else 0  # up to and with what is perhaps a verb
    named = 0  # words so far that a pronoun could stand for
    for place, (word, _, end) in enumerate(words):
        before = words[place - 1][0] if place else ""
        if word in _MANY and not named:
            return False
        if word in _POINTING and not _is_bound(word, before, masked[end:], named):
            return False
        if word == "one" and {"the", "that", "this", "which"} & {before, words[place - 2][0] if place > 1 else ""}:
            return False
        named += word not in UNNAMING and word not in _MANY and word not in _POINTING and end > opened
    return named > 0


def resolved(what: str, before: str) -> str:
    """The words with `it` replaced by the last name in the same sentence before them, where there is one."""
    names = _IDENTIFIER.findall(before)
    return _IT.sub(lambda _: names[-1], what, count=1) if names else what


def _is_bound(word: str, before: str, rest: str, named: int) -> bool:
    rest = rest.lstrip(" '`")
    if _PROJECT.match(rest) or word == "such":
        return True
    if word == "that's":
        return named > 1
    if word == "that":
        joins = before in JOINED_BY_THAT or (named > 0 and before not in POINTING_TO_THAT)
        return joins and bool(rest) and rest[0].isalpha()
    return False

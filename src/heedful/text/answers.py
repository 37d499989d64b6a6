"""Whether two answers to one question give it different values: `we close at six` and `we're open till eight`.

They need not have words in common, as two statements must that contradict each other (`contradictions.py`): what they
are about is in the question. Certain only if each gives one value, both are of one type, and not both say more, which
may be when or for whom it holds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.text.contradictions import StatedValue, negates, values
from heedful.text.lexicon import LIGHT_WORDS, NUMBER_WORDS, UNITS
from heedful.text.terms import terms
from heedful.text.words import FUNCTION_WORDS

_LONGEST = 300  # characters; who says more says more than a value
_NAME_WORDS = 3
_WORD = re.compile(r"[\w'’]+(?:[.:\-][\w'’]+)*")
_APOSTROPHE = re.compile("['’]")
_REFUSING = re.compile(
    r"^\W*(?:no|nope|nah|nein|non|não|nao)\b"
    r"(?:\s*[,.!:;…–—-]+\s*|\s+(?=(?:it|it['’]s|that|that['’]s|the|we|es|das|wir)\b))",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:are|were|all|list|sind|waren|alle|sont|tous|toutes|son|todos|todas|são)\b", re.IGNORECASE)


class GivenAnswer(NamedTuple):
    text: str
    wrong: str = ""
    """What it says is wrong, if that is known."""


def differ(ours: GivenAnswer, theirs: GivenAnswer, about: str) -> bool:
    """Whether two answers exclude each other. `about` is what both are about: the question, the corrected sentence."""
    known = frozenset(terms(about))
    mine, other = (_read(one, about, known) for one in (ours, theirs))
    if mine is None or other is None or (mine.more - other.more and other.more - mine.more):
        return False
    if mine.value is None or other.value is None:
        return _are_names(mine, other, about)
    return mine.value.kind == other.value.kind and mine.noun == other.noun and mine.value.amount != other.value.amount


class _Reading(NamedTuple):
    value: StatedValue | None
    noun: str
    """What is counted, unless the question says so."""
    name: tuple[str, ...]
    more: frozenset[str]
    """What else it says."""


def _read(answer: GivenAnswer, about: str, known: frozenset[str]) -> _Reading | None:
    text = _REFUSING.sub("", answer.text.strip())
    if not text or len(text) > _LONGEST or text.endswith("?") or negates(text):
        return None
    given = {value[:2] for value in (*values(about), *values(answer.wrong))}
    found = [value for value in values(text) if value[:2] not in given and not value.loose]
    said = [word for word in _WORD.findall(text) if _says_something(word, known)]
    if len(found) > 1:
        return None
    more = frozenset(term for word in said for term in terms(word))
    if not found:
        name = _name(said, text)
        return _Reading(None, "", name, frozenset() if name else more)
    noun = "" if found[0].kind or found[0].after in known else found[0].after
    return _Reading(found[0], noun, (), more - {noun})


def _says_something(word: str, known: frozenset[str]) -> bool:
    small = _APOSTROPHE.split(word.casefold())[0]  # `it's` says as little as `it`
    if small in FUNCTION_WORDS or small in LIGHT_WORDS or small in NUMBER_WORDS or small in UNITS or word[0].isdigit():
        return False
    return not known.issuperset(terms(word))


def _name(said: list[str], text: str) -> tuple[str, ...]:
    """The words, if they are one name and stand where other words would be written small."""
    together = re.search(r"\s+".join(map(re.escape, said)), text) if 0 < len(said) <= _NAME_WORDS else None
    if together is None or not all(word[0].isupper() for word in said):
        return ()
    return tuple(said) if together.start() > 0 or len(said) > 1 else ()


def _are_names(ours: _Reading, theirs: _Reading, about: str) -> bool:
    """Of a question for one thing. Of one person, one may give the whole name and one a part of it."""
    return bool(ours.name and theirs.name) and set(ours.name).isdisjoint(theirs.name) and not _SEVERAL.search(about)

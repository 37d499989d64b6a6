"""Kinds of words, their stems, and where they stand: what the evidence for a pair is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from heedful.capture.corrections.pairs.fitting import number_of
from heedful.capture.corrections.pairs.spans import EDGES
from heedful.text.sentences import Span
from heedful.text.stems import stem
from heedful.text.words import FUNCTION_WORDS, NEGATIONS, words_of

INDEFINITE = words_of("a an ein eine einen einem un une una um uma")
ARTICLES = INDEFINITE | words_of("the der die das den dem le la les el los las o os as")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NUMBER = re.compile(r"\d")
_CODE = re.compile(r"\w*[_./\\@=+#-]\w+|\w+\(\)?|[a-z]+[A-Z]\w*")
_QUOTED = re.compile(r"`([^`\n]{1,80})`|[\"“„«]([^\"”“»\n]{1,80})[\"”“»]")
_DENYING = NEGATIONS | words_of("""
    than instead of statt anstatt lieu lugar vez wrong old former isn't aren't wasn't don't doesn't
""")
_ADDING = words_of("also too well forgot missing mention auch aussi también também besides add")
_BEFORE_NOW = re.compile(
    r"\b(?:used? to (?:be|have|say|cost|read|stand|open|close|start|run)|formerly|back then|in the (?:old days|past)"
    r"|früher|damals|autrefois|auparavant|antiguamente|antigamente)\b"
    r"|\b(?:was|were|war|était|era)\b[^.!?]{1,60}\b(?:before|vorher|avant|antes)\b",
    re.IGNORECASE,
)
_BEFORE, _NEAR = 3, 60  # words and characters before others that deny them
_BETWEEN = 4  # words between two that are contrasted
_PLACES = 4  # of one phrase
_KEPT = 4_096


@lru_cache(_KEPT)
def kind(text: str) -> str:
    """Number, code, name or word."""
    text = text.strip(EDGES)
    words = text.split()
    if not words:
        return "word"
    if (_NUMBER.search(text) and not _CODE.fullmatch(text)) or number_of(words[0]) is not None:
        return "number"
    if _CODE.fullmatch(text):
        return "code"
    return "name" if all(word[:1].isupper() or is_small(word) for word in words) else "word"


def stems(text: str) -> tuple[str, ...]:
    """Of the content words."""
    lowered = (word.casefold() for word in _WORD.findall(text))
    return tuple(stem(word) for word in lowered if word not in FUNCTION_WORDS and word not in NEGATIONS)


stems_of_phrase = lru_cache(_KEPT)(stems)


@lru_cache(_KEPT)
def is_small(word: str) -> bool:
    return plain(word) in FUNCTION_WORDS


def is_content(word: str) -> bool:
    return bool(word) and not is_small(word) and plain(word) not in NEGATIONS


@lru_cache(_KEPT)
def plain(word: str) -> str:
    return word.strip(EDGES).casefold().replace("’", "'")


@lru_cache(_KEPT)
def form(text: str) -> str:
    """`8:15` and `7:45` have one."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text))


def is_denied(before: str) -> bool:
    """Whether the words before others deny them: `not`, `instead of`."""
    if before.rstrip().endswith((".", "!", "?", ";")):
        return False
    return not _DENYING.isdisjoint(map(plain, before[-_NEAR:].split()[-_BEFORE:]))


def is_contrast(message: str, wrong: int, wrong_end: int, right: int, right_end: int) -> bool:
    """`right, not wrong`, or `not wrong but right`: nothing but small words between the two."""
    between = message[right_end:wrong] if right_end <= wrong else message[wrong_end:right]
    said = [plain(word) for word in between.split()]
    if len(said) > _BETWEEN or not all(word in _DENYING or word in FUNCTION_WORDS or not word for word in said):
        return False
    return not _DENYING.isdisjoint(said) if right_end <= wrong else is_denied(message[:wrong])


def adds(message: str) -> bool:
    """Whether something is missing, and nothing wrong: `Stavanger too`."""
    return not _ADDING.isdisjoint(map(plain, message.split()))


def tells_of_before(clause: str) -> bool:
    """`It used to be 3`, `it was 14 before`."""
    return _BEFORE_NOW.search(clause) is not None


def places(phrase: str, lowered: str) -> list[int]:
    """Where a phrase stands by itself in a text in lower case."""
    sought, found, at = phrase.casefold(), list[int](), 0
    while (at := lowered.find(sought, at)) >= 0 and len(found) < _PLACES:
        end = at + len(sought)
        before, after = lowered[max(0, at - 1) : at], lowered[end : end + 1]
        if not (before.isalnum() and sought[0].isalnum()) and not (after.isalnum() and sought[-1].isalnum()):
            found.append(at)
        at = end
    return found


def quotations(text: str) -> list[Span]:
    """What stands in quotation marks or as code."""
    return [match.span(1 if match[1] else 2) for match in _QUOTED.finditer(text)]


def share_of_quotation(span: Span, quoted: Sequence[Span]) -> int:
    """1 for all of a quotation, -1 for a part of one."""
    for start, end in quoted:
        if start <= span[0] and span[1] <= end:
            return 1 if span[1] - span[0] >= end - start - 1 else -1
    return 0

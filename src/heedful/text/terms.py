"""The terms of a text for full-text search: stemmed words, and names whole and in parts.

`parse config` finds `parse_config` and `parseConfig`, and the other way round. Names have no prefix match: `V7` is not
in `V71`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Final
from unicodedata import normalize

from heedful.text.stems import stem
from heedful.text.words import DENIALS, FUNCTION_WORDS, SPACELESS, VOWEL_SIGNS, words_of

MOST_TERMS: Final = 512
LONGEST_TERM: Final = 64  # characters; what is longer is cut
_LONGEST_TEXT = 8_192  # characters; more than 512 words take
_LONGEST_KEPT = 32  # characters; longer chunks hardly come again
_KEPT = 16_384  # chunks; the everyday words of a few languages

_NONE: frozenset[str] = frozenset()
# What an apostrophe leaves: don't, we'll, l'école, d'accord.
_REMAINS = words_of("""
    s t m d ll re ve l j n c qu don doesn didn isn aren wasn weren won can couldn shouldn wouldn hasn haven hadn mustn
    needn ain aujourd
""")

_PAIRED = SPACELESS + r"\u1100-\u11ff\uac00-\ud7af\uff66-\uff9f"  # Korean has spaces, but not around every word
_MARKS = VOWEL_SIGNS + SPACELESS
# A chunk is a run of letters with what joins it to further ones. Nothing is required after a run and runs are
# possessive: the pattern never goes back, whatever the text.
_CHUNK = re.compile(
    rf"""
    (?:(?<![\w\-])(?:--?|\#)(?=\w))?+
    [\w{_MARKS}]++ (?:(?:['’.\-‐‑@&\\/]|::?+|://|->|(?<=\d),(?=\d))[\w{_MARKS}]++)*+
    (?:\+\+|\#(?!\w))?+
    """,
    re.VERBOSE,
)
_SCRIPTS = re.compile(rf"([{_PAIRED}]+)|[^{_PAIRED}]+")
_APOSTROPHE = re.compile("['’]")
_STEP = re.compile(r"[@&:\\/]+|->")
_JOINT = re.compile(r"[_\-‐‑]+|(?<!\d)[.,]|[.,](?!\d)")
_INNER_JOINT = re.compile(r"(?<!\d)[_\-‐‑.,]+|[_\-‐‑.,]+(?!\d)")  # but `5-10` is not 510
_RUN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_UNDIVIDED = str.maketrans({"ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "æ": "ae", "œ": "oe", "ı": "i"})
_LONG_NAME = 6  # characters; a shorter term that begins with a digit may be an ordinal, a time or a measure
_TELLING_RUN = 3  # characters on average; `V71`, `eBay` and `c667f5` are not taken apart


def terms(text: str) -> list[str]:
    """Terms in order, with repetitions. Stop words are dropped, unless there is nothing else."""
    chunks = _CHUNK.findall(text[:_LONGEST_TEXT])
    found = list(
        islice(
            chain.from_iterable(
                _content_terms(chunk) if len(chunk) <= _LONGEST_KEPT else _found(chunk, _STOP_WORDS) for chunk in chunks
            ),
            MOST_TERMS,
        )
    )
    return found or list(islice(chain.from_iterable(_found(chunk, _NONE) for chunk in chunks), MOST_TERMS))


def is_name(term: str) -> bool:
    """Whether a term mixes letters and digits as names do, such as v7; but not 7th or 10am."""
    mixed = any(map(str.isdigit, term)) and any(map(str.isalpha, term))
    return mixed and (term[0].isalpha() or len(term) >= _LONG_NAME)


@lru_cache(_KEPT)
def _content_terms(chunk: str) -> tuple[str, ...]:
    return tuple(_found(chunk, _STOP_WORDS))


def _found(chunk: str, dropped: frozenset[str]) -> Iterator[str]:
    if chunk.isascii():
        yield from _spelt(chunk, dropped)
        return
    for script in _SCRIPTS.finditer("".join(map(_plain, chunk))):
        if script[1]:
            yield from _pairs(script[1])
        else:
            yield from _spelt(script[0], dropped)


def _pairs(characters: str) -> Iterator[str]:
    """Bigrams, for scripts without spaces between words."""
    if len(characters) == 1:
        yield characters
    for start in range(len(characters) - 1):
        yield characters[start : start + 2]


def _spelt(chunk: str, dropped: frozenset[str]) -> Iterator[str]:
    if chunk[0] in "#-" or chunk[-1] in "#+":
        yield chunk.casefold()[:LONGEST_TERM]  # `C++` and `#12` are more than C and 12
        chunk = chunk.strip("#+-")
        if len(chunk) == 1:
            return
    pieces = _APOSTROPHE.split(chunk)
    for piece in pieces:
        if len(pieces) > 1 and piece.casefold() in _REMAINS and dropped:
            continue
        steps = [step for step in _STEP.split(piece) if step]
        if len(steps) > 1:
            yield piece.casefold()[:LONGEST_TERM]
        for step in steps:
            yield from _named(step, dropped)


def _named(name: str, dropped: frozenset[str]) -> Iterator[str]:
    """A name without separators, so that all spellings are one; then its parts."""
    joined = [part for part in _JOINT.split(name) if part]
    parts = [run for part in joined for run in _runs(part)]
    if len(parts) < 2:
        yield from _word("".join(joined), dropped)
        return
    yield stem(_INNER_JOINT.sub("", name).casefold()[:LONGEST_TERM])
    for part in parts:
        if len(part) > 1:
            yield from _word(part, dropped)


def _runs(part: str) -> list[str]:
    """Splits at capitals and digits: `parseConfig2` has three parts."""
    one_word = part.isalpha() and (part.islower() or part[1:].islower())
    if one_word or not part.isascii() or part.lower() == part.upper():
        return [part]
    runs = _RUN.findall(part)
    return runs if len(part) >= _TELLING_RUN * len(runs) else [part]


def _word(word: str, dropped: frozenset[str]) -> Iterator[str]:
    small = word.casefold()[:LONGEST_TERM]
    if small and (small not in dropped or (word.isupper() and len(word) > 1)):  # US and IT are not `us` and `it`
        yield stem(small)


@lru_cache(2_048)
def _plain(character: str) -> str:
    """Removes accents. One character at a time: sorting a run of accents takes quadratic time."""
    if "\u0300" <= character <= "\u036f":
        return ""
    base = "".join(one for one in normalize("NFKD", character) if not "\u0300" <= one <= "\u036f")
    plain = normalize("NFC", base).translate(_UNDIVIDED)
    return plain if plain.isalnum() else character


_ENGLISH = words_of("die fur mas per pour son war")  # which other languages have as words of grammar
_STOP_WORDS = frozenset("".join(map(_plain, word)) for word in FUNCTION_WORDS | DENIALS) - _ENGLISH

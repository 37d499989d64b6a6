"""The terms of a text, as full-text search counts them: words without their endings, names whole and in parts.

People ask in words for what was written as a name, and the other way round: `parse config` finds `parse_config` and
`parseConfig`, and each of these finds the other. A name is never found by its beginning: `V7` is not in `V71`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Final
from unicodedata import normalize

MOST_TERMS: Final = 512
LONGEST_TERM: Final = 64  # characters; what is longer is cut
_LONGEST_TEXT = 8_192  # characters; more than 512 words take
_LONGEST_KEPT = 32  # characters; longer chunks hardly come again
_KEPT = 16_384  # chunks; the everyday words of a few languages

# Words that stand in any text. Left out of the lists: what means something in English, such as `war` or `son`.
_STOP_WORD_LIST = """
    a an the this that these those there here i me my mine myself you your yours yourself he him his himself she her
    hers herself it its itself we us our ours ourselves they them their theirs themselves who whom whose which what
    am is are was were be been being do does did done doing has have had having can could may might must shall should
    will would of to in on at by for from with into onto as than about and or but nor so if when while because where
    why how not no too also just any some such both each then yet upon
    der das den dem des ein eine einen einem einer eines und oder aber mit von zu im zum zur auf ist sind nicht ich du
    er sie es wir ihr sich auch als wie bei nach aus dass wenn weil dann noch nur wird werden wurde wurden kein keine
    le la les un une du de et ou mais dans sur par avec que qui est sont ne pas au aux ce cette ces il elle nous vous
    ils elles je tu se sa ses etre ont dont leur leurs
    el los las uno unos unas y pero en con por para del al su sus lo esta este esto estas estos ese esa muy
    o os um uma uns umas dos da das ao aos na nas nos pelo pela mais com nao isso isto ele eles ela elas foi sao
"""
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())
_NONE: frozenset[str] = frozenset()
# What an apostrophe leaves: don't, we'll, l'école, d'accord.
_REMAIN_LIST = """
    s t m d ll re ve l j n c qu don doesn didn isn aren wasn weren won can couldn shouldn wouldn hasn haven hadn mustn
    needn ain aujourd
"""
_REMAINS = frozenset(_REMAIN_LIST.split())

_SPACELESS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\uff66-\uff9f\U00020000-\U0003ffff"
)
_MARKS = (  # vowel signs and accents: part of a word, although not letters
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0eff"
    r"\u1000-\u109f\u1780-\u17ff\u200c\u200d"
)
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
_SCRIPTS = re.compile(rf"([{_SPACELESS}]+)|[^{_SPACELESS}]+")
_APOSTROPHE = re.compile("['’]")
_STEP = re.compile(r"[@&:\\/]+|->")
_JOINT = re.compile(r"[_\-‐‑]+|(?<!\d)[.,]|[.,](?!\d)")
_INNER_JOINT = re.compile(r"(?<!\d)[_\-‐‑.,]+|[_\-‐‑.,]+(?!\d)")  # but `5-10` is not 510
_RUN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_VOWEL = re.compile("[aeiouy]")
_OPEN = re.compile("[^aeiou]?[aeiouy][^aeiouwxy]")
_UNDIVIDED = str.maketrans({"ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L", "æ": "ae", "œ": "oe", "ı": "i"})
_LONG_NAME = 6  # characters; a shorter term that begins with a digit may be an ordinal, a time or a measure
_TELLING_RUN = 3  # characters on average; `V71`, `eBay` and `c667f5` are not taken apart


def terms(text: str) -> list[str]:
    """In order, with repetitions. Words that stand in any text are left out, unless there is nothing else."""
    chunks = _CHUNK.findall(text[:_LONGEST_TEXT])
    found = list(islice(chain.from_iterable(map(_telling, chunks)), MOST_TERMS))
    return found or list(islice(chain.from_iterable(_found(chunk, _NONE) for chunk in chunks), MOST_TERMS))


def is_name(term: str) -> bool:
    """Whether a term is one that only names have: letters and digits together, such as v7; but not 7th or 10am."""
    mixed = any(map(str.isdigit, term)) and any(map(str.isalpha, term))
    return mixed and (term[0].isalpha() or len(term) >= _LONG_NAME)


def _telling(chunk: str) -> tuple[str, ...]:
    return _remembered(chunk) if len(chunk) <= _LONGEST_KEPT else tuple(_found(chunk, _STOP_WORDS))


@lru_cache(_KEPT)
def _remembered(chunk: str) -> tuple[str, ...]:
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
    """Where no spaces stand between words, any two neighbours may be one."""
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
    """A name without its joints, so that it is one however it is written; then its parts."""
    joined = [part for part in _JOINT.split(name) if part]
    parts = [run for part in joined for run in _runs(part)]
    if len(parts) < 2:
        yield from _word("".join(joined), dropped)
        return
    yield _stem(_INNER_JOINT.sub("", name).casefold()[:LONGEST_TERM])
    for part in parts:
        if len(part) > 1:
            yield from _word(part, dropped)


def _runs(part: str) -> list[str]:
    """`parseConfig2` in three, as its capitals and digits divide it."""
    one_word = part.isalpha() and (part.islower() or part[1:].islower())
    if one_word or not part.isascii() or part.lower() == part.upper():
        return [part]
    runs = _RUN.findall(part)
    return runs if len(part) >= _TELLING_RUN * len(runs) else [part]


def _word(word: str, dropped: frozenset[str]) -> Iterator[str]:
    small = word.casefold()[:LONGEST_TERM]
    if small and (small not in dropped or (word.isupper() and len(word) > 1)):  # US and IT are not `us` and `it`
        yield _stem(small)


@lru_cache(2_048)
def _plain(character: str) -> str:
    """Without accents. One character at a time: to put a run of accents in order takes the square of its length."""
    if "\u0300" <= character <= "\u036f":
        return ""
    base = "".join(one for one in normalize("NFKD", character) if not "\u0300" <= one <= "\u036f")
    plain = normalize("NFC", base).translate(_UNDIVIDED)
    return plain if plain.isalnum() else character


def _stem(word: str) -> str:
    """Plural, -ing, -ed, -ion and -ly off, and the ends that these change made equal.

    For English; what it does to other languages it does to question and text alike.
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _inflected(_singular(word))
    if len(word) > 6 and word.endswith(("tion", "sion")):
        word = word[:-3]  # validation, validate
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]  # controlled, control; address
    elif len(word) > 4 and word[-1] == "e":
        word = word[:-1]
    if word[-1] == "y" and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    if word.endswith("li") and len(word) > 5:
        word = word[:-1] if word[-3] in "bp" else word[:-2]  # possibly, quickly
    return word


def _singular(word: str) -> str:
    if word[-1] != "s" or word[-2] in "isu" or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _inflected(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ing"):
        base = word[:-3]
    elif word.endswith("ed") and not word.endswith("eed"):
        base = word[:-2]
    else:
        return word
    if len(base) < 2 or not _VOWEL.search(base):
        return word  # `string`, `red`
    if _OPEN.fullmatch(base):
        return base + "e"  # making, used: were it `mak`, the k would be double
    return base

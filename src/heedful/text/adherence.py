"""Whether an output uses words that are wanted, or words that are to be avoided. In doubt it is not known."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

from heedful.text.sentences import sentence_at
from heedful.text.terms import terms
from heedful.text.words import FUNCTION_WORDS, NEGATIONS, SPACELESS, words_of

_CHECKED = 200_000  # characters of an output
_MOST_MENTIONS = 50  # of one phrase whose sentences are looked at
_BEFORE = 60  # characters in which a negation is looked for
_NEAR = 4  # words before a mention that may negate it
_SIDE = 300  # characters of a sentence on either side
_EDGES = " \t\r\n.,;:!?\"'`«»“”‘’"
_AROUND = f"{_EDGES}()[]{{}}<>|*=→"
_CLAUSE_END = re.compile(r"[.!?;:\n](?:\s|$)|\n")
_WORD = re.compile(r"[^\W_](?:[\w'’]*\w)?")
_TELLING = re.compile(rf"[^\W\d_]{{3,}}|[{SPACELESS}]{{2}}")
_CODE_LENGTH = 5  # characters of a name with digits, such as INT-998
_SPACELESS = re.compile(f"[{SPACELESS}]")
_INSTEAD = frozenset({
    "instead of", "rather than", "no longer", "anstatt", "statt", "place of", "lieu de", "plutôt que", "lugar de",
    "vez de", "invece di", "opposed to",
})  # fmt: skip
_AVOIDING = words_of("""
    avoid avoids avoided avoiding vermeide vermeiden vermeidet éviter évite évitez evitar evita evite evitare
""")
_USING = FUNCTION_WORDS | words_of("use using say saying write writing call calling")
"""Words between one that avoids and what is avoided."""
_BLANK = "\x00"


def adherence(output: str, *, avoided: str, wanted: str = "", about: str = "") -> bool | None:
    """False if the output says what is to be avoided, True if it says what is wanted, None if it says neither.

    Whole words count, in any case, unless they are negated ("not X", "instead of X") or part of the other phrase. Words
    that say little by themselves, such as numbers, count only in a sentence with a word of `about`.
    """
    output, wrong, right = output[:_CHECKED], _bare(avoided), _bare(wanted)
    exact = wrong.casefold() == right.casefold()
    if exact and wrong == right:
        return None
    text = _without(output, right, exact) if _holds(right, wrong) else output
    if _asserts(text, wrong, about, exact):
        return False
    text = _without(output, wrong, exact) if _holds(wrong, right) else output
    return True if _asserts(text, right, about, exact) else None


def beside(output: str, key: str, value: str) -> bool | None:
    """True if the lines that name the key have its value; False if one has another value of the same form instead:
    `INT-998` for `INT-999`. Plain words and plain numbers are too common to tell."""
    wanted, known = " ".join(value.casefold().split()), " ".join(key.casefold().split())
    form = _form(wanted)
    found: set[bool] = set()
    for line in output[:_CHECKED].splitlines():
        told = line.casefold()
        words = {word.strip(_AROUND) for word in told.split()}
        if not _is_among(words, told, known):
            continue
        if _is_among(words, told, wanted):
            found.add(True)
        elif _is_code(wanted) and form != _form(known):
            found |= {False for word in words if _form(word) == form}
    return None if not found else found == {True}


def _is_among(words: Collection[str], line: str, phrase: str) -> bool:
    """A word of a line, or several that follow one another in it."""
    return phrase in words or (" " in phrase and _pattern(phrase, exact=True).search(line) is not None)


def _form(word: str) -> str:
    return "".join("9" if character.isdigit() else character for character in word)


def _bare(phrase: str) -> str:
    return " ".join(phrase.split()).strip(_EDGES)


def _holds(whole: str, part: str) -> bool:
    return bool(whole and part) and part.casefold() in whole.casefold()


def _without(text: str, phrase: str, exact: bool) -> str:
    return _pattern(phrase, exact).sub(lambda match: _BLANK * len(match[0]), text)


def _asserts(text: str, phrase: str, about: str, exact: bool) -> bool:
    if not phrase:
        return False
    mentions = (match.span() for match in _pattern(phrase, exact).finditer(text))
    stated = (span for span in mentions if not _is_negated(text, span[0]))
    if is_telling(phrase):
        return any(True for _ in stated)
    near = set(terms(about)) - set(terms(phrase))
    return bool(near) and any(near & set(terms(_sentence(text, *span))) for span in islice(stated, _MOST_MENTIONS))


def _pattern(phrase: str, exact: bool) -> re.Pattern[str]:
    """The phrase as whole words. `8` is neither in `8.5` nor in `v1.8`, and `error` is not in `error-free`."""
    words = r"\s+".join(map(re.escape, phrase.split()))
    start = r"(?<!\w)(?<!\w-)(?<!\d[.,])" if _is_bounded(phrase[0]) else ""
    end = r"(?!\w|-\w|[.,]\d)" if _is_bounded(phrase[-1]) else ""
    return re.compile(start + words + end, re.NOFLAG if exact else re.IGNORECASE)


def _is_bounded(character: str) -> bool:
    return (character.isalnum() or character == "_") and _SPACELESS.match(character) is None


def is_telling(phrase: str) -> bool:
    """Whether the words mean something wherever they stand: a word with a meaning of its own, or a code."""
    words = (word.casefold() for word in _TELLING.findall(phrase))
    return any(word not in FUNCTION_WORDS for word in words) or any(map(_is_code, phrase.split()))


def _is_code(word: str) -> bool:
    return len(word) >= _CODE_LENGTH and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _is_negated(text: str, at: int) -> bool:
    before = text[max(0, at - _BEFORE) : at]
    clause = _CLAUSE_END.split(before)[-1]
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(clause)][-_NEAR:]
    if any(word in NEGATIONS or word.endswith("n't") for word in words):
        return True
    if next((word for word in reversed(words) if word not in _USING), "") in _AVOIDING:
        return True
    return bool(words) and (words[-1] in _INSTEAD or " ".join(words[-2:]) in _INSTEAD)


def _sentence(text: str, start: int, end: int) -> str:
    first, last = sentence_at(text, start, end, _SIDE)
    return text[first:last]

"""Whether a message is about words, and not about things: `we say guests, not clients`, but `Ana leads, not Bob`."""

from __future__ import annotations

import re

from heedful.text.words import DENIALS, DETERMINERS, PRONOUNS, words_of

_NAMING = words_of("""
    say says saying call calls calling write writes writing spell spells term terms word words phrase refer speak
    sag sage sagen sagt nenn nenne nennen nennt schreib schreibe schreiben schreibt heißt heißen wort begriff
    dire dis dit dites disons écrire écris écrit écrivez écrivons appelle appelez appelons mot terme
    decir di dice diga decimos digamos escribe escribir escribimos llamamos palabra término
    dizer diz diga dizem dizemos escreve escrever escrevemos chamamos palavra termo
""")
_THINGS = words_of("the le la les el los las os as il lo gli")  # `call the desk` names nothing
_PASSED_OVER = (
    (DETERMINERS - _THINGS)
    | PRONOUNS
    | DENIALS
    | words_of("""
    never always only just please instead of rather than as to is are
    nie immer nur statt jamais toujours nunca siempre sempre
""")
)
_CALLED = re.compile(
    r"\b(?:that|it|this|they|these|those)(?:['’](?:s|re)|\s+(?:is|are))(?:\s+\w+)?\s+(?:called|named)\W+(?:\w+\W+)?\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_QUOTES = ("\"'“„«‘", "\"'”“»’")
_REACH = 80  # characters before a word


def is_naming(message: str, wrong: str, right: str) -> bool:
    """Whether it says how something is called or written."""
    return any(_names(message, place) for words in (wrong, right) if words for place in _places(message, words))


def as_said(wrong: str, right: str, message: str) -> tuple[str, str]:
    """Both without the capital that begins a sentence, if the message writes one of them small."""
    if not (wrong[:1].isupper() and right[:1].isupper()):
        return wrong, right
    small = tuple(text[:1].lower() + text[1:] for text in (wrong, right))
    said = any(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", message) for text in small)
    return (small[0], small[1]) if said else (wrong, right)


def _places(message: str, words: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", message, re.IGNORECASE))


def _names(message: str, place: re.Match[str]) -> bool:
    before, after = message[max(0, place.start() - _REACH) : place.start()], message[place.end() : place.end() + 1]
    if before[-1:] and before[-1] in _QUOTES[0] and after and after in _QUOTES[1]:
        return True
    if _CALLED.search(before):
        return True
    said = (word.lower() for word in reversed(_WORD.findall(re.split(r"[.!?;:]", before)[-1])))
    return next((word for word in said if word not in _PASSED_OVER), "") in _NAMING

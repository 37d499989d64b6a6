"""What makes sense to somebody who was not there, as the reader of statements tells."""

from __future__ import annotations

import re

from heedful.records.reading import LikelyStatement, Reader
from heedful.text.dictation import kept_of
from heedful.text.inflection import is_past
from heedful.text.persons import is_complaint
from heedful.text.pointing import points
from heedful.text.rarity import rarity
from heedful.text.reports import is_report
from heedful.text.terms import terms
from heedful.text.words import NEGATIONS, words_of

_ALONE, _SURELY_ALONE = 0.24, 0.4
_LASTING = 0.004  # somebody keeps it on purpose: only what surely passes is left out
_LEAST = 2  # words
_EVERYDAY = 0.75  # the rarity of a word that may lead to what is said: `actually`
_NAMED_BEFORE = words_of("it he she they es er il elle ils elles él ella ellos ele ela eles")
"""Who or what it is stands in what was said before."""
_SHOWS = words_of("here done hier fertig voici fait aquí hecho listo aqui feito pronto sure ok okay")
_YOU = frozenset({"you", "you've", "you’ve"})
_OWN = re.compile(r"\b(?:I|(?i:ich|je|yo|eu|i['’](?:ll|m|ve|d)|let['’]?s|we['’]ll))\b")
_WORDS = re.compile(r"[\w'’]+")
_DENIED = re.compile(r"\b(?:not|never|n['’]t)\s+$", re.IGNORECASE)


class StandingAlone:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def said(self, message: str) -> str:
        """The sentences of a message that stand alone, in the person's words; empty if none does."""
        read = self._reader.message(message, "").statements
        return " ".join(" ".join(_sentence(message, one) for one in read if _stands_alone(message, one)).split())

    def fact(self, sentence: str) -> str:
        """A sentence of an output that tells how something is; empty if it tells what the AI did, or shows."""
        first, *_ = [*_WORDS.findall(sentence.casefold()), ""]
        if is_report(sentence) or is_past(first) or first in _SHOWS or _OWN.search(sentence) or points(sentence):
            return ""
        read = self._reader.message(sentence, "").statements
        return " ".join(sentence.split()) if read and all(one.alone >= _SURELY_ALONE for one in read) else ""


def _stands_alone(text: str, one: LikelyStatement) -> bool:
    words = text[one.start : one.end]
    lasts = one.alone >= _ALONE and one.chance >= _LASTING
    told = words.split()
    if not lasts or is_complaint(words) or len(told) < _LEAST or told[0].casefold() in _NAMED_BEFORE or _blames(told):
        return False
    return not points(text[slice(*one.sentence)])


def _blames(told: list[str]) -> bool:
    """`You forgot the header`."""
    return told[0].casefold() in _YOU and is_past(told[1].casefold())


def _sentence(text: str, one: LikelyStatement) -> str:
    """Without what leads to it: `no, …`, `actually …`."""
    start, end = kept_of(text, one.sentence)
    lead = text[start : one.start]
    leads = terms(" ".join(word for word in _WORDS.findall(lead) if word.casefold() not in NEGATIONS))
    carries = len(leads) > 1 or any(rarity(word) > _EVERYDAY for word in leads) or _DENIED.search(lead)
    said = text[start if carries else one.start : end].strip()
    return said if carries else f"{said[:1].upper()}{said[1:]}"

"""A find in its sentence, and whether it is a plain word there, a name of its own, or a part of another name."""

from __future__ import annotations

import re
from typing import NamedTuple

from heedful.apply.corrections.substitution.alignment import Plan, Stretch
from heedful.apply.corrections.substitution.casing import is_capitalised
from heedful.apply.corrections.substitution.label import label
from heedful.apply.corrections.substitution.surroundings import Inside, TextPage
from heedful.apply.corrections.substitution.tokens import Kind, Token, is_spoken, key, tokens
from heedful.apply.corrections.substitution.vocabulary import (
    BEFORE_VERBS,
    NAMES_BY_CAPITAL,
    SMALL_WORDS,
    TITLES,
)
from heedful.text.stems import stem
from heedful.text.words import DETERMINERS

_SPELLING = 2  # letters; names that differ by more are different names
_BREAKS = frozenset({",", ";", ":", "-", "(", "/", "…"})
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]{1,80}\*\*:?\s*$)")


class Place(NamedTuple):
    """A find, with the words of its sentence to either side."""

    found: str
    start: int
    end: int
    before: list[Token]
    after: list[Token]
    sentence: str
    opens: bool
    """It begins its sentence."""
    line_before: str
    line_after: str

    @property
    def line(self) -> str:
        return f"{self.line_before}{self.found}{self.line_after}"

    @property
    def is_shouted(self) -> bool:
        """The words around are in capitals."""
        beside = (one.text for one in (*self.before[-3:], *self.after[:3]))
        around = [word for word in beside if word.isalpha() and len(word) > 1]
        return bool(around) and all(word.isupper() for word in around)

    @property
    def is_in_title(self) -> bool:
        """In a heading, where a capital says nothing."""
        if _HEADING.match(self.line):
            return True
        words = [one for one in tokens(self.line[:200]) if one.kind in (Kind.WORD, Kind.NAME) and not one.is_small]
        titled = len(words) > 1 and all(one.kind is Kind.NAME for one in words)
        return titled and self.line.rstrip()[-1:] not in (".", "!", "?")


def place_at(page: TextPage, start: int, end: int, kind: Kind) -> Place:
    text = page.text
    low, high = page.line(start, end)
    by_line = page.span(start).inside is Inside.CODE or (kind is Kind.VALUE and label(text[low:start]))
    first, last = (low, high) if by_line else page.sentence(start, end)
    before, after = tokens(text, first, start), tokens(text, end, last)
    opens = all(one.kind is Kind.MARK for one in before)
    return Place(text[start:end], start, end, before, after, text[first:last], opens, text[low:start], text[end:high])


def is_plain_word(place: Place, plan: Plan, stretch: Stretch, found: str) -> bool:
    """A capital within a sentence may make it a name, or a part of one; in a heading it does not."""
    if not is_capitalised(found) or is_capitalised(stretch.typed) or found.isupper() or found == stretch.gone[0].text:
        return True
    if place.is_in_title:
        return True
    if stretch is plan.stretch and place.opens:
        return not any(one.kind is Kind.NAME for one in _beside(place, plan))
    near = (*place.before[-2:], *place.after[:2])
    if key(found) in NAMES_BY_CAPITAL or any(one.kind is Kind.CODE for one in near):
        return False
    return not any(one.kind is Kind.NAME for one in _beside(place, plan))


def is_verb(place: Place) -> bool:
    """Whether the word before leaves room for a verb: `to fetch`, not `the fetch`."""
    before = place.before[-1].normal if place.before else ""
    if place.opens or before in BEFORE_VERBS or before in _BREAKS:
        return True
    if before in DETERMINERS or not before[-1].isalnum():
        return False
    return before.endswith("ly") or place.found.lower().endswith("s") or (before[-1] == "s" and before[-2:] != "ss")


def is_gerund(place: Place) -> bool:
    """`meeting the demand`: what ends in -ing and takes an object is a verb."""
    if not place.found.lower().endswith("ing") or not place.after or place.after[0].normal not in DETERMINERS:
        return False
    return not place.before or place.before[-1].normal not in DETERMINERS


def is_own_name(place: Place, plan: Plan) -> bool:
    """`York` is not the whole of `New York`; but a misspelt name is misspelt beside a first name, too."""
    stretch = plan.stretch
    if stretch.gone[0].kind not in (Kind.NAME, Kind.CODE) or _is_misspelt(stretch):
        return True
    if place.after and place.after[0].text[0].isdigit() and place.after[0].spaced:
        return bool(plan.shared)  # a version: the number belongs to the name
    if stretch.gone[0].kind is Kind.CODE and not is_spoken(stretch.typed):
        return True
    beside = (one for one in _beside(place, plan) if one.normal not in TITLES)
    return not any(one.kind is Kind.NAME and one.normal not in SMALL_WORDS for one in beside)


def _beside(place: Place, plan: Plan) -> list[Token]:
    """The words next to it that the correction does not have itself; a capital at the start of a sentence is none."""
    opening = next((one for one in place.before if one.kind is not Kind.MARK), None)
    beside = [*(one for one in place.before[-1:] if one != opening), *(one for one in place.after[:1] if one.spaced)]
    known = {stem(one.normal) for one in plan.shared}
    return [one for one in beside if stem(one.normal) not in known]


def _is_misspelt(stretch: Stretch) -> bool:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(key(stretch.typed), key(stretch.come)) <= _SPELLING

"""A find in its sentence, and whether it is a plain word there, a name of its own, or a part of another name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from heedful.apply.alignment import Stretch
from heedful.apply.casing import is_capitalised
from heedful.apply.label import label
from heedful.apply.surroundings import Inside, Page
from heedful.apply.tokens import Kind, Token, key, tokens
from heedful.apply.vocabulary import BEFORE_VERBS, DETERMINERS, FUNCTION_WORDS, NAMES_BY_CAPITAL, TITLES

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


def place_at(page: Page, start: int, end: int, kind: Kind) -> Place:
    text = page.text
    low, high = page.line(start, end)
    by_line = page.span(start).inside is Inside.CODE or (kind is Kind.VALUE and label(text[low:start]))
    first, last = (low, high) if by_line else page.sentence(start, end)
    before, after = tokens(text, first, start), tokens(text, end, last)
    opens = all(one.kind is Kind.MARK for one in before)
    return Place(text[start:end], start, end, before, after, text[first:last], opens, text[low:start], text[end:high])


def is_plain_word(place: Place, stretch: Stretch, found: str, *, first: bool) -> bool:
    """A capital within a sentence may make it a name, or a part of one; in a heading it does not.

    `first` says that it is what the place was found by.
    """
    if not is_capitalised(found) or is_capitalised(stretch.typed) or found.isupper() or found == stretch.gone[0].text:
        return True
    if first and place.opens:
        beside = place.after[:1]
        return not (beside and beside[0].kind is Kind.NAME and beside[0].spaced and not place.is_in_title)
    if key(found) in NAMES_BY_CAPITAL:
        return False
    if place.is_in_title:
        return True
    if any(one.kind is Kind.CODE for one in (*place.before[-2:], *place.after[:2])):
        return False
    beside = [*_own(place.before[-1:], place), *(one for one in place.after[:1] if one.spaced)]
    return not any(one.kind is Kind.NAME for one in beside)


def is_verb(place: Place) -> bool:
    """Whether the word before leaves room for a verb: `to fetch`, not `the fetch`."""
    before = place.before[-1].normal if place.before else ""
    if place.opens or before in BEFORE_VERBS or before in _BREAKS:
        return True
    if before in DETERMINERS or not before[-1].isalnum():
        return False
    return before.endswith("ly") or place.found.lower().endswith("s") or (before[-1] == "s" and before[-2:] != "ss")


def is_own_name(place: Place, stretch: Stretch) -> bool:
    """`York` is not the whole of `New York`; but a misspelt name is misspelt beside a first name, too."""
    if stretch.gone[0].kind not in (Kind.NAME, Kind.CODE) or _is_misspelt(stretch):
        return True
    if place.after and place.after[0].text[0].isdigit() and place.after[0].spaced:
        return False  # a version: the number belongs to the name
    if stretch.gone[0].kind is Kind.CODE and not is_capitalised(stretch.typed):
        return True
    before = [one for one in _own(place.before[-1:], place) if one.normal not in TITLES]
    after = [one for one in place.after[:1] if one.spaced]
    return not any(one.kind is Kind.NAME and one.normal not in FUNCTION_WORDS for one in (*before, *after))


def _own(words: Sequence[Token], place: Place) -> list[Token]:
    """Without the word whose capital is due to the start of the sentence."""
    opening = next((one for one in place.before if one.kind is not Kind.MARK), None)
    return [one for one in words if one != opening]


def _is_misspelt(stretch: Stretch) -> bool:
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - takes 35 ms to import

    return Levenshtein.distance(key(stretch.typed), key(stretch.come)) <= _SPELLING

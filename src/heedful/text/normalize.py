"""Normalisation: case, Unicode form and kind of white space do not matter."""

from __future__ import annotations

from unicodedata import normalize

_LONGEST = 1_000  # characters; a text of nothing but accents takes the square of its length to put in order


def normal(text: str) -> str:
    if text.isascii():
        return " ".join(text.lower().split())
    if len(text) > _LONGEST:
        return " ".join(text.casefold().split())
    return " ".join(normalize("NFC", normalize("NFD", text).casefold()).split())


def composed(text: str) -> str:
    """The text with accents encoded in one way."""
    return text if text.isascii() or len(text) > _LONGEST else normalize("NFC", text)


def canonical(before: str, after: str) -> tuple[str, str]:
    """A pattern as it is counted: normal, unless it is about case alone."""
    pair = normal(before), normal(after)
    if pair[0] != pair[1]:
        return pair
    return " ".join(composed(before).split()), " ".join(composed(after).split())

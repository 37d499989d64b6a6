"""Stems of words, by the English Snowball stemmer: `controlled` and `controls` are one word."""

from __future__ import annotations

from threading import local

from Stemmer import Stemmer

_SHORTEST = 3  # characters
_OWN = {"customer": "customer", "customers": "customer"}  # not of `custom`


class _English(local):
    """One stemmer per thread: they cannot be shared."""

    def __init__(self) -> None:
        self.stem = Stemmer("english", 0).stemWord


_english = _English()


def stem(word: str) -> str:
    """The stem of a lower-case word. Names, numbers and words with accents are returned unchanged."""
    word = word.removesuffix("'s")
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    return _OWN.get(word) or str(_english.stem(word))

"""Stems: words without the endings that grammar adds, so that `controlled` and `controls` are one word.

By the English stemmer of Snowball. What it does to words of other languages it does to questions and texts alike.
"""

from __future__ import annotations

from threading import local

from Stemmer import Stemmer

_SHORTEST = 3  # characters
_OWN = {"customer": "customer", "customers": "customer"}  # not of `custom`


class _English(local):
    """One for each thread: a stemmer is not made to be shared."""

    def __init__(self) -> None:
        self.stem = Stemmer("english", 0).stemWord


_english = _English()


def stem(word: str) -> str:
    """The stem of a word in lower case; of names, numbers and words with accents, what they are."""
    word = word.removesuffix("'s")
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return word
    return _OWN.get(word) or str(_english.stem(word))

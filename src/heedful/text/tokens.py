"""Counts the tokens of a text without a tokenizer's vocabulary.

Every model has its own tokenizer, and a budget only has to hold. So this counts rather too much: compared with the
WordPiece vocabulary of the built-in models, on texts of `HEEDFUL_DATA`, a quarter too much on average.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PIECE = re.compile(
    r"""
    (?P<code>(?=[A-Za-z]{1,24}+\d|\d{1,24}+[A-Za-z])[A-Za-z\d]++)  # such as ids: hardly any of it is in a vocabulary
    | (?P<word>[A-Z]?[a-z]++)
    | (?P<capitals>[A-Z]++)
    | (?P<number>\d++)
    | (?P<other>\S)
    """,
    re.VERBOSE,
)
_WHOLE = 5  # characters; what is longer may be in parts
_PART = 2  # characters of each of them
_KEPT = 2_048  # lines: the same learnings are given again and again


@lru_cache(_KEPT)
def count_tokens(text: str) -> int:
    return sum(_counted(piece.lastgroup or "", piece[0]) for piece in _PIECE.finditer(text))


def _counted(kind: str, piece: str) -> int:
    if kind == "word":
        return 1 + _parts(max(len(piece) - _WHOLE, 0))
    if kind == "other":
        return 1 if piece.isascii() else 2
    if kind == "code":
        return max(2, (4 * len(piece) + 4) // 5)
    return _parts(len(piece))


def _parts(length: int) -> int:
    return (length + _PART - 1) // _PART

"""The input of the reader for a message and a statement that is remembered."""

from __future__ import annotations

from typing import NamedTuple

from heedful.providers.exchange_encoding import END, MESSAGE, OUTPUT, START, marks
from heedful.providers.wordpiece import TextToken, WordPiece

_MOST_OF_MESSAGE, _END_OF_MESSAGE = 72, 20  # tokens
_MOST_REMEMBERED = 48


class EncodedBearing(NamedTuple):
    ids: list[int]
    segments: list[int]
    shared: list[int]
    """1 for a token that the other text has, too."""


def encoded_bearing(words: WordPiece, message: str, remembered: str) -> EncodedBearing:
    ours, theirs = _cut(words.located(message)), words.located(remembered)[:_MOST_REMEMBERED]
    here, there = {piece.id for piece in ours}, {piece.id for piece in theirs}
    return EncodedBearing(
        ids=[START, *(piece.id for piece in ours), END, *(piece.id for piece in theirs), END],
        segments=[*[MESSAGE] * (len(ours) + 2), *[OUTPUT] * (len(theirs) + 1)],
        shared=[0, *marks(ours, there), 0, *marks(theirs, here), 0],
    )


def _cut(pieces: list[TextToken]) -> list[TextToken]:
    if len(pieces) <= _MOST_OF_MESSAGE:
        return pieces
    return [*pieces[: _MOST_OF_MESSAGE - _END_OF_MESSAGE], *pieces[-_END_OF_MESSAGE:]]

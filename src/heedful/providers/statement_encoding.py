"""The input of the reader for a message of a person or an agent: some of its sentences, with what was said before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from heedful.providers.exchange_encoding import END, MESSAGE, OUTPUT, PASSAGE, QUESTION, START, marks
from heedful.providers.wordpiece import TextToken, WordPiece
from heedful.text.prose import prose
from heedful.text.sentences import Span

_MOST = 128  # tokens of the sentences that are read together
_MOST_BEFORE = 24  # tokens of what was said before, from its end
_MOST_OF_SENTENCE = 96
_CHARACTERS_BEFORE = 600
_FIRST, _LAST = 16, 6  # sentences of a message


class SentenceTokens(NamedTuple):
    """A sentence: where it stands in the text, and where its tokens stand in the sequence."""

    start: int
    end: int
    first: int
    last: int
    """The index after its last token."""


class EncodedStatements(NamedTuple):
    ids: list[int]
    segments: list[int]
    shared: list[int]
    tokens: list[TextToken]
    """The tokens of the sentences, from index 1; positions are those in the text."""
    sentences: list[SentenceTokens]


def person_sentences(text: str) -> list[Span]:
    """The sentences of a person. Of a very long message the beginning and the end: what is between was pasted."""
    sentences = prose(text)
    return sentences if len(sentences) <= _FIRST + _LAST else [*sentences[:_FIRST], *sentences[-_LAST:]]


def encoded_statements(
    words: WordPiece, text: str, sentences: Sequence[Span], before: str, *, by_agent: bool = False
) -> Iterator[EncodedStatements]:
    """All sentences, in as few sequences as they fit in. After the first, what was said before is the text itself."""
    own, other = (PASSAGE, QUESTION) if by_agent else (MESSAGE, OUTPUT)
    context = words.located(before[-_CHARACTERS_BEFORE:])[-_MOST_BEFORE:]
    group: list[tuple[Span, list[TextToken]]] = []
    room = _MOST
    for start, end in sentences:
        pieces = [TextToken(id, first + start, last + start) for id, first, last in words.located(text[start:end])][
            :_MOST_OF_SENTENCE
        ]
        if not pieces:
            continue
        if group and len(pieces) > room:
            yield _encoded(group, context, own, other)
            context = [piece for _, tokens in group for piece in tokens][-_MOST_BEFORE:]
            group, room = [], _MOST
        group.append(((start, end), pieces))
        room -= len(pieces)
    if group:
        yield _encoded(group, context, own, other)


def _encoded(
    group: Sequence[tuple[Span, list[TextToken]]], before: Sequence[TextToken], own: int, other: int
) -> EncodedStatements:
    tokens = [piece for _, pieces in group for piece in pieces]
    places, at = list[SentenceTokens](), 1
    for (start, end), pieces in group:
        places.append(SentenceTokens(start, end, at, at + len(pieces)))
        at += len(pieces)
    here, there = {piece.id for piece in tokens}, {piece.id for piece in before}
    return EncodedStatements(
        ids=[START, *(piece.id for piece in tokens), END, *(piece.id for piece in before), END],
        segments=[*[own] * (len(tokens) + 2), *[other] * (len(before) + 1)],
        shared=[0, *marks(tokens, there), 0, *marks(before, here), 0],
        tokens=tokens,
        sentences=places,
    )

"""The input of the reader, as one sequence of tokens.

Either a message with the output before it and the question; or a passage of a later text, or a later question, with a
corrected mistake.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from heedful.providers.wordpiece import TextToken, WordPiece
from heedful.records.reading import CorrectedMistake, Exchange
from heedful.text.sentences import spans

MESSAGE, OUTPUT, QUESTION, PASSAGE = 0, 1, 2, 3
_CORRECTED = 2  # the mark of the wrong words
_MOST = {MESSAGE: 64, OUTPUT: 112, QUESTION: 32}  # tokens
_END_OF_MESSAGE = 20  # tokens of a long message that are taken from its end
_LEAST_CUT = 20  # tokens of a sentence that are worth taking alone
_MOST_OF_PASSAGE = {PASSAGE: 72, MESSAGE: 40, OUTPUT: 56, QUESTION: 28}
START, END = 101, 102  # [CLS], [SEP]
_DAMPING = 4  # so that a short sentence is not chosen for one common word
_MOST_CHARACTERS = 6_000  # of an output: the last ones


class EncodedExchange(NamedTuple):
    ids: list[int]
    segments: list[int]
    """MESSAGE, OUTPUT or QUESTION for each token."""
    shared: list[int]
    """1 for a token of the message that occurs in the output, and the other way round."""
    message: list[TextToken]
    """The tokens from index 1."""
    output: list[TextToken]
    """The tokens from index `output_start`; positions are those of `Exchange.output`."""

    @property
    def output_start(self) -> int:
        return len(self.message) + 2


def encoded(words: WordPiece, exchange: Exchange) -> EncodedExchange:
    message = words.located(exchange.message)
    if len(message) > _MOST[MESSAGE]:
        message = [*message[: _MOST[MESSAGE] - _END_OF_MESSAGE], *message[-_END_OF_MESSAGE:]]
    output = _chosen(words, exchange.output, message)
    question = words.located(exchange.question)[-_MOST[QUESTION] :]
    ours, theirs = {piece.id for piece in message}, {piece.id for piece in output}
    ids = [START, *_ids(message), END, *_ids(output), END, *_ids(question), END]
    segments = [
        *[MESSAGE] * (len(message) + 2),
        *[OUTPUT] * (len(output) + 1),
        *[QUESTION] * (len(question) + 1),
    ]
    shared = [0, *marks(message, theirs), 0, *marks(output, ours), 0, *[0] * (len(question) + 1)]
    return EncodedExchange(ids, segments, shared, message, output)


class EncodedPassage(NamedTuple):
    ids: list[int]
    segments: list[int]
    shared: list[int]
    """1 for a token of the passage that also occurs in the rest, and the other way round; 2 for one of the wrong
    words."""


def encoded_passage(words: WordPiece, passage: str, mistake: CorrectedMistake) -> EncodedPassage:
    parts = {
        PASSAGE: _around(words.located(passage), _place(mistake.wrong, passage), _MOST_OF_PASSAGE[PASSAGE]),
        MESSAGE: words.located(mistake.message)[: _MOST_OF_PASSAGE[MESSAGE]],
        OUTPUT: _around(
            words.located(mistake.sentence), _place(mistake.wrong, mistake.sentence), _MOST_OF_PASSAGE[OUTPUT]
        ),
        QUESTION: words.located(mistake.question)[-_MOST_OF_PASSAGE[QUESTION] :],
    }
    wrong = {piece.id for piece in words.located(mistake.wrong)}
    here = {piece.id for piece in parts[PASSAGE]}
    rest = {piece.id for segment, pieces in parts.items() if segment != PASSAGE for piece in pieces}
    ids, segments, shared = [START], [PASSAGE], [0]
    for segment, pieces in parts.items():
        marked = marks(pieces, rest if segment == PASSAGE else here)
        ids += [*_ids(pieces), END]
        segments += [segment] * (len(pieces) + 1)
        shared += [*(_CORRECTED if piece.id in wrong else mark for piece, mark in zip(pieces, marked, strict=True)), 0]
    return EncodedPassage(ids, segments, shared)


def _place(words: str, text: str) -> int:
    return max(0, text.casefold().find(words.casefold()))


def _around(pieces: list[TextToken], at: int, most: int) -> list[TextToken]:
    """The tokens around a place in a text."""
    if len(pieces) <= most:
        return pieces
    first = next((number for number, piece in enumerate(pieces) if piece.end > at), 0)
    start = max(0, min(first - most // 2, len(pieces) - most))
    return pieces[start : start + most]


def _ids(pieces: Sequence[TextToken]) -> list[int]:
    return [piece.id for piece in pieces]


def marks(pieces: Sequence[TextToken], others: set[int]) -> list[int]:
    return [int(piece.id in others and piece.end - piece.start > 1) for piece in pieces]


def _chosen(words: WordPiece, output: str, message: Sequence[TextToken]) -> list[TextToken]:
    """All of a short output; of a long one the sentences that share most with the message, later ones first."""
    cut = max(0, len(output) - _MOST_CHARACTERS)
    pieces = [TextToken(id, start + cut, end + cut) for id, start, end in words.located(output[cut:])]
    if len(pieces) <= _MOST[OUTPUT]:
        return pieces
    said = {piece.id for piece in message}
    sentences = _by_sentence(output, cut, pieces)
    ranked = sorted(
        range(len(sentences)), key=lambda number: (-_overlap([pieces[at] for at in sentences[number]], said), -number)
    )
    chosen: list[int] = []
    for number in ranked:
        room = _MOST[OUTPUT] - len(chosen)
        if len(sentences[number]) <= room:
            chosen += sentences[number]
        elif room > _LEAST_CUT:
            chosen += sentences[number][:room]
            break
    return [pieces[at] for at in sorted(chosen)]


def _by_sentence(output: str, cut: int, pieces: Sequence[TextToken]) -> list[list[int]]:
    """The indexes of the tokens of each sentence."""
    found: list[list[int]] = []
    at = 0
    for start, end in spans(output[cut:]):
        inside: list[int] = []
        while at < len(pieces) and pieces[at].start < end + cut:
            if pieces[at].start >= start + cut:
                inside.append(at)
            at += 1
        if inside:
            found.append(inside)
    return found


def _overlap(pieces: Sequence[TextToken], said: set[int]) -> float:
    return len({piece.id for piece in pieces} & said) / math.sqrt(len(pieces) + _DAMPING)

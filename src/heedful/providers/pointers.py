"""What the reader points at: for each token the probability that the wrong or the right words start or end there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from heedful.providers.exchange_encoding import EncodedExchange
from heedful.providers.wordpiece import TextToken
from heedful.records.reading import Pointing
from heedful.text.sentences import spans

NONE = 0
"""The token that a pointer chooses for "nowhere"."""
_NO_SENTENCE = 0.5  # probability


class Pointers(NamedTuple):
    """Probabilities: first none, then for each token of the output or the message."""

    sentence: Any
    wrong_start: Any
    wrong_end: Any
    right_start: Any
    right_end: Any
    named_start: Any
    named_end: Any


def pointed(scores: Any, made: EncodedExchange) -> Pointers:
    """From the scores of all tokens, of one exchange."""
    output = [NONE, *range(made.output_start, made.output_start + len(made.output))]
    message = [NONE, *range(1, 1 + len(made.message))]
    found = [_softmax(scores[output if number < 3 else message, number]) for number in range(len(Pointers._fields))]
    return Pointers(*found)


def sentence(found: Pointers, made: EncodedExchange, output: str) -> str:
    """The most probable sentence; empty if it is more probable that none is meant than that one is."""
    chances = found.sentence
    if chances[NONE] > _NO_SENTENCE:
        return ""
    best, chosen = 0.0, ""
    for start, end in spans(output):
        inside = [number for number, piece in enumerate(made.output, 1) if start <= piece.start < end]
        chance = float(chances[inside].sum()) if inside else 0.0
        if chance > best:
            best, chosen = chance, output[start:end].strip()
    return chosen


def wrong(found: Pointers, made: EncodedExchange, output: str) -> Pointing:
    """Of the words of the output."""
    return _pointing(found.wrong_start, found.wrong_end, made.output, output)


def right(found: Pointers, made: EncodedExchange, message: str) -> Pointing:
    """Of the words of the message."""
    return _pointing(found.right_start, found.right_end, made.message, message)


def named(found: Pointers, made: EncodedExchange, message: str) -> Pointing:
    """Of the words of the message that name the wrong ones."""
    return _pointing(found.named_start, found.named_end, made.message, message)


def _pointing(starts: Any, ends: Any, pieces: Sequence[TextToken], text: str) -> Pointing:
    """Whole words only."""
    first = {piece.start: float(chance) for piece, chance in zip(pieces, starts[1:], strict=True)}
    last = {piece.end: float(chance) for piece, chance in zip(pieces, ends[1:], strict=True)}
    return Pointing(
        {at: chance for at, chance in first.items() if _is_edge(text, at)},
        {at: chance for at, chance in last.items() if _is_edge(text, at)},
        nowhere=math.sqrt(starts[NONE] * ends[NONE]),
    )


def _is_edge(text: str, at: int) -> bool:
    """Not in the middle of a word."""
    return at in (0, len(text)) or not (text[at - 1].isalnum() and text[at].isalnum())


def _softmax(scores: Any) -> Any:
    import numpy as np

    raised = np.exp(scores - scores.max())
    return raised / raised.sum()

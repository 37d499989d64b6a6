"""How alike words of the output and of the message are, where they stand: a number is like a number, a town a town."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heedful.providers.exchange_encoding import EncodedExchange
from heedful.providers.wordpiece import TextToken
from heedful.text.sentences import Span


class TokenLikeness:
    """By the vectors that the lower layers of the reader make of each token."""

    def __init__(self, hidden: Any, made: EncodedExchange) -> None:
        self._hidden, self._made = hidden, made
        self._known: dict[tuple[bool, Span], Any] = {}

    def __call__(self, wrong: Span, right: Span) -> float:
        old = self._vector(wrong, self._made.output, self._made.output_start, is_output=True)
        return float(old @ self._vector(right, self._made.message, 1, is_output=False))

    def _vector(self, span: Span, pieces: Sequence[TextToken], first: int, *, is_output: bool) -> Any:
        import numpy as np

        if (known := self._known.get((is_output, span))) is not None:
            return known
        inside = [
            first + number for number, piece in enumerate(pieces) if piece.start < span[1] and piece.end > span[0]
        ]
        chosen = self._hidden[inside or [0]]
        mean = (chosen / np.linalg.norm(chosen, axis=1, keepdims=True)).mean(axis=0)
        self._known[is_output, span] = mean / np.linalg.norm(mean)
        return self._known[is_output, span]

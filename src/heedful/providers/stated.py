"""What the reader finds stated in the sentences of a message: from the scores of their tokens."""

from __future__ import annotations

from typing import Any

from heedful.providers.statement_encoding import EncodedStatements, SentenceTokens
from heedful.records.insight import InsightCategory
from heedful.records.reading import LikelyStatement, StatementKind

_KINDS, _CATEGORIES = tuple(StatementKind), tuple(InsightCategory)
_START, _END, _ALONE = len(_KINDS) + 1, len(_KINDS) + 2, len(_KINDS) + 3  # columns after "none" and the kinds
_FIRST_CATEGORY = _ALONE + 1
_PERSONS = [number for number, kind in enumerate(_KINDS) if kind is not StatementKind.FINDING]


def stated(scores: Any, made: EncodedStatements, *, ends: Any = None) -> list[LikelyStatement]:
    """`ends` is what each token of a person's message is scored for ending something; None for an agent's."""
    return [_statement(scores, made, sentence, ends) for sentence in made.sentences]


def _statement(scores: Any, made: EncodedStatements, sentence: SentenceTokens, ends: Any) -> LikelyStatement:

    own = scores[sentence.first : sentence.last]
    chances = _softmax(own[:, : len(_KINDS) + 1].mean(0))
    kind = len(_KINDS) - 1 if ends is None else max(_PERSONS, key=lambda number: chances[number + 1])
    start = int(own[:, _START].argmax())
    end = max(start, int(own[:, _END].argmax()))
    first, last = made.tokens[sentence.first - 1 + start], made.tokens[sentence.first - 1 + end]
    return LikelyStatement(
        first.start,
        last.end,
        (sentence.start, sentence.end),
        _KINDS[kind],
        chance=float(1 - chances[0]),
        alone=_chance(own[:, _ALONE]),
        category=_CATEGORIES[int(own[:, _FIRST_CATEGORY:].mean(0).argmax())],
        ends=0.0 if ends is None else _chance(ends[sentence.first : sentence.last, 0]),
    )


def _chance(scores: Any) -> float:
    import numpy as np

    return float(1 / (1 + np.exp(-scores.mean())))


def _softmax(values: Any) -> Any:
    import numpy as np

    raised = np.exp(values - values.max())
    return raised / raised.sum()

"""Chooses among pairs of wrong and right words, and says how probable it is that the choice is right.

The weights are learned by `training/pairs.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import orjson

from heedful.capture.corrections.pairs.evidence import (
    NAMES,
    NONE_NAMES,
    ExchangeWords,
    evidence,
    evidence_for_none,
    right_words,
    wrong_words,
)
from heedful.capture.corrections.pairs.fitting import fitted
from heedful.capture.corrections.pairs.spans import TextSpan, likely_spans
from heedful.capture.corrections.pairs.widening import widened
from heedful.records.reading import Exchange, Reading
from heedful.text.sentences import spans

WEIGHTS = Path(__file__).parent / "weights.json"
_WRONG, _RIGHT, _PAIRS = 14, 10, 90  # spans of the output and of the message, and pairs of them


class CandidatePair(NamedTuple):
    wrong: str
    right: str
    start: int
    """Where the wrong words stand in the output."""
    evidence: list[float]

    def applied(self, output: str) -> str:
        return output[: self.start] + self.right + output[self.start + len(self.wrong) :]


class LikelyPair(NamedTuple):
    wrong: str
    right: str
    chance: float


def candidates(words: ExchangeWords, reading: Reading) -> Iterator[CandidatePair]:
    output, message = words.output, words.message
    said = list(spans(message))
    old = [
        wrong_words(one, words) for one in likely_spans(output, words.sentences, reading.wrong, _WRONG)
    ]
    new = [right_words(one, words) for one in likely_spans(message, said, reading.right, _RIGHT)]
    likenesses = {(wrong.span, right.span): reading.likeness(wrong.span[:2], right.span[:2]) for wrong in old for right in new}
    likest = {right.span: max(likenesses[wrong.span, right.span] for wrong in old) for right in new} if old else {}
    both = sorted(product(old, new), key=lambda pair: -sum(one.log_starts + one.log_ends for one in pair))
    for wrong, right in both[:_PAIRS]:
        opens = _opens(output, wrong.span) or _opens(message, right.span)
        fit = fitted(wrong.span.text, right.span.text, opens=opens)
        if fit.wrong != fit.right:
            like = likenesses[wrong.span, right.span]
            found = evidence(wrong, right, fit, words, like, likest[right.span])
            yield CandidatePair(fit.wrong, fit.right, wrong.span.start + fit.skipped, found)


def _opens(text: str, span: TextSpan) -> bool:
    """Whether the words begin a sentence."""
    return not text[span.sentence[0] : span.start].strip()


def likeliest(exchange: Exchange, reading: Reading) -> LikelyPair | None:
    """The pair that is most probable; pairs that make the same of the output count together."""
    words = ExchangeWords(exchange, reading)
    weights = _weights()
    results: dict[str, float] = {}
    chosen: dict[str, CandidatePair] = {}
    for one in candidates(words, reading):
        made = one.applied(exchange.output)
        score = math.exp(_dot(weights.pair, one.evidence))
        results[made] = results.get(made, 0.0) + score
        chosen.setdefault(made, one)
    if not results:
        return None
    none = math.exp(_dot(weights.none, evidence_for_none(words, reading)))
    best = max(results, key=lambda made: results[made])
    chance = results[best] / (none + sum(results.values()))
    pair = chosen[best]
    return LikelyPair(*widened(pair.wrong, pair.right, pair.start, exchange.output, exchange.message), chance)


class _Weights(NamedTuple):
    pair: list[float]
    none: list[float]


@cache
def _weights() -> _Weights:
    known = orjson.loads(WEIGHTS.read_bytes())
    return _Weights([known["pair"][name] for name in NAMES], [known["none"][name] for name in NONE_NAMES])


def _dot(weights: list[float], values: list[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))

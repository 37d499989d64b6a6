"""Chooses among pairs of wrong and right words, and says how probable it is that the choice is right.

The reader points at words in the output and in the message; these and the values beside them make the pairs. What
speaks for each is weighed (`evidence.py`), and so is what speaks for none. `training/pairs.py` learned the weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import orjson

from heedful.capture.corrections.pairs.evidence import (
    Beside,
    Evidence,
    ExchangeWords,
    beside,
    evidence,
    evidence_for_none,
)
from heedful.capture.corrections.pairs.fitting import Fit, fitted
from heedful.capture.corrections.pairs.names import dotted_name, dotted_name_at, whole_name
from heedful.capture.corrections.pairs.spans import TextSpan, likely_spans
from heedful.capture.corrections.pairs.widening import widened
from heedful.capture.corrections.pairs.words import ARTICLES, INDEFINITE, plain, stems_of_phrase
from heedful.records.reading import Exchange, Reading
from heedful.text.redaction import PLACEHOLDER
from heedful.text.sentences import Span

WEIGHTS = Path(__file__).parent / "weights.json"
_LONGEST_MESSAGE = 1_000  # characters; who says more than that has no single pair in mind
_WRONG, _RIGHT, _PAIRS = 12, 8, 60  # spans of the output and of the message, and pairs of them


class CandidatePair(NamedTuple):
    wrong: str
    right: str
    start: int
    """Where the wrong words stand in the output."""
    evidence: Evidence

    def applied(self, output: str) -> str:
        return output[: self.start] + self.right + output[self.start + len(self.wrong) :]


class LikelyPair(NamedTuple):
    wrong: str
    right: str
    chance: float
    is_redacted: bool = False
    """The wrong words, or the right ones, are what was redacted: no text has them, and none may get them."""


def likeliest(exchange: Exchange, reading: Reading) -> LikelyPair | None:
    """The most probable pair; pairs that make the same of the output, and parts of one name, count together."""
    if len(exchange.message) > _LONGEST_MESSAGE or not reading.wrong.starts:
        return None
    exchange, reading = looked_at(exchange, reading)
    words, weights = ExchangeWords(exchange, reading), _weights()
    results, chosen = dict[str, float](), dict[str, CandidatePair]()
    for candidate in candidates(words, reading):
        one = _whole(candidate, exchange)
        made = one.applied(exchange.output)
        results[made] = results.get(made, 0.0) + weighed(weights["pair"], one.evidence)
        chosen.setdefault(made, one)
    if not results:
        return None
    best = max(results, key=lambda made: results[made])
    chance = results[best] / (sum(results.values()) + weighed(weights["none"], evidence_for_none(words, reading)))
    pair = chosen[best]
    if _is_within_placeholder(pair, exchange):
        return LikelyPair("", pair.right, chance, is_redacted=True)
    if whole_name(*pair[:3], exchange.output, exchange.message) is not None:
        return None  # a part of a name, and in doubt all of it
    return LikelyPair(*widened(pair.wrong, pair.right, pair.start, exchange.output, exchange.message), chance)


def _whole(pair: CandidatePair, exchange: Exchange) -> CandidatePair:
    """With all of a name instead of a part, if it is certain that all of it is meant."""
    pair = _dotted(pair, exchange)
    name = whole_name(*pair[:3], exchange.output, exchange.message)
    return pair._replace(wrong=name.text, start=name.start) if name is not None and name.is_certain else pair


def _dotted(pair: CandidatePair, exchange: Exchange) -> CandidatePair:
    """`router.get` instead of `app` is instead of all of `app.get`."""
    right = dotted_name(pair.right, exchange.message)
    if right == pair.right:
        return pair
    start, wrong = dotted_name_at(pair.start, pair.wrong, exchange.output)
    is_alike = wrong.count(".") == right.count(".")
    return pair._replace(right=right, wrong=wrong if is_alike else pair.wrong, start=start if is_alike else pair.start)


def _is_within_placeholder(pair: CandidatePair, exchange: Exchange) -> bool:
    hidden = (match.span() for match in PLACEHOLDER.finditer(exchange.output))
    end = pair.start + len(pair.wrong)
    said = (match[0] for match in PLACEHOLDER.finditer(exchange.message))
    return any(start < end and pair.start < stop for start, stop in hidden) or any(pair.right in one for one in said)


def looked_at(exchange: Exchange, reading: Reading) -> tuple[Exchange, Reading]:
    """The part of a long output that the reader has looked at, and the places in it."""
    first, last = min(reading.wrong.starts), max(reading.wrong.ends)
    wrong = replace(
        reading.wrong,
        starts={at - first: chance for at, chance in reading.wrong.starts.items()},
        ends={at - first: chance for at, chance in reading.wrong.ends.items()},
    )

    def likeness(wrong: Span, right: Span) -> float:
        return reading.likeness((wrong[0] + first, wrong[1] + first), right)

    part = exchange.output[first : last + 1]  # with the mark that ends a sentence
    return replace(exchange, output=part), replace(reading, wrong=wrong, likeness=likeness)


def candidates(words: ExchangeWords, reading: Reading) -> Iterator[CandidatePair]:
    """Those that the reader finds most probable, by their edges alone."""
    output, message = words.output, words.message
    old = [beside(one, output) for one in likely_spans(output, words.sentences, reading.wrong, _WRONG)]
    new = [beside(one, message) for one in likely_spans(message, words.message_sentences, reading.right, _RIGHT)]
    likenesses = {
        (wrong.span, right.span): reading.likeness(wrong.span[:2], right.span[:2]) for wrong, right in product(old, new)
    }
    likest = {right.span: max((likenesses[wrong.span, right.span] for wrong in old), default=0.0) for right in new}
    both = sorted(product(old, new), key=lambda pair: -pair[0].is_pointed_at - pair[1].is_pointed_at)
    for wrong, right in both[:_PAIRS]:
        if right.is_limit or right.is_former:
            continue  # who says `noon to 4 pm` does not mean 4 pm, and `it used to be 4` is no longer so
        opens = _opens(output, wrong.span) or _opens(message, right.span)
        fit = fitted(wrong.span.text, _not_repeated(wrong, right.span.text), opens=opens)
        if fit.wrong != fit.right:
            fit = _with_article(fit, wrong, right, words)
            like = likenesses[wrong.span, right.span]
            found = evidence(wrong, right, fit, words, like, likest[right.span])
            yield CandidatePair(fit.wrong, fit.right, wrong.span.start + fit.skipped, found)


def _not_repeated(wrong: Beside, right: str) -> str:
    """The right words without what stands beside the wrong ones already: `return nil` after `returns`."""
    new = right.split(" ")
    if len(new) > 1 and wrong.verb and stems_of_phrase(new[0])[:1] == (wrong.verb,):
        new = new[1:]
    if len(new) > 1 and wrong.goes_on and plain(new[-1]) == wrong.after:
        new = new[:-1]
    return " ".join(new)


def _with_article(fit: Fit, wrong: Beside, right: Beside, words: ExchangeWords) -> Fit:
    """`nil, not an error` leaves no article, nor does `15 minutes` in the place of `an hour`."""
    if fit.skipped or wrong.before not in ARTICLES or right.before in ARTICLES:
        return fit
    article = words.output[: wrong.span.start].split()[-1]
    named = f"{article} {fit.wrong}".casefold() in words.lowered_message
    if not named and (wrong.before not in INDEFINITE or right.kind != "number" or wrong.kind == "number"):
        return fit
    whole = words.output[words.output.rindex(article, 0, wrong.span.start) : wrong.span.start] + fit.wrong
    return Fit(whole, fit.right, len(fit.wrong) - len(whole))


def _opens(text: str, span: TextSpan) -> bool:
    """Whether the words begin a sentence."""
    return not text[span.sentence[0] : span.start].strip()


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    known: Mapping[str, Mapping[str, float]] = orjson.loads(WEIGHTS.read_bytes())
    return known


def weighed(weights: Mapping[str, float], found: Evidence) -> float:
    """What a pair, or none, counts among all others."""
    return math.exp(sum(weights[name] * value for name, value in found.items()))

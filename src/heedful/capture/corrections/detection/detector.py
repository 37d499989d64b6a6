"""The probability that a message corrects the answer before it, and the signals for that.

A logistic regression over `signals`, each weighted in general and per kind of conversation, trained by
`training/detector.py`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import exp
from typing import Any, NamedTuple

import orjson

from heedful.capture.corrections.detection.signals import ASKED, MARKS, Signals, signals

THRESHOLD = 0.5

_ANY = "any"
_REASONS = 3


class Detector(NamedTuple):
    bias: float
    weights: dict[str, dict[str, float]]  # by kind of conversation, and for any; then by the name of a signal

    def probability(self, seen: Signals) -> float:
        return 1 / (1 + exp(-max(-30.0, min(30.0, self.bias + sum(self.weighed(seen).values())))))

    def weighed(self, seen: Signals) -> dict[str, float]:
        general, here = self.weights[_ANY], self.weights.get(seen.kind, {})
        names = sorted(seen.names)  # sums of floats depend on the order, and that of a set on the process
        return {name: general.get(name, 0.0) + here.get(name, 0.0) for name in names}


def probability(message: str, last_output: str) -> float:
    return _trained().probability(signals(message, last_output))


def why(message: str, last_output: str) -> tuple[str, ...]:
    """The strongest signals of a correction, in words, strongest first."""
    summed: dict[str, float] = {}
    for name, weight in _trained().weighed(signals(message, last_output)).items():
        plain = name.removesuffix(ASKED).removesuffix(", first")
        if not name.startswith(tuple(MARKS)) and not name.startswith(("length", "pattern", "repeats", "anything")):
            summed[plain] = summed.get(plain, 0.0) + weight
    spoken = [name for name, weight in summed.items() if weight > 0]
    return tuple(sorted(spoken, key=lambda name: -summed[name])[:_REASONS])


@cache
def _trained() -> Detector:
    kept: dict[str, Any] = orjson.loads(
        files("heedful.capture.corrections.detection").joinpath("detector.json").read_bytes()
    )
    return Detector(kept["bias"], kept["weights"])

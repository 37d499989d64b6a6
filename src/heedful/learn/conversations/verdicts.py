"""Confidence: the chance that a person keeps what was found, as readers judged it before.

At the start it is the reader's own chance, calibrated on sessions that were read by people. Every verdict in this
organisation (an approval, a thumb, a retirement) then moves the chances of that category.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import exp, log
from typing import Final, NamedTuple

from heedful.learn.conversations.lasting import Lasting
from heedful.records.insight import InsightCategory

BAR: Final = 0.6
"""What is less likely to be worth keeping is not used unless a person approves it, or it is said again."""
POSSIBLE: Final = 0.3
"""What is less likely than this is not kept at all."""
_UNHEARD = -2.2  # log-odds: one message in ten says something lasting
_STRENGTH = 8  # verdicts that move the chances half as far as these alone would
_MOST, _LEAST = 0.98, 0.02


class Taken(Enum):
    """How people took the work in which an agent found something."""

    PROVED = "proved"
    """Tests passed, and nobody objected."""
    ACCEPTED = "accepted"
    PROVED_AND_ACCEPTED = "proved and accepted"


# Of the log-odds, fitted to verdicts on what was heard in sessions that the reader was not trained on; those of
# corrections and of findings were chosen on written ones.
_SLOPE, _OFFSET = 0.7, -2.16
_BACKING: Final[Mapping[Lasting | Taken, float]] = {
    Lasting.PASSING: -2.0,
    Lasting.UNSAID: 0.0,
    Lasting.CORRECTED: 2.2,
    Lasting.IMPLIED: 2.28,
    Lasting.EXPLICIT: 3.6,
    Taken.PROVED: 0.8,
    Taken.ACCEPTED: 1.6,
    Taken.PROVED_AND_ACCEPTED: 2.9,
}


class Verdicts(NamedTuple):
    """How many learnings of a category people kept and dropped."""

    kept: int = 0
    dropped: int = 0


def confidence(
    chance: float,
    category: InsightCategory,
    verdicts: Mapping[InsightCategory, Verdicts],
    *,
    backing: Lasting | Taken,
) -> float:
    odds = _SLOPE * _odds(chance) + _BACKING[backing] + _OFFSET
    return _chance(odds + _moved(verdicts.get(category, Verdicts())))


def claimed(chance: float, weight: float) -> float:
    """A language model says that it should be remembered. That the reader did not hear it says little against it."""
    return _chance(max(_odds(chance), _UNHEARD) + weight)


def passed_over(chance: float, weight: float) -> float:
    """A language model was shown it, and does not say that it should be remembered."""
    return _chance(_odds(chance) + weight)


def _moved(verdicts: Verdicts) -> float:
    """Zero without verdicts, and at the rate that is expected of what is above the bar."""
    usual = (1 + BAR) / 2
    return _odds((verdicts.kept + usual * _STRENGTH) / (verdicts.kept + verdicts.dropped + _STRENGTH)) - _odds(usual)


def _odds(chance: float) -> float:
    chance = min(_MOST, max(_LEAST, chance))
    return log(chance / (1 - chance))


def _chance(odds: float) -> float:
    return 1 / (1 + exp(-odds))

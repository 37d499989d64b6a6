"""Confidence: the chance that a person keeps what was found, as readers judged it before.

At the start it is the reader's own chance, calibrated on sessions that were read by people. Every verdict in this
organisation (an approval, a thumb, a retirement) then moves the chances of that category.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import exp, log
from typing import Final, NamedTuple

from heedful.records.insight import InsightCategory
from heedful.text.lasting import Lasting

BAR: Final = 0.6
"""What is less likely to be worth keeping is not used unless a person approves it, or it is said again."""
POSSIBLE: Final = 0.4
"""What is less likely than this is not kept at all."""
_UNHEARD = -2.2  # log-odds: one message in ten says something lasting
_STRENGTH = 8  # verdicts that move the chances half as far as these alone would
_MOST, _LEAST = 0.995, 0.02


class Taken(Enum):
    """How people took the work in which an agent found something."""

    PROVED = "proved"
    """Tests passed, and nobody objected."""
    ACCEPTED = "accepted"
    PROVED_AND_ACCEPTED = "proved and accepted"
    MENDED = "mended, proved and accepted"
    """The agent also told what it did about it."""


class Amid(Enum):
    """Where people do not say in so many words that a thing lasts."""

    MUCH = "amid much else"
    """In a long message: of what is asked there, nearly all is for the task at hand."""


Backing = Lasting | Amid | Taken
"""What speaks for a statement, besides the reader's chance."""


class _Line(NamedTuple):
    """The log-odds of being kept, as a line over those that the reader gives."""

    slope: float
    offset: float


# After labels of written messages and of messages in public projects that the reader was not trained on. Of short
# sentences that it is surest of, three in four were worth keeping in the former, one in three in the latter. How work
# was taken was chosen on written sessions.
_BACKING: Final[Mapping[Backing, _Line]] = {
    Lasting.PASSING: _Line(0.3, -1.6),
    Amid.MUCH: _Line(0.3, -1.2),
    Lasting.UNSAID: _Line(0.5, -1.1),
    Lasting.CORRECTED: _Line(0.5, -0.6),
    Lasting.IMPLIED: _Line(0.6, -0.15),
    Lasting.EXPLICIT: _Line(0.2, 0.88),
    Taken.PROVED: _Line(0.7, -1.6),
    Taken.ACCEPTED: _Line(0.7, -1.1),
    Taken.PROVED_AND_ACCEPTED: _Line(0.7, 0.3),
    Taken.MENDED: _Line(0.3, 1.0),
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
    backing: Backing,
) -> float:
    line = _BACKING[backing]
    odds = line.slope * _odds(chance) + line.offset
    return _chance(odds + _moved(verdicts.get(category, Verdicts())))


def is_worth_a_look(chance: float, category: InsightCategory, backing: Backing) -> bool:
    """At the start, without verdicts."""
    return confidence(chance, category, {}, backing=backing) >= POSSIBLE


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

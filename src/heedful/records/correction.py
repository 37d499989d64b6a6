"""A correction: what a person said was wrong with an output, and what is right instead."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from heedful.errors import InvalidInput
from heedful.records.learning import Learning
from heedful.records.record import Record

COMPLAINT = "COMPLAINT_HEARD"
"""Somebody said that something is wrong, but neither what nor how it should be."""

DISPUTED = "DETECTION_DISPUTED"
"""The local detector heard a correction, and the language model did not."""

TEXT_LIMIT = 2_000
"""Characters of what was wrong, what is right, and why."""

QUERY_LIMIT = 300
"""Characters that are kept of what the AI was asked, and of what else was said."""

LONG_LIMIT = 1_000_000
"""Characters of outputs, messages and queries that are looked at."""


class Category(StrEnum):
    """What kind of thing was wrong."""

    FACTUAL = "factual"
    STYLE = "style"
    CODE = "code"
    LOGIC = "logic"
    PREFERENCE = "preference"
    DOMAIN = "domain"

    @classmethod
    def of(cls, category: object) -> Category:
        try:
            return cls(str(category))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{category!r} is not a category.", hint=f"There are: {known}.") from None


AnyCategory = Category | Literal["factual", "style", "code", "logic", "preference", "domain"]
"""A category, or its word."""


@dataclass(frozen=True, slots=True)
class Correction(Learning):
    """What somebody corrected, and what became of it since."""

    kind: Literal["correction"]
    category: Category
    wrong: str
    """What was wrong; empty if they only said what is right."""
    right: str
    """What is right; empty if they only said that it is wrong."""
    why: str
    query: str
    """What the AI had been asked."""
    context: str
    """The sentence that it stood in."""
    session: str | None
    severity: float
    """From 0, a trifle, to 1."""


def share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and 0 <= value <= 1):
        raise InvalidInput(f"{name} is {value!r}.", hint="Pass a number from 0 to 1, or leave it out.")
    return float(value)


@dataclass(frozen=True, slots=True)
class Detection(Record):
    """Whether a message corrects the output before it, and what it says then."""

    is_correction: bool
    confidence: float
    """That it is one."""
    category: Category | None
    severity: float
    wrong: str
    right: str
    why: str
    signals: tuple[str, ...]
    """What spoke for or against it, in words."""
    disputed: bool = False
    """The language model and the local detector see it differently."""
    unanswered: str | None = None
    """Why a language model was to be asked and did not decide: the code of an error. The local detector did."""


@dataclass(frozen=True, slots=True)
class MessageResult(Record):
    """What became of a message."""

    detection: Detection
    correction: Correction | None
    """What was remembered, if it was a correction."""
    known: bool = False
    """It had been said before, and is confirmed by it."""

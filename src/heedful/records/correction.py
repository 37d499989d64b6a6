"""A correction: what was wrong with an output, and what is right instead."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from heedful.errors import InvalidInput
from heedful.records.choice import Choice
from heedful.records.learning import Learning
from heedful.records.reading import CorrectedMistake
from heedful.records.record import Record

COMPLAINT = "COMPLAINT_HEARD"
"""A person said that something is wrong, but neither what nor how it should be."""

DISPUTED = "DETECTION_DISPUTED"
"""The local reader found a correction, and the language model did not."""

TEXT_LIMIT = 2_000
"""Characters of `wrong`, `right` and `why`."""

QUERY_LIMIT = 300
"""Characters stored of the query, and of the rest of the message."""

OPENING_LIMIT = 160
"""Characters stored of how the output began: what it was about."""

OCCASIONS, OCCASION_LIMIT = 4, 120
"""How many occasions are stored, and the characters of one."""

LONG_LIMIT = 1_000_000
"""Characters of outputs, messages and queries that are processed."""


class Category(Choice, noun="category"):
    """What kind of error was corrected."""

    FACTUAL = "factual"
    STYLE = "style"
    CODE = "code"
    LOGIC = "logic"
    PREFERENCE = "preference"
    DOMAIN = "domain"


AnyCategory = Category | Literal["factual", "style", "code", "logic", "preference", "domain"]


@dataclass(frozen=True, slots=True)
class Correction(Learning):
    """A correction by a person, and its state."""

    kind: Literal["correction"]
    category: Category
    wrong: str
    """Empty if it is not certain which words were wrong."""
    right: str
    """Empty if it is not certain which words are right."""
    why: str
    query: str
    """The question or task that the AI had answered."""
    sentence: str
    """The sentence that was corrected."""
    fixed: str
    """That sentence put right; empty if it is not certain how."""
    understood: str
    """What to know from now on, in one sentence that makes sense by itself; empty without a language model."""
    said: str
    """The message of the person; empty if the correction was reported as a pair."""
    always: bool
    """Whether it holds beyond this question: a name, a fact, a preference, a rule."""
    session: str | None
    severity: float
    """From 0 (trivial) to 1."""
    occasions: tuple[str, ...]
    """Other questions and tasks for which it matters, by a language model: they help to find it, and are not shown to
    an AI."""

    def mistake(self) -> CorrectedMistake:
        said = self.said or (f"{self.right}, not {self.wrong}" if self.wrong and self.right else self.right)
        return CorrectedMistake(self.query, self.sentence or self.wrong, said, self.wrong)


def share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and 0 <= value <= 1):
        raise InvalidInput(f"{name} is {value!r}.", hint="Pass a number from 0 to 1, or leave it out.")
    return float(value)


@dataclass(frozen=True, slots=True)
class Detection(Record):
    """Whether a message corrects the output before it, and how."""

    is_correction: bool
    confidence: float
    category: Category | None
    severity: float
    wrong: str
    right: str
    why: str
    signals: tuple[str, ...]
    """The signals for and against, in words."""
    disputed: bool = False
    """The language model and the local reader disagree."""
    unanswered: str | None = None
    """Why the language model failed and the local reader decided instead: an error code."""
    sentence: str = ""
    """The sentence of the output that is corrected; empty if it is about the whole, or about something missing."""
    fixed: str = ""
    """That sentence put right, by a language model."""
    understood: str = ""
    """What to know from now on, in one sentence, by a language model."""
    always: bool = False
    """Whether it holds beyond this output."""
    occasions: tuple[str, ...] = ()
    """Other questions and tasks for which it matters, by a language model."""


@dataclass(frozen=True, slots=True)
class MessageResult(Record):
    """The result of a message."""

    detection: Detection
    correction: Correction | None
    known: bool = False
    """The correction was known before, and is confirmed."""

"""Reading an exchange: whether a person's message corrects the output before it, and how."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from heedful.records.record import Record


class MessageAct(StrEnum):
    """What a person does with a message to an AI."""

    CORRECTION = "correction"
    ANSWER = "answer"
    """Answers a question of the AI."""
    REQUEST = "request"
    """A next task, or a wish that blames nothing."""
    QUESTION = "question"
    PRAISE = "praise"
    REPORT = "report"
    """News, reported speech, small talk."""
    SELF = "self"
    """The person corrects themselves."""


@dataclass(frozen=True, slots=True)
class Exchange(Record):
    """A question or task, the output of an AI, and what the person said then."""

    question: str
    output: str
    message: str


@dataclass(frozen=True, slots=True)
class Reading(Record):
    """What a reader understood of an exchange. Probabilities are from 0 to 1."""

    act: MessageAct
    """The most probable one."""
    correction: float
    """The probability that the message corrects the output."""
    always: float
    """The probability that a correction holds beyond this output."""
    sentence: str
    """The sentence of the output that is corrected; empty if it is about the whole, or about something missing."""
    wrong: str
    """The words of the output that are wrong; empty if it is not certain which."""
    right: str
    """The words of the message that belong in their place."""
    pair: float
    """The probability of the pair `wrong` and `right`."""


@dataclass(frozen=True, slots=True)
class CorrectedMistake(Record):
    """What a person corrected, with its situation."""

    question: str
    sentence: str
    """The sentence that was corrected."""
    message: str
    """What the person said about it."""
    wrong: str
    """Empty if it is not certain which words were wrong."""


class Reader(Protocol):
    """Reads exchanges."""

    @property
    def name(self) -> str:
        """The model and its version."""

    def read(self, exchange: Exchange) -> Reading: ...

    def repeats(self, passage: str, mistake: CorrectedMistake) -> float:
        """The probability that a passage with the same wrong words makes the mistake again. The same words may be right
        about another subject, in a quotation, or in a report of what was."""

    def matters(self, question: str, mistake: CorrectedMistake) -> float:
        """The probability that a question can only be answered well by knowing of a corrected mistake."""

"""Reading an exchange: whether a person's message corrects the output before it, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from heedful.records.insight import InsightCategory
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
class Pointing(Record):
    """Where words stand in a text: the probability of each character offset that they start or end there."""

    starts: Mapping[int, float]
    ends: Mapping[int, float]
    nowhere: float
    """The probability that there are no such words."""


@dataclass(frozen=True, slots=True)
class Reading(Record):
    """What a reader understood of an exchange. Probabilities are from 0 to 1."""

    act: MessageAct
    """The most probable one."""
    correction: float
    """The probability that the message corrects the output."""
    always: float
    """The probability that a correction holds beyond this output."""
    manner: float
    """The probability that it is about how the AI writes or works, and so matters whatever is asked."""
    sentence: str
    """The sentence of the output that is corrected; empty if it is about the whole, or about something missing."""
    wrong: Pointing
    """Where the words of the output stand that are wrong."""
    right: Pointing
    """Where the words of the message stand that belong in their place."""
    named: Pointing
    """Where the words of the message stand that name the wrong ones."""
    likeness: Callable[[tuple[int, int], tuple[int, int]], float]
    """How alike words of the output and words of the message are, by their start and end: at most 1."""


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


class StatementKind(StrEnum):
    """What a sentence of a session with a coding agent states that should be remembered."""

    RULE = "rule"
    """A standing wish, ban or habit."""
    FACT = "fact"
    """Something lasting about the project, the team or the machine."""
    DECISION = "decision"
    """A choice between ways, settled by a person."""
    FINDING = "finding"
    """What an agent found out about the project."""


class Answer(StrEnum):
    """How a person takes what an agent did or proposed."""

    ACCEPTS = "accepts"
    REFUSES = "refuses"
    GOES_ON = "goes_on"
    """Just the next thing."""
    NONE = "none"
    """There was nothing to take, or they answer a question."""


class Bearing(StrEnum):
    """What a message does to a statement that is remembered."""

    ENDS = "ends"
    """It does not hold any more: something else does, or nothing."""
    SAME = "same"
    """It is said again, in whatever words."""
    STAYS = "stays"
    """The message has nothing to do with it, only mentions it, adds to it, or makes an exception."""


@dataclass(frozen=True, slots=True)
class LikelyStatement(Record):
    """A sentence, and the chance that it should be remembered."""

    start: int
    end: int
    """Where the words stand that state it, in the text."""
    sentence: tuple[int, int]
    """Where its sentence stands."""
    kind: StatementKind
    chance: float
    alone: float
    """The chance that the words make sense to somebody who was not there."""
    category: InsightCategory
    ends: float = 0.0
    """The chance that it ends something that was said before."""


@dataclass(frozen=True, slots=True)
class MessageReading(Record):
    """What a reader understood of a message in a session."""

    statements: tuple[LikelyStatement, ...]
    """One for each sentence, in order."""
    answer: Answer
    refused: float
    """The probability that the person refuses what was done or proposed before."""
    accepted: float


class Reader(Protocol):
    """Reads exchanges."""

    @property
    def name(self) -> str:
        """The model and its version."""

    def read(self, exchange: Exchange) -> Reading: ...

    def repeats(self, passage: str, mistake: CorrectedMistake) -> float:
        """The probability that a passage with the same wrong words makes the mistake again. The same words may be right
        about another subject, in a quotation, or in a report of what was."""

    def message(self, text: str, before: str) -> MessageReading:
        """What a person says to a coding agent that should be remembered. `before` is what the agent wrote last."""

    def findings(self, text: str, sentences: Sequence[tuple[int, int]], task: str) -> tuple[LikelyStatement, ...]:
        """What these sentences of an agent's report say that should be remembered. `task` is what the person had asked
        for."""

    def bearing(self, message: str, remembered: str) -> Mapping[Bearing, float]:
        """The probability of each thing that a message, or a part of it, may do to a statement that is remembered."""

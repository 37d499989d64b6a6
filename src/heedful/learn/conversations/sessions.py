"""A session as the reader understood it: what was said, what the agent found, and how people took its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from heedful.learn.conversations.turns import Turn
from heedful.learn.conversations.verdicts import Backing, Taken
from heedful.records.insight import InsightCandidate, Quote
from heedful.records.reading import LikelyStatement, MessageReading
from heedful.records.transcript import Speaker

_REFUSED, _ACCEPTED = 0.4, 0.5


@dataclass(frozen=True, slots=True)
class ReadTurn:
    turn: Turn
    reading: MessageReading
    """Of what the person said."""
    answer: MessageReading | None
    """Of what they said next; None at the end."""

    @property
    def answers(self) -> bool:
        """The person says how they take what the agent did before, and asks for nothing new."""
        return self.refuses or self.reading.accepted >= _ACCEPTED

    @property
    def refuses(self) -> bool:
        """The person does not take what the agent did before."""
        return self.reading.refused >= _REFUSED

    @property
    def refused(self) -> bool:
        """The person did not take what the agent did in this turn."""
        return self.turn.interrupted or (self.answer is not None and self.answer.refused >= _REFUSED)

    @property
    def taken(self) -> Taken | None:
        """How the agent's work was taken; None if it was refused, or nobody cared."""
        if self.refused:
            return None
        accepted = self.answer is not None and self.answer.accepted >= _ACCEPTED
        if accepted and self.turn.proved:
            return Taken.PROVED_AND_ACCEPTED
        return Taken.ACCEPTED if accepted else Taken.PROVED if self.turn.proved else None


@dataclass(frozen=True, slots=True)
class Stated:
    """A candidate, and what speaks for it."""

    candidate: InsightCandidate
    chance: float
    """That it should be remembered, as the reader gives it."""
    backing: Backing


class HeardRetraction(NamedTuple):
    """A sentence of a person that may end what was said before."""

    message: str
    sentence: tuple[int, int]
    """Where it stands in the message."""

    def overlaps(self, other: HeardRetraction) -> bool:
        (start, end), (first, last) = self.sentence, other.sentence
        return self.message == other.message and start < last and first < end


@dataclass(frozen=True, slots=True)
class ReadSession:
    turns: tuple[ReadTurn, ...] = ()
    said: tuple[Stated, ...] = ()
    """By people, the surest first."""
    found: tuple[Stated, ...] = ()
    """By the agent, accepted or proved."""
    unclear: int = 0
    """Sentences of people that make no sense outside their place."""
    refused: int = 0
    """Sentences of the agent that may be findings, in work that a person refused."""
    taken_back: int = 0
    """Statements that the person took back."""
    unread: int = 0
    """Messages of people, in a talk that is not about work, with nothing technical in or near them."""
    retractions: tuple[HeardRetraction, ...] = ()
    """What may have been said in other sessions."""

    def statement(self, quote: Quote) -> LikelyStatement | None:
        """What the reader made of the sentence that has these words of a person."""
        found = [
            statement
            for one in self.turns
            if one.turn.said.id == quote.message
            for statement in one.reading.statements
            if _has(one.turn.said.text[slice(*statement.sentence)], quote.text)
        ]
        return max(found, key=lambda statement: statement.chance, default=None)

    def took(self, candidate: InsightCandidate) -> bool:
        """Whether a person said some of its evidence, or accepted the work in which the agent did."""
        accepted = {id for one in self.turns if one.taken is not None for id in one.turn.work}
        return any(quote.role is Speaker.USER or quote.message in accepted for quote in candidate.quotes)


def shares(one: Quote, other: Quote) -> bool:
    """Whether one has the words of the other."""
    return one.message == other.message and _has(one.text, other.text)


def _has(sentence: str, quote: str) -> bool:
    sentence, quote = " ".join(sentence.split()), " ".join(quote.split())
    return sentence in quote or quote in sentence

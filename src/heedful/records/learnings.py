"""Learnings of any kind: a match with a question, and why one is believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.records.correction import Correction
from heedful.records.event import Event
from heedful.records.insight import Insight, Proof
from heedful.records.pattern import Pattern
from heedful.records.record import Record

AnyLearning = Correction | Insight | Pattern
AnyKind = Literal["correction", "insight", "pattern"]


MATCHED = "learnings.matched"
"""The topic of listeners that are called with the matches of a question or an output."""


@dataclass(frozen=True, slots=True)
class Match(Record):
    """A learning that fits a question: relevance = similarity x confidence x recency x standing."""

    learning: AnyLearning
    score: float
    """By which matches are ranked: words and meaning together."""
    similarity: float
    recency: float
    standing: float
    """What became of it: uses, thumbs, confirmations, and the reputation of whom it was learned from."""
    relevance: float


@dataclass(frozen=True, slots=True)
class Why(Record):
    """Why a learning is believed: where it was learned, and what people and heedful did about it since."""

    learning: AnyLearning
    proofs: tuple[Proof, ...]
    """For insights: the conversations that taught it."""
    history: tuple[Event, ...]
    """The events it is made of, in their order."""

"""Learnings of any kind: a match of a search, and how often a learning was said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from heedful.records.correction import Correction
from heedful.records.insight import Insight
from heedful.records.mapping import Mapping
from heedful.records.pattern import Pattern
from heedful.records.record import Record
from heedful.records.review import Remark
from heedful.records.rule import Rule

AnyLearning = Correction | Insight | Mapping | Pattern | Remark | Rule
AnyKind = Literal["correction", "insight", "mapping", "pattern", "remark", "rule"]


MATCHED = "learnings.matched"
"""The topic of listeners that are called with the matches of a query or an output."""


@dataclass(frozen=True, slots=True)
class Match(Record):
    """A learning that matches a query: relevance = similarity x confidence x recency x standing."""

    learning: AnyLearning
    score: float
    """Matches are ranked by this: words and meaning combined."""
    similarity: float
    recency: float
    standing: float
    """From uses, ratings, confirmations, and the reputation of its contributor."""
    relevance: float


@dataclass(frozen=True, slots=True)
class Repetition(Record):
    """How often a learning was said: the same statement in several conversations, by several people or in several
    projects is one learning."""

    learning: AnyLearning
    times: int
    since: datetime
    people: tuple[str, ...]
    """Who said it; empty if they have no name."""
    projects: tuple[str, ...]
    others: tuple[str, ...] = ()
    """The ids of other learnings that found the same root cause in other projects. Each keeps its own evidence; here
    they are counted as one pattern."""

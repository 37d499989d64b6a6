"""Outcomes: what happened after a context was used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from heedful.records.record import Record

OUTCOME_REPORTED = "OUTCOME_REPORTED"
"""The outcome after a context was used: reported, or derived from what people did next."""

UNIT = "unit"
"""The entity kind of contexts and outcomes: the session, task or document that they belong to. All of them are in one
namespace: a session and a task of the same name are one unit."""

SHOWN = "shown"
WITHHELD = "withheld"
_AT = "@"


@dataclass(frozen=True, slots=True)
class Outcome(Record):
    id: str
    context: str
    unit: str
    """The session, task or document it belongs to; the context itself if it was given for none of these."""
    value: float | None
    """From 0 (failure) to 1 (success); None if only the output was checked."""
    followed: tuple[str, ...]
    """Learnings of the context that the output follows, as far as that can be checked."""
    broken: tuple[str, ...]
    """Learnings of the context that the output does not follow."""
    derived_from: str | None
    """The event it was derived from; None if it was reported."""
    at: datetime


class CountedChange(NamedTuple):
    """What an outcome changes in the counts of one learning; events hold it as a list."""

    arm: str
    """Shown or withheld, with the share that was withheld (`compared_arm`); "shown" alone for what could not have been
    withheld: then only whether it is followed counts."""
    first: int
    """1 for the first outcome of the learning in this unit, otherwise 0."""
    new: int
    """The mean outcome of the learning in the unit, in 1/10,000, with this outcome."""
    old: int
    """The same without it; 0 before the first."""
    followed: int
    """1 if the output follows the learning; less what an earlier outcome of the same context said. So it can be -1."""
    broken: int


def compared_arm(side: str, share: float) -> str:
    """One side of a comparison: `shown@0.1`. Contexts of which another share was withheld are another comparison: they
    are of other times and tasks, and pooled it would be these that are compared."""
    return f"{side}{_AT}{share:g}"


def is_arm(value: str) -> bool:
    return side_and_share(value)[0] in (SHOWN, WITHHELD)


def side_and_share(arm: str) -> tuple[str, str]:
    """The share is "" for what could not have been withheld."""
    side, _, share = arm.partition(_AT)
    return side, share

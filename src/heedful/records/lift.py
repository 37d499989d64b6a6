"""Lift: whether outcomes are better with a learning than without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.records.record import Record

LiftVerdict = Literal["helps", "harms", "no effect yet", "not measured"]


@dataclass(frozen=True, slots=True)
class Arm(Record):
    """The sessions, tasks or documents on one side of the comparison."""

    units: int
    mean: float | None
    """The mean outcome, from 0 to 1; None without units."""


@dataclass(frozen=True, slots=True)
class Lift(Record):
    learning: str
    kind: str
    text: str
    shown: Arm
    withheld: Arm
    lift: float | None
    """The mean outcome with it minus the mean outcome without it."""
    low: float | None
    high: float | None
    """The interval holds however often it is looked at."""
    verdict: LiftVerdict
    needed: int | None
    """About how many more outcomes would show a difference of ten points; None if it is decided."""
    followed: int
    """How many outputs followed it, as far as that can be checked."""
    broken: int

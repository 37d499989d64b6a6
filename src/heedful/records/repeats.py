"""The repeat-correction rate: how often people had to say again what they had said before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from heedful.records.interval import Interval
from heedful.records.record import Record


@dataclass(frozen=True, slots=True)
class RepeatWeek(Record):
    monday: date
    """The first day of the week, in UTC."""
    said: int
    again: int
    rate: float | None
    """None in a week in which nobody said anything."""


@dataclass(frozen=True, slots=True)
class RepeatGroup(Record):
    """What was said through one teacher, about one topic, agent, rule or layout, or by one person."""

    name: str
    """Empty for what has no topic, or no person."""
    said: int
    again: int
    rate: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Repeats(Record):
    said: int
    """How often people said what is right: corrected, reviewed, stated, or decided against a suggestion."""
    again: int
    """How many of these had been said before."""
    rate: float | None
    """The share; None if nobody said anything."""
    interval: Interval | None
    """Of the rate, 95%."""
    weeks: tuple[RepeatWeek, ...]
    """Oldest first; weeks in which nobody said anything as well."""
    groups: tuple[RepeatGroup, ...]
    """Those who said most first; empty unless asked for."""

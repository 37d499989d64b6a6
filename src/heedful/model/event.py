"""An event: one act of one person (or program), as it happened. Everything learned is derived from these."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from heedful.model.json import Json


class Entity(NamedTuple):
    """What the act was about: ("sku_mapping", "ABC-123")."""

    kind: str
    id: str


class Event(NamedTuple):
    """A recorded act. A tuple, because millions of these are made: four times as fast as a frozen dataclass."""

    id: str
    org: str
    seq: int
    """The place in the organisation's log: 1, 2, 3, … without gaps, in the order of recording."""
    kind: str
    at: datetime
    """When it happened, which for imported history is long before it was recorded."""
    actor: str | None
    entity: Entity | None
    layout: str | None
    before: Json
    after: Json
    meta: Json


class Draft(NamedTuple):
    """A valid act that has no place in the log yet, its payloads already as text."""

    id: str
    kind: str
    at: datetime
    actor: str | None
    entity: Entity | None
    layout: str | None
    before: str
    after: str
    meta: str
    own_id: bool
    """The caller chose the id, so it may have been used already."""
    own_time: bool


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to list. What is None does not matter."""

    kind: str | None = None
    actor: str | None = None
    entity: Entity | None = None
    layout: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    newest_first: bool = False

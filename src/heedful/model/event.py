"""An event: one act of one person (or program), as it happened. Everything learned is derived from these."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, cast

from heedful.errors import InvalidInput
from heedful.model.json import Json, decode
from heedful.model.names import identifier


class Entity(NamedTuple):
    """What the act was about: ("sku_mapping", "ABC-123")."""

    kind: str
    id: str

    @classmethod
    def of(cls, pair: object) -> Entity:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InvalidInput(
                f"entity must be a pair of kind and id, not {pair!r}.",
                hint='Write it as entity=("sku_mapping", "ABC-123").',
            )
        return cls(identifier(pair[0], "entity kind"), identifier(pair[1], "entity id"))


class Event(NamedTuple):
    """A recorded act. A tuple, because millions of these are made, with its payloads as the canonical JSON
    text that is stored: `before`, `after` and `meta` read it when they are asked for."""

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
    before_json: str
    after_json: str
    meta_json: str

    @property
    def before(self) -> Json:
        return cast("Json", decode(self.before_json))

    @property
    def after(self) -> Json:
        return cast("Json", decode(self.after_json))

    @property
    def meta(self) -> Json:
        return cast("Json", decode(self.meta_json))


class Draft(NamedTuple):
    """A valid act that has no place in the log yet."""

    id: str
    kind: str
    at: datetime
    actor: str | None
    entity: Entity | None
    layout: str | None
    before_json: str
    after_json: str
    meta_json: str
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

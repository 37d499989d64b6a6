"""An event: one action of a person or program. Everything learned is derived from events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple, cast, get_args

import orjson
from uuid_utils import uuid7

from heedful.errors import InvalidInput
from heedful.records import record
from heedful.records.clock import aware
from heedful.records.json import Json, decode, encode
from heedful.records.names import CONTROL, UNSEEN, ArgumentRule, Name, identifier

_NAME = get_args(Name)[1].schema
_HIDDEN = rf"{CONTROL}{UNSEEN}"
_KIND_AND_ID = rf"^[^{_HIDDEN}:]*[^\s{_HIDDEN}:][^{_HIDDEN}:]*:[^{_HIDDEN}]*[^\s{_HIDDEN}][^{_HIDDEN}]*$"


class Entity(NamedTuple):
    """What the event is about: ("sku_mapping", "ABC-123")."""

    kind: str
    id: str

    @classmethod
    def of(cls, pair: object) -> Entity:
        if isinstance(pair, str) and ":" in pair:
            pair = tuple(pair.split(":", 1))
        if isinstance(pair, Mapping) and pair.keys() == {"kind", "id"}:
            pair = (pair["kind"], pair["id"])
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InvalidInput(
                f"entity must be a pair of kind and id, not {pair!r}.",
                hint='Write it as ("sku_mapping", "ABC-123"), or as text: sku_mapping:ABC-123.',
            )
        return cls(identifier(pair[0], "entity kind"), identifier(pair[1], "entity id"))

    def to_dict(self) -> dict[str, Any]:
        """The same as the JSON of the HTTP API."""
        return record.as_dict(self)

    def to_json(self) -> str:
        return record.dump(self).decode()

    def __repr__(self) -> str:
        return record.line(self)


EntityPair = Annotated[
    Sequence[str],
    ArgumentRule(
        {
            "type": "object",
            "properties": {"kind": _NAME, "id": _NAME},
            "required": ["kind", "id"],
            "additionalProperties": False,
        },
        in_text={"type": "string", "pattern": _KIND_AND_ID, "examples": ["sku_mapping:ABC-123"]},
        parse=Entity.of,
    ),
]
"""A pair in Python, an object in JSON, and "kind:id" in a URL."""


class Event(NamedTuple):
    """A recorded event. A tuple, because millions of them are created; its payloads are the stored canonical JSON,
    which `before`, `after` and `meta` decode on access."""

    id: str
    org: str
    seq: int
    """The position in the organisation's log: 1, 2, 3, … without gaps, in the order of recording."""
    kind: str
    at: datetime
    """When it happened; for imported history long before it was recorded."""
    actor: str | None
    entity: Entity | None
    layout: str | None
    before_json: str
    after_json: str
    meta_json: str

    def to_dict(self) -> dict[str, Any]:
        """The same as the JSON of the HTTP API."""
        return record.as_dict(self)

    def to_json(self) -> str:
        return record.dump(self).decode()

    def __repr__(self) -> str:
        return record.line(self)

    def __json__(self) -> dict[str, Any]:
        return document(self)

    @property
    def before(self) -> Json:
        return cast("Json", decode(self.before_json))

    @property
    def after(self) -> Json:
        return cast("Json", decode(self.after_json))

    @property
    def meta(self) -> Json:
        return cast("Json", decode(self.meta_json))

    @classmethod
    def __get_pydantic_core_schema__(cls, _: object, handler: Callable[[object], Any]) -> Any:
        """Lets pydantic read and describe responses that contain events. Only pydantic calls it, so its import is
        free."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(_of_document, handler(EventDocument))


class EventReceipt(NamedTuple):
    """The result of one event of a batch: its id and its position in the log."""

    id: str
    seq: int

    def to_dict(self) -> dict[str, Any]:
        """The same as the JSON of the HTTP API."""
        return record.as_dict(self)

    def to_json(self) -> str:
        return record.dump(self).decode()

    def __repr__(self) -> str:
        return record.line(self)


@dataclass(frozen=True, slots=True)
class EntityDocument:
    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class EventDocument:
    """An event as JSON."""

    id: str
    org: str
    seq: int
    kind: str
    at: datetime
    actor: str | None
    entity: EntityDocument | None
    layout: str | None
    before: dict[str, Any]
    after: dict[str, Any]
    meta: dict[str, Any]


def document(event: Event) -> dict[str, Any]:
    """An event as JSON; the payloads are encoded already and are copied unchanged."""
    return {
        "id": event.id,
        "org": event.org,
        "seq": event.seq,
        "kind": event.kind,
        "at": event.at,
        "actor": event.actor,
        "entity": None if event.entity is None else event.entity._asdict(),
        "layout": event.layout,
        "before": orjson.Fragment(event.before_json),
        "after": orjson.Fragment(event.after_json),
        "meta": orjson.Fragment(event.meta_json),
    }


def from_document(document: Mapping[str, Any]) -> Event:
    """Parses the JSON of an event from another installation."""
    entity = None if document["entity"] is None else EntityDocument(**document["entity"])
    return _of_document(EventDocument(**{**document, "at": datetime.fromisoformat(document["at"]), "entity": entity}))


def _of_document(document: EventDocument) -> Event:
    entity = None if document.entity is None else Entity(document.entity.kind, document.entity.id)
    payloads = map(encode, (document.before, document.after, document.meta))
    place = (document.id, document.org, document.seq, document.kind, aware(document.at))
    return Event(*place, document.actor, entity, document.layout, *payloads)


class Draft(NamedTuple):
    """A validated event without a position in the log yet."""

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
    """The caller chose the id, so it may exist already."""
    own_time: bool


def noted(
    kind: str,
    at: datetime,
    *,
    actor: str | None = None,
    entity: Entity | None = None,
    before: Json | None = None,
    after: Json | None = None,
    meta: Json | None = None,
) -> Draft:
    """An event that heedful itself records, with a generated id."""
    was, became, facts = (encode(payload or {}) for payload in (before, after, meta))
    return Draft(str(uuid7()), kind, at, actor, entity, None, was, became, facts, own_id=False, own_time=False)


@dataclass(frozen=True, slots=True)
class EventFilter:
    """A filter of events. None matches everything."""

    kind: str | None = None
    actor: str | None = None
    entity: Entity | None = None
    layout: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    newest_first: bool = False
    audit: bool = True

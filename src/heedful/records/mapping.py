"""A mapping: what a key on documents of a customer means in one's own words, such as an article number."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Literal

from heedful.records.choice import Choice
from heedful.records.json import encode
from heedful.records.learning import Learning

CONFIRMED = "MAPPING_CONFIRMED"
REJECTED = "MAPPING_REJECTED"
ENTITY = "sku_mapping"
"""The entity kind of what people do with mappings."""
KEY = "mapping_key"
"""The entity kind of the event that begins a mapping: all mappings of one key are found by it."""
TEXT_LIMIT = 200
STALE = timedelta(days=180)
"""Neither confirmed nor used for this long."""


class MappingType(Choice, noun="type of mapping"):
    SKU = "sku"
    """The customer's article number to one's own."""
    UNIT = "unit"
    PRICE = "price"
    DATE = "date"
    CUSTOMER = "customer"
    """A name on a document to a customer's number."""
    TEXT = "text"


AnyMappingType = MappingType | Literal["sku", "unit", "price", "date", "customer", "text"]


class MappingState(Choice, noun="state of mappings"):
    CONFIRMED = "CONFIRMED"
    REJECTED = "REJECTED"
    REPLACED = "REPLACED"
    """Another value was confirmed instead."""


AnyMappingState = MappingState | Literal["CONFIRMED", "REJECTED", "REPLACED"]


@dataclass(frozen=True, slots=True)
class Mapping(Learning):
    kind: Literal["mapping"]
    category: MappingType
    customer: str | None
    """None: for all customers."""
    key: str
    value: str
    state: MappingState
    support_count: int
    """How often people confirmed it."""
    people: int
    """How many different people confirmed it."""
    used: int
    """How often it was applied to a document by itself."""
    last_used: datetime | None
    stale: bool
    """Neither confirmed nor used for half a year."""


def same_key(text: str) -> str:
    """Keys that differ in case and spaces only are the same."""
    return "".join(text.split()).casefold()


def key_id(type: MappingType, customer: str | None, key: str) -> str:
    return blake2b(encode([type.value, customer, same_key(key)]).encode(), digest_size=16).hexdigest()

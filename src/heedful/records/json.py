"""Payloads as canonical JSON text: equal content is equal text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from heedful.errors import InvalidPayload, StoreDamaged

Json = Mapping[str, Any]

_CANONICAL = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)


def encode(value: object, name: str = "payload") -> str:
    try:
        text = orjson.dumps(value, option=_CANONICAL).decode()
        if "null" in text and not finite(value):
            # orjson writes NaN and infinity as null, which would silently change the payload.
            raise ValueError("NaN and infinity have no place in JSON")  # noqa: TRY301
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidPayload(
            f"{name} is not JSON: {error}.",
            hint="Use dicts with text keys, lists, text, finite numbers up to 64 bits, booleans and None.",
        ) from None
    return text


def finite(value: Any) -> bool:
    """Whether it contains neither NaN nor infinity."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(finite, value.values()))
    return all(map(finite, value)) if isinstance(value, (list, tuple)) else True


def strings(value: Any) -> Iterator[str]:
    """All texts in it, at any depth; not the names of fields."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, Mapping):
            waiting += found.values()
        elif isinstance(found, (list, tuple)):
            waiting += found


def indented(value: object) -> str:
    """Indented, for files that people read."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n"


def decode(text: str) -> Any:
    """Decodes stored JSON that heedful encoded. The error quotes nothing of it."""
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, TypeError):
        raise StoreDamaged("The database is damaged: a stored value is not JSON.", hint="Run: heedful doctor") from None


def parse(text: str | bytes, name: str = "JSON") -> Any:
    """Decodes JSON from outside, with an error that says what to do."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidPayload(
            f"{name} is not valid JSON: {error}.",
            hint="Check quotes and commas; in a shell, put the whole JSON in single quotes.",
        ) from None

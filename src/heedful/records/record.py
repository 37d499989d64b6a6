"""A record: what an operation returns. Converts itself to a dict and to JSON, and has a short repr."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from inspect import get_annotations
from typing import Any, cast

import orjson

_JSON = orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS
_LINE = 200
_VALUE = 48  # characters of a text that a line shows


class Record:
    """The base of records that are dataclasses. Records that are tuples define the same three methods."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in vars(cls):
            cls.__repr__ = Record.__repr__  # type: ignore[method-assign]  # or `dataclass` generates a long one

    def to_dict(self) -> dict[str, Any]:
        """The same as the JSON of the HTTP API: dicts, lists, texts, numbers, booleans and None."""
        return as_dict(self)

    def to_json(self) -> str:
        return dump(self).decode()

    def __repr__(self) -> str:
        return line(self)


class Referred:
    """A record that stands for its id where an operation takes one."""

    __slots__ = ()
    id: str


def dump(value: object) -> bytes:
    return orjson.dumps(value, default=_plain, option=_JSON)


def as_dict(record: object) -> dict[str, Any]:
    return cast("dict[str, Any]", orjson.loads(dump(record)))


def _plain(value: object) -> Any:
    if hasattr(value, "__json__"):
        return value.__json__()
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(type(value).__name__)


def line(record: object) -> str:
    """The repr of a record, at most 200 characters: its first non-empty fields, long ones cut."""
    shown = f"{type(record).__name__}("
    for name in _names(record):
        value = getattr(record, name)
        if value is None or value in ("", "{}", (), [], {}):
            continue
        part = f"{name}={_short(value)}, "
        if len(shown) + len(part) > _LINE - 2:
            return f"{shown}…)"
        shown += part
    return f"{shown.removesuffix(', ')})"


def _names(record: object) -> list[str]:
    if is_dataclass(record):
        own = get_annotations(type(record))
        shown = [field.name for field in fields(record) if field.repr]
        return sorted(shown, key=lambda name: name != "id" and name not in own)  # what all kinds have comes after
    return list(getattr(record, "_fields", ()))


def _short(value: object) -> str:
    match value:
        case Enum():
            shown = repr(value.value)
        case str():
            shown = repr(value if len(value) <= _VALUE else value[: _VALUE - 1] + "…")
        case datetime():
            shown = value.isoformat(timespec="seconds")
        case float():
            shown = f"{value:.4g}"
        case date():
            shown = value.isoformat()
        case Record():
            shown = f"{type(value).__name__}({_short(value.id) if hasattr(value, 'id') else '…'})"
        case list() | tuple() | Mapping() if not hasattr(value, "_fields"):
            shown = f"<{len(value)} {type(next(iter(value))).__name__}>"
        case _:
            shown = repr(value)
    return shown if len(shown) <= 2 * _VALUE else f"{shown[: 2 * _VALUE]}…"

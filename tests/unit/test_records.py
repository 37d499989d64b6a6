"""What operations answer with can be told as JSON, and printed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import heedful
from heedful.records.record import dump
from heedful.wire import wires
from tests.typed import corrections

LONG = "A text that somebody wrote, with “quotes” and\nlines. " * 6


def _records(hint: Any, seen: dict[type, None]) -> None:
    """All records that a type holds, however deep."""
    for part in (get_origin(hint), *get_args(hint)):
        if part is not None:
            _records(part, seen)
    if _is_record(hint) and hint not in seen:
        seen[hint] = None
        for deeper in get_type_hints(hint).values():
            _records(deeper, seen)


def _is_record(hint: Any) -> bool:
    ours = isinstance(hint, type) and hint.__module__.startswith("heedful.")
    return ours and (dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"))


def _answers() -> list[type]:
    seen: dict[type, None] = {}
    for wire in wires():
        _records(wire.operation.hints()["return"], seen)
    return list(seen)


RECORDS = _answers()


def _value(hint: Any) -> Any:  # noqa: PLR0911
    """Something of that type, as long as it may be."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return parts[0]
    if origin in (tuple, list, Sequence):
        return tuple(_value(parts[0]) for _ in range(50))
    if origin in (dict, Mapping):
        return {_value(parts[0]): _value(parts[1])}
    if parts:
        return _value(parts[0])
    if isinstance(hint, type) and hint in RECORDS:
        return _filled(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint))
    plain: dict[Any, Any] = {
        str: LONG, int: 10**12, float: 1 / 3, bool: True, date: date(2026, 1, 5),
        datetime: datetime(2026, 1, 5, 9, 30, 0, 123456, UTC),
    }  # fmt: skip
    return plain.get(hint)


def _filled(kind: type) -> Any:
    values = {name: _value(hint) for name, hint in get_type_hints(kind).items()}
    if hasattr(kind, "_fields"):
        return kind(**{name: '{"a": 1}' if name.endswith("_json") else value for name, value in values.items()})
    made: Any = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _json(value: Any) -> Iterator[Any]:
    yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _json(part)


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_record_is_told_as_http_tells_it_and_shown_in_a_line(kind: type) -> None:
    record = _filled(kind)

    told = record.to_dict()
    assert told == json.loads(record.to_json()) == json.loads(dump(record))
    assert all(part is None or type(part) in (dict, list, str, int, float, bool) for part in _json(told))
    for shown in (repr(record), f"{record!r}"):
        assert len(shown) <= 200, shown
        assert shown.startswith(f"{kind.__name__}("), shown
        assert "\n" not in shown


def test_there_are_records_to_walk() -> None:
    assert {heedful.Correction, heedful.Event, heedful.Insight, heedful.Job, heedful.Mined} <= set(RECORDS)
    for wire in wires():
        seen: dict[type, None] = {}
        _records(wire.operation.hints()["return"], seen)
        assert seen or wire.id in ("jobs.count_by_state", "apply.rules"), wire.id


def test_a_secret_is_not_shown_by_printing_what_holds_it(loop: heedful.Loop) -> None:
    key = loop.govern.keys.create("order desk", role="operator")

    assert key.secret is not None
    assert key.secret not in repr(key)
    assert key.to_dict()["secret"] == key.secret


def test_a_correction_is_printed_by_what_it_says(loop: heedful.Loop) -> None:
    made = loop.capture.correction("make ship", "make release", about="deployment")

    assert "wrong='make ship', right='make release'" in str(made)
    assert made.to_dict()["right"] == "make release"
    assert str(corrections(loop).page()) == "Page(items=<1 Correction>)"

"""The part of JSON Schema that answers are asked for in, and what is wrong with one that does not fit.

Objects name their properties, all of them in `required`, and allow no others; what may be missing is a union with null:
`{"type": ["string", "null"]}`. Values can have an `enum`, numbers a `minimum` and `maximum`, texts a `maxLength`,
arrays `items` and `maxItems`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_IS: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
_BOUNDS = ("minimum", "maximum", "maxLength", "maxItems")


def complaint(value: object, schema: Schema) -> str | None:
    """The first thing that is wrong, or None. It quotes nothing of the value, so that it may be logged."""
    return next(_complaints(value, schema, "the answer"), None)


def bare(schema: Schema) -> dict[str, Any]:
    """The schema without bounds, which servers that hold a model to a schema often refuse; they are told in words."""
    bounds = ", ".join(f"{name} {schema[name]}" for name in _BOUNDS if name in schema)
    kept = {name: value for name, value in schema.items() if name not in _BOUNDS}
    if bounds:
        kept["description"] = f"{kept.get('description', '')} ({bounds})".strip()
    if "properties" in kept:
        kept["properties"] = {name: bare(inner) for name, inner in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = bare(kept["items"])
    return kept


def _complaints(value: Any, schema: Schema, place: str) -> Iterator[str]:
    kinds = schema.get("type", tuple(_IS))
    kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if not any(_IS[kind](value) for kind in kinds):
        yield f"{place} is not of type {' or '.join(kinds)}"
    elif "enum" in schema and not any(_same(value, allowed) for allowed in schema["enum"]):
        yield f"{place} is none of {', '.join(map(str, schema['enum']))}"
    elif isinstance(value, dict):
        yield from _of_object(value, schema, place)
    elif isinstance(value, list):
        yield from _of_array(value, schema, place)
    elif isinstance(value, str):
        if len(value) > schema.get("maxLength", len(value)):
            yield f"{place} has more than {schema['maxLength']} characters"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _of_number(value, schema, place)


def _of_object(value: dict[str, Any], schema: Schema, place: str) -> Iterator[str]:
    properties: Schema = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place} has no {name}"
    if schema.get("additionalProperties") is False and not value.keys() <= properties.keys():
        yield f"{place} has properties other than {', '.join(properties)}"
    for name, inner in properties.items():
        if name in value:
            yield from _complaints(value[name], inner, name)


def _of_array(value: list[Any], schema: Schema, place: str) -> Iterator[str]:
    if len(value) > schema.get("maxItems", len(value)):
        yield f"{place} has more than {schema['maxItems']} items"
    for item in value:
        yield from _complaints(item, schema.get("items", {}), f"an item of {place}")


def _of_number(value: float, schema: Schema, place: str) -> Iterator[str]:
    if value < schema.get("minimum", value):
        yield f"{place} is less than {schema['minimum']}"
    if value > schema.get("maximum", value):
        yield f"{place} is more than {schema['maximum']}"


def _same(value: object, allowed: object) -> bool:
    """For Python, True is 1."""
    return value == allowed and isinstance(value, bool) == isinstance(allowed, bool)

"""The HTTP API as a page for people: what its OpenAPI description tells, by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_STAGES = {
    "capture": "What people did and said, as it happens.",
    "learn": "What is derived from it, and looked through.",
    "govern": "Who may do what, what goes live, and what must go.",
    "apply": "What was learned, for the next prompt and the next output.",
    "measure": "Whether it helped.",
    "agents": "What a coding agent's hook calls.",
    "log": "What was recorded.",
    "jobs": "Work for later.",
}
_SERVER = "http://127.0.0.1:8321"
_REF = "#/components/schemas/"
_FEW = 12  # values of a choice that are named
_BAD = 400
_OR_NOTHING = " or nothing"


@dataclass(frozen=True, slots=True)
class Type:
    """What a value is like, in a few words; and the shape it is a link to."""

    text: str
    shape: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    place: str
    """path, query, header or body."""
    required: bool
    type: Type
    says: str


@dataclass(frozen=True, slots=True)
class Answer:
    status: str
    says: str
    type: Type | None

    @property
    def good(self) -> bool:
        return int(self.status) < _BAD


@dataclass(frozen=True, slots=True)
class Entry:
    """One operation."""

    id: str
    verb: str
    path: str
    summary: str
    paragraphs: tuple[str, ...]
    fields: tuple[Field, ...]
    example: str
    answers: tuple[Answer, ...]

    @property
    def well(self) -> list[Answer]:
        return [answer for answer in self.answers if answer.good]

    @property
    def problems(self) -> list[Answer]:
        return [answer for answer in self.answers if not answer.good]

    def curl(self, base: str) -> str:
        return self.example.replace(_SERVER, base)


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    says: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of object that goes in or out."""

    name: str
    says: str
    fields: tuple[Field, ...]


class Reference:
    """Made when it is first read: few who serve look at it."""

    def __init__(self, describe: Callable[[], Mapping[str, Any]]) -> None:
        self._describe = describe

    @cached_property
    def _description(self) -> Mapping[str, Any]:
        return self._describe()

    @property
    def paragraphs(self) -> list[str]:
        return [" ".join(part.split()) for part in self._description["info"]["description"].split("\n\n")]

    @cached_property
    def stages(self) -> list[Stage]:
        found: dict[str, list[Entry]] = {name: [] for name in _STAGES}
        for path, verbs in self._description["paths"].items():
            for verb, told in verbs.items():
                entry = _entry(verb.upper(), path, told, self._description["components"]["schemas"])
                found.setdefault(told["tags"][0], []).append(entry)
        return [Stage(name, _STAGES.get(name, ""), tuple(entries)) for name, entries in found.items() if entries]

    @cached_property
    def shapes(self) -> list[Shape]:
        schemas = self._description["components"]["schemas"]
        return [
            Shape(name, schema.get("description", ""), tuple(_properties(schema)))
            if "properties" in schema
            else Shape(name, schema.get("description") or f"One of: {_type(schema).text}", ())
            for name, schema in schemas.items()
        ]


def _entry(verb: str, path: str, told: Mapping[str, Any], schemas: Mapping[str, Any]) -> Entry:
    body = told.get("requestBody", {}).get("content", {})
    fields = [*map(_parameter, told["parameters"]), *(_body(next(iter(body.items())), schemas) if body else ())]
    return Entry(
        id=told["operationId"],
        verb=verb,
        path=path,
        summary=told["summary"],
        paragraphs=tuple(" ".join(part.split()) for part in told["description"].split("\n\n")),
        fields=tuple(fields),
        example=told["x-codeSamples"][0]["source"],
        answers=tuple(_answer(status, one) for status, one in told["responses"].items()),
    )


def _parameter(told: Mapping[str, Any]) -> Field:
    kind = _type(told["schema"])
    return _field(told["name"], told["in"], told.get("description", ""), kind, required=told["required"])


def _field(name: str, place: str, says: str, kind: Type, *, required: bool) -> Field:
    """What may be left out need not be told to take nothing."""
    shown = kind if required else Type(kind.text.removesuffix(_OR_NOTHING), kind.shape)
    return Field(name, place, required, shown, says)


def _body(content: tuple[str, Mapping[str, Any]], schemas: Mapping[str, Any]) -> Iterator[Field]:
    media, told = content
    kind = _type(told.get("schema", {}))
    if media == "application/json" and kind.shape is not None:
        yield from _properties(schemas[kind.shape], "body")
    else:
        yield Field("body", media, required=True, type=kind, says="")


def _properties(schema: Mapping[str, Any], place: str = "") -> Iterator[Field]:
    required = schema.get("required", ())
    for name, inner in schema["properties"].items():
        yield _field(name, place, inner.get("description", ""), _type(inner), required=name in required)


def _answer(status: str, told: Mapping[str, Any]) -> Answer:
    content: Mapping[str, Any] = next(iter(told.get("content", {}).values()), {})
    return Answer(status, told["description"], _type(content["schema"]) if "schema" in content else None)


def _type(schema: Mapping[str, Any]) -> Type:
    if (reference := schema.get("$ref")) is not None:
        name = str(reference).removeprefix(_REF)
        return Type(name, name)
    several = schema.get("anyOf") or schema.get("oneOf")
    if several:
        kinds = [_type(one) for one in several if one != {"type": "null"}]
        nothing = _OR_NOTHING if {"type": "null"} in several else ""
        shape = next((kind.shape for kind in kinds if kind.shape), None)
        return Type(" or ".join(dict.fromkeys(kind.text for kind in kinds)) + nothing, shape)
    if "enum" in schema:
        values = [str(value) for value in schema["enum"]]
        return Type(", ".join(values[:_FEW]) + (", …" if len(values) > _FEW else ""))
    return _plain(schema)


def _plain(schema: Mapping[str, Any]) -> Type:
    kind = schema.get("type")
    if kind == "array":
        inner = _type(schema.get("items", {}))
        return Type(f"list of {inner.text}", inner.shape)
    if kind == "object":
        values = schema.get("additionalProperties")
        return Type("object", _type(values).shape) if isinstance(values, Mapping) else Type("object of any content")
    text = {"string": "text", "integer": "whole number", "boolean": "true or false"}.get(str(kind), str(kind or "any"))
    text = {"date": "day", "date-time": "time"}.get(str(schema.get("format")), text)
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        text += f", {low:,} to {high:,}"
    return Type(text)

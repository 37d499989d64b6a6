"""Operations on the wire: the JSON of arguments and results, for HTTP, MCP and the client."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import EnumMeta
from functools import cache, cached_property, partial
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    TypeAdapter,
    WithJsonSchema,
    create_model,
)
from pydantic.types import StrictBool, StrictFloat, StrictStr

from heedful.agents import Agents
from heedful.apply import Apply
from heedful.capture import Capture
from heedful.errors import HeedfulError, InvalidInput
from heedful.govern import Govern
from heedful.jobs import Jobs
from heedful.learn import Learn
from heedful.log import Log
from heedful.loop import Stages
from heedful.measure import Measure
from heedful.operations.operation import UNCHANGED, Operation, Unchanged, offered
from heedful.records import record
from heedful.records.event import Event, from_document
from heedful.records.json import Json
from heedful.records.names import ArgumentRule
from heedful.records.page import Page

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")

STAGES = {stage.__name__: stage for stage in (Agents, Apply, Capture, Govern, Jobs, Learn, Log, Measure)}


@dataclass(frozen=True)
class Wire:
    """An operation and its attribute path."""

    operation: Operation
    attributes: tuple[str, ...]
    """From a loop to the method: ("govern", "keys", "create")."""

    @property
    def id(self) -> str:
        return ".".join(self.attributes)

    @cached_property
    def in_path(self) -> list[inspect.Parameter]:
        return [p for p in self.operation.parameters if f"{{{p.name}}}" in self.operation.path]

    @cached_property
    def beside_path(self) -> list[inspect.Parameter]:
        """Without a file, which is the body itself."""
        given = [p for p in self.operation.parameters if p.name != self.operation.upload]
        return [p for p in given if f"{{{p.name}}}" not in self.operation.path]

    @property
    def in_query(self) -> bool:
        """Whether arguments are in the URL, as text; otherwise they are a JSON body."""
        return self.operation.verb in ("GET", "DELETE") or self.operation.upload is not None

    @cached_property
    def lists(self) -> frozenset[str]:
        hints = self.operation.hints()
        return frozenset(p.name for p in self.operation.parameters if _is_list(hints[p.name]))

    def accepts(self, parameter: inspect.Parameter, *, text: bool = False) -> Any:
        hint = self.operation.hints()[parameter.name]
        taken = accepts(hint, text=text)
        accepts_null = text and parameter.default is not None and type(None) in get_args(hint)
        return Annotated[taken, BeforeValidator(_or_none)] if accepts_null else taken

    def beside_path_model(self) -> type[BaseModel] | None:
        """The arguments that are not in the path."""
        return self.model(self.beside_path, text=self.in_query) if self.beside_path else None

    def model(self, parameters: Sequence[inspect.Parameter], *, text: bool = False) -> type[BaseModel]:
        """The model that validates arguments. Unknown ones are rejected: they may be typos."""
        fields: dict[str, Any] = {p.name: (self.accepts(p, text=text), _default(p)) for p in parameters}
        name = "".join(part.title().replace("_", "") for part in self.attributes)
        return create_model(name, __config__=ConfigDict(extra="forbid", title=name), **fields)

    def answer_model(self) -> Any:
        return _describes(self.operation.hints()["return"])

    def call(self, stages: Stages, arguments: Mapping[str, Any]) -> Any:
        return getattr(self._stage(stages), self.attributes[-1])(**arguments)

    def call_together(self, stages: Stages, calls: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Several calls by one caller, as a batch if the stage supports it; each answer may be an error."""
        together = self.operation.together
        if together is None or len(calls) == 1:
            return [_outcome(self.call, stages, arguments) for arguments in calls]
        try:
            self.operation.check(stages.store)
            answers: list[Any] = getattr(self._stage(stages), together)(calls)
        except HeedfulError as error:
            return [error] * len(calls)
        return answers

    def _stage(self, stages: Stages) -> Any:
        target: Any = stages
        for name in self.attributes[:-1]:
            target = getattr(target, name)
        return target

    def load(self, parsed: Any) -> Any:
        return _loader(self.operation.function)(parsed)


def _default(parameter: inspect.Parameter) -> Any:
    if parameter.default is UNCHANGED:
        return Field(default_factory=lambda: UNCHANGED)  # not in the schema: JSON has no value for it
    return ... if parameter.default is parameter.empty else parameter.default


def _outcome(call: Callable[..., Any], *args: Any) -> Any:
    try:
        return call(*args)
    except Exception as error:  # noqa: BLE001 - each call answers for itself
        return error


@cache
def wires() -> tuple[Wire, ...]:
    return tuple(Wire(operation, attributes) for attributes, operation in offered(Stages, STAGES))


def dump(value: Any) -> bytes:
    """A result, or the arguments of a request, as JSON."""
    return record.dump({"items": value} if isinstance(value, list) else value)


def accepts(hint: Any, *, text: bool = False) -> Any:
    """The type of an argument for pydantic. Only types are checked here; the operation checks values."""
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(accepts(part, text=text) for part in _parts(hint))]  # noqa: UP007
    if get_origin(hint) is Annotated:
        base, rule = get_args(hint)
        assert isinstance(rule, ArgumentRule)
        schema = rule.in_text if text and rule.in_text is not None else rule.schema
        shape = Annotated[Any, PlainValidator(rule.parse)] if rule.parse is not None else _shape(base, text=text)
        return Annotated[shape, WithJsonSchema(dict(schema))]
    return _shape(hint, text=text)


def _parts(hint: Any) -> list[Any]:
    """The parts of a union that differ in JSON: without the literals of an enum, without `Unchanged`, and without
    records that stand for their id."""
    parts = [part for part in get_args(hint) if part is not Unchanged and not _stands_for_id(part)]
    enums = any(isinstance(part, EnumMeta) for part in parts)
    return [part for part in parts if not (enums and get_origin(part) is Literal)]


def _stands_for_id(part: Any) -> bool:
    return isinstance(part, type) and issubclass(part, record.Referred)


def _is_list(hint: Any) -> bool:
    return get_origin(hint) is Sequence or (
        get_origin(hint) in (Union, UnionType) and any(map(_is_list, get_args(hint)))
    )


def _shape(hint: Any, *, text: bool) -> Any:
    if hint in _SHAPES:
        return _SHAPES_IN_TEXT.get(hint, _SHAPES[hint]) if text else _SHAPES[hint]
    if isinstance(hint, EnumMeta) and hasattr(hint, "of"):
        return Annotated[hint, BeforeValidator(partial(_member, hint))]
    if get_origin(hint) is Sequence:
        return list[accepts(get_args(hint)[0])]  # type: ignore[misc]
    return hint


def _member(kind: Any, word: object) -> object:
    """Of an enum with its own error message."""
    return None if word is None else kind.of(word)


def _or_none(value: object) -> object:
    """In a URL, `null` is None where leaving the argument out means something else."""
    return None if value == "null" else value


def _true_or_false(value: object) -> bool:
    if value in ("true", "false", True, False):
        return value in ("true", True)
    raise InvalidInput(f"{value!r} is neither true nor false.", hint="Write true or false.")


def _digits(value: object) -> int:
    if isinstance(value, str) and value.removeprefix("-").isdigit() and value.isascii() and len(value) < 20:
        return int(value)
    return _whole(value)


def _decimal(value: object) -> float:
    if isinstance(value, str) and len(value) < 40 and _NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise InvalidInput(f"{value!r} is not a number.", hint="Write it as 0.8.")


def _whole(value: object) -> int:
    """JSON does not distinguish 5 from 5.0."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if type(value) is int:
        return value
    raise InvalidInput(f"{value!r} is not a whole number.", hint="Write digits.")


_SHAPES: dict[Any, Any] = {
    str: StrictStr,
    bool: StrictBool,
    float: StrictFloat,
    int: Annotated[int, PlainValidator(_whole), WithJsonSchema({"type": "integer"})],
    Json: Annotated[Any, WithJsonSchema({"type": "object", "additionalProperties": True})],
}
_SHAPES_IN_TEXT: dict[Any, Any] = {
    bool: Annotated[bool, PlainValidator(_true_or_false), WithJsonSchema({"type": "boolean"})],
    int: Annotated[int, PlainValidator(_digits), WithJsonSchema({"type": "integer"})],
    float: Annotated[float, PlainValidator(_decimal), WithJsonSchema({"type": "number"})],
}


def _describes(hint: Any) -> Any:
    """The type of a response as JSON: a list becomes an object, so that fields can be added later."""
    if get_origin(hint) in (Page, list):
        (item,) = get_args(hint)
        title = "PageOf" if get_origin(hint) is Page else "ListOf"
        fields: dict[str, Any] = {"items": (list[item], ...)}  # type: ignore[valid-type]
        if get_origin(hint) is Page:
            fields["next"] = (str | None, Field(description="Hand this in as cursor; null at the end."))
        return create_model(title + _name(item), **fields)
    return hint


def _name(hint: Any) -> str:
    """For a union, the name of the common base of its types."""
    kinds = get_args(hint) or (hint,)
    return next(str(base.__name__) for base in kinds[0].__mro__ if all(issubclass(kind, base) for kind in kinds))


@cache
def _loader(function: Callable[..., Any]) -> Callable[[Any], Any]:
    hint: Any = inspect.get_annotations(function, eval_str=True)["return"]
    if get_origin(hint) is Page:
        load = _load_one(get_args(hint)[0])
        return lambda parsed: Page([load(item) for item in parsed["items"]], parsed["next"])
    if get_origin(hint) is list:
        load = _load_one(get_args(hint)[0])
        return lambda parsed: [load(item) for item in parsed["items"]]
    return _load_one(hint)


def _load_one(hint: Any) -> Callable[[Any], Any]:
    return from_document if hint is Event else TypeAdapter(hint).validate_python

"""An operation: a typed method of a stage that users can call, and its address.

The HTTP route, the client's method and the MCP tool are derived from the method's signature; its docstring is their
description. So adding a capability is one method with one decorator.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, cached_property, wraps
from types import MappingProxyType, UnionType
from typing import (
    Annotated,
    Any,
    Concatenate,
    Final,
    ParamSpec,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from heedful.errors import Forbidden, HeedfulError, InvalidInput
from heedful.operations import caller
from heedful.operations.policy import Permission
from heedful.operations.toolset import ToolSet
from heedful.records.json import Json
from heedful.records.names import ArgumentRule, Url
from heedful.records.record import Referred
from heedful.records.tier import Tier


class Unchanged(Enum):
    """The default of an argument that leaves a field unchanged. None is a value of its own."""

    UNCHANGED = auto()

    def __repr__(self) -> str:
        return self.name


UNCHANGED: Final = Unchanged.UNCHANGED

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class SensitiveField(Enum):
    """How an argument is protected from storing secrets."""

    TEXT = "text"
    """Free text, or JSON that contains some: secrets are redacted."""
    IDENTIFIER = "identifier"
    """Used to look something up: an identifier that contains a secret is rejected."""


@dataclass(frozen=True, eq=False)
class Operation:
    function: Callable[..., Any]
    verb: str
    path: str
    permission: Permission
    example: Mapping[str, Any]
    errors: tuple[type[HeedfulError], ...] = ()
    """Possible errors besides invalid input, an invalid key and a failing database."""
    creates: bool = False
    """Creates something, or returns what was created before with the same id."""
    tier: Tier | None = None
    tool: str | None = None
    """The name of its MCP tool."""
    tools: ToolSet = ToolSet.ALL
    """In which the tool is listed."""
    streams: bool = False
    """Takes and returns any number of items: lines of JSON over HTTP."""
    together: str | None = None
    """The method of the same stage that runs a batch: takes a list of arguments, returns a list of answers or
    errors."""
    shows_secret: bool = False
    """The response contains a secret that is shown once, so a retry cannot show it again."""
    upload: str | None = None
    """The argument that is a file: over HTTP the body, with the other arguments in the query."""
    redact: bool = True
    """Redact secrets in its texts before it is called. False if it stores none of them, or redacts them itself."""

    def __post_init__(self) -> None:
        """Fails at import time instead of exposing a broken route."""
        known = {parameter.name for parameter in self.parameters}
        assert self.verb in ("GET", "POST", "PATCH", "DELETE"), self.verb
        assert set(re.findall(r"{(\w+)}", self.path)) <= known, f"{self.path} names what {self.function} does not take"
        assert set(self.example) <= known, f"the example of {self.function} has other arguments"
        assert not self.creates or "id" in known, f"{self.function} makes something: let callers choose its id"

    def check(self, store: Any) -> None:
        who = caller.current()
        if who is not None:
            if who.org != store.org:
                raise Forbidden("This key belongs to another organisation.", hint="Use a key of this organisation.")
            self.permission.require(who.role)
        if self.tier is not None:
            store.tier().require(self.tier, self.summary)

    def redacted(self, store: Any, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        if not self.fields or not isinstance(arguments, Mapping):
            return arguments  # not a mapping: rejected when it is parsed
        return store.redactor.arguments(self, arguments)  # type: ignore[no-any-return]

    @cached_property
    def fields(self) -> dict[str, SensitiveField]:
        """The arguments that could contain a secret, if the operation stores anything."""
        if self.verb in ("GET", "DELETE"):
            return {}
        hints = self.hints()
        found = {parameter.name: _field(hints[parameter.name]) for parameter in self.parameters}
        return {name: field for name, field in found.items() if field is not None}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

    @cached_property
    def most_positional(self) -> int:
        """How many arguments may be passed without a name."""
        return sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in self.parameters)

    @property
    def summary(self) -> str:
        return self._text.partition("\n")[0].strip().rstrip(".")

    @property
    def description(self) -> str:
        return self._text.partition("\n")[2].strip()

    @property
    def _text(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.function).parameters.values())[1:]

    def hints(self) -> dict[str, Any]:
        return get_type_hints(self.function, include_extras=True)


def operation(
    address: str,
    permission: Permission,
    *,
    example: Mapping[str, Any] | None = None,
    errors: tuple[type[HeedfulError], ...] = (),
    creates: bool = False,
    tier: Tier | None = None,
    tool: str | None = None,
    tools: ToolSet = ToolSet.ALL,
    streams: bool = False,
    together: str | None = None,
    shows_secret: bool = False,
    upload: str | None = None,
    redact: bool = True,
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Exposes a method: `@operation("POST /events", policy.EventPolicy.record)`.

    Callers with a key need the permission; the owner of the process does not.
    """
    verb, path = address.split(" ")

    def decorate(function: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        offered = Operation(
            function,
            verb,
            path,
            permission,
            example or {},
            errors=errors,
            creates=creates,
            tier=tier,
            tool=tool,
            tools=tools,
            streams=streams,
            together=together,
            shows_secret=shows_secret,
            upload=upload,
            redact=redact,
        )

        @wraps(function)
        def call(self: S, *args: P.args, **kwargs: P.kwargs) -> R:
            if len(args) > offered.most_positional:
                inspect.signature(function).bind(self, *args, **kwargs)  # it tells what is wrong
            for name, optional in _flags(function).items():
                if name in kwargs and not (optional and kwargs[name] is None):
                    _require_flag(name, kwargs[name])
            store: Any = self._store  # type: ignore[attr-defined]
            values, named = tuple(map(_reference, args)), {name: _reference(value) for name, value in kwargs.items()}
            if store.remote is not None:
                return store.remote(offered, self, values, named)  # type: ignore[no-any-return]
            offered.check(store)
            arguments = offered.redacted(store, {**dict(zip(offered.names, values, strict=False)), **named})
            return function(self, **arguments)  # type: ignore[call-arg]

        call.operation = offered  # type: ignore[attr-defined]
        return cast("Callable[Concatenate[S, P], R]", call)

    return decorate


def _reference(value: Any) -> Any:
    return value.id if isinstance(value, Referred) else value


@cache
def _flags(function: Callable[..., Any]) -> dict[str, bool]:
    """The arguments that are true or false, and whether each may be None."""
    hints = {name: (hint, *get_args(hint)) for name, hint in get_type_hints(function).items() if name != "return"}
    return {name: type(None) in parts for name, parts in hints.items() if bool in parts}


def _require_flag(name: str, value: object) -> None:
    """Python treats any value as true or false, `"no"` as true."""
    if not isinstance(value, bool) and value is not UNCHANGED:
        raise InvalidInput(f"{name} is {value!r}.", hint="Pass True or False.")


def _field(hint: Any) -> SensitiveField | None:
    """Rules other than that of a name cannot contain a secret; a file is parsed completely before its texts are
    redacted."""
    if get_origin(hint) in (Union, UnionType):
        found = {_field(part) for part in get_args(hint)}
        return next((field for field in (SensitiveField.IDENTIFIER, SensitiveField.TEXT) if field in found), None)
    if get_origin(hint) is Sequence:
        return _field(get_args(hint)[0])
    if get_origin(hint) is Annotated:
        base, rule = get_args(hint)
        if isinstance(rule, ArgumentRule) and rule.holds_text:
            return SensitiveField.TEXT
        named = isinstance(rule, ArgumentRule) and rule is not _URL and _is_text(base)
        return SensitiveField.IDENTIFIER if named else None
    return SensitiveField.TEXT if hint in (str, Json) else None


def _is_text(base: Any) -> bool:
    return base is str or (get_origin(base) is Sequence and get_args(base)[0] is str)


_URL = get_args(Url)[1]
"""A redacted URL would be useless."""


def operation_of(method: Callable[..., Any]) -> Operation:
    return method.operation  # type: ignore[attr-defined, no-any-return]


def offered(
    stages: type, names: Mapping[str, type] = MappingProxyType({})
) -> Iterator[tuple[tuple[str, ...], Operation]]:
    """All operations reachable from a class, each with its attribute path. `names` resolves classes that its module
    imports for type checking only."""
    for name, member in inspect.getmembers_static(stages):
        if isinstance(member, cached_property):
            for path, found in offered(get_type_hints(member.func, localns=dict(names))["return"]):
                yield (name, *path), found
        elif (operation := getattr(member, "operation", None)) is not None:
            yield (name,), operation

"""An operation: something a user can do. A typed method of a stage, and where to find it from outside.

The HTTP route, the client's method and the MCP tool are derived from the method's signature; its
docstring is their description. So adding a capability is one method with one decorator.
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
from heedful.records.json import Json
from heedful.records.names import ArgumentRule, Url
from heedful.records.tier import Tier


class Unchanged(Enum):
    """What an operation that changes a part is not told: that stays as it is. None is told, and means none."""

    UNCHANGED = auto()

    def __repr__(self) -> str:
        return self.name


UNCHANGED: Final = Unchanged.UNCHANGED

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class SensitiveField(Enum):
    """What may be in an argument that secrets must not be stored of."""

    TEXT = "text"
    """Free text, or JSON that holds some: secrets are taken out of it."""
    IDENTIFIER = "identifier"
    """Something is found by it again: one that holds a secret is refused."""


@dataclass(frozen=True, eq=False)
class Operation:
    function: Callable[..., Any]
    verb: str
    path: str
    permission: Permission
    example: Mapping[str, Any]
    """Arguments that would work, as JSON has them."""
    errors: tuple[type[HeedfulError], ...] = ()
    """What may go wrong besides bad input, a bad key or an ailing database."""
    creates: bool = False
    """It makes something new, or finds what was made the first time under the caller's own id."""
    tier: Tier | None = None
    tool: str | None = None
    """The name under which agents can call it."""
    streams: bool = False
    """It takes and gives any number of items: lines of JSON, over HTTP."""
    together: str | None = None
    """The method of the same stage that does several calls at once: a list of arguments in, a list of answers or
    errors out."""
    shows_secret: bool = False
    """Its answer holds what is shown once, so that asking again is no help to one who missed it."""
    redact: bool = True
    """Secrets are taken out of its texts before it sees them. Not where it keeps nothing of them, or has to see them
    first and takes them out itself."""

    def __post_init__(self) -> None:
        """A slip here would be a route that nobody can use."""
        known = {parameter.name for parameter in self.parameters}
        assert self.verb in ("GET", "POST", "PATCH", "DELETE"), self.verb
        assert set(re.findall(r"{(\w+)}", self.path)) <= known, f"{self.path} names what {self.function} does not take"
        assert set(self.example) <= known, f"the example of {self.function} has other arguments"
        assert not self.creates or "id" in known, f"{self.function} makes something: let callers choose its id"

    def check(self, store: Any) -> None:
        """Whoever calls with a key must belong here and have the permission, and the organisation the licence."""
        who = caller.current()
        if who is not None:
            if who.org != store.org:
                raise Forbidden("This key belongs to another organisation.", hint="Use one of this organisation.")
            self.permission.require(who.role)
        if self.tier is not None:
            tier = store.tier()
            if not tier.includes(self.tier):
                raise tier.lacks(self.tier, self.summary)

    def redacted(self, store: Any, told: Mapping[str, Any]) -> Mapping[str, Any]:
        """What it is called with, without what must not be stored."""
        if not self.fields or not isinstance(told, Mapping):
            return told  # what is no mapping is refused by whoever reads it
        return store.redactor.arguments(self, told)  # type: ignore[no-any-return]

    @cached_property
    def fields(self) -> dict[str, SensitiveField]:
        """The arguments that could hold a secret, where something is stored."""
        if self.verb in ("GET", "DELETE"):
            return {}
        hints = self.hints()
        found = {parameter.name: _field(hints[parameter.name]) for parameter in self.parameters}
        return {name: field for name, field in found.items() if field is not None}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)

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
    streams: bool = False,
    together: str | None = None,
    shows_secret: bool = False,
    redact: bool = True,
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Offer a method to the outside: `@operation("POST /events", policy.EventPolicy.record)`.

    Whoever calls it with a key must have the permission; the owner of the process needs none.
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
            streams=streams,
            together=together,
            shows_secret=shows_secret,
            redact=redact,
        )

        @wraps(function)
        def call(self: S, *args: P.args, **kwargs: P.kwargs) -> R:
            for name in _flags(function) & kwargs.keys():
                _require_flag(name, kwargs[name])
            store: Any = self._store  # type: ignore[attr-defined]
            if store.remote is not None:
                return store.remote(offered, self, args, kwargs)  # type: ignore[no-any-return]
            offered.check(store)
            told = offered.redacted(store, {**dict(zip(offered.names, args, strict=False)), **kwargs})
            return function(self, *args[len(offered.names) :], **told)  # type: ignore[arg-type]

        call.operation = offered  # type: ignore[attr-defined]
        return cast("Callable[Concatenate[S, P], R]", call)

    return decorate


@cache
def _flags(function: Callable[..., Any]) -> frozenset[str]:
    """The arguments that are true or false."""
    hints = get_type_hints(function)
    return frozenset(name for name, hint in hints.items() if bool in (hint, *get_args(hint)) and name != "return")


def _require_flag(name: str, value: object) -> None:
    """Python takes anything for true or false, and `"no"` for true. What means none is the operation's affair."""
    if not isinstance(value, bool) and value is not UNCHANGED:
        raise InvalidInput(f"{name} is {value!r}.", hint="Pass True or False.")


def _field(hint: Any) -> SensitiveField | None:
    """Other rules than that of a name leave no room for a secret; a file is read whole before its texts are taken."""
    if get_origin(hint) in (Union, UnionType):
        found = {_field(part) for part in get_args(hint)}
        return (
            SensitiveField.IDENTIFIER
            if SensitiveField.IDENTIFIER in found
            else SensitiveField.TEXT
            if SensitiveField.TEXT in found
            else None
        )
    if get_origin(hint) is Sequence:
        return _field(get_args(hint)[0])
    if get_origin(hint) is Annotated:
        base, rule = get_args(hint)
        return (
            SensitiveField.IDENTIFIER
            if isinstance(rule, ArgumentRule) and rule is not _URL and _is_text(base)
            else None
        )
    return SensitiveField.TEXT if hint in (str, Json) else None


def _is_text(base: Any) -> bool:
    return base is str or (get_origin(base) is Sequence and get_args(base)[0] is str)


_URL = get_args(Url)[1]
"""Nothing can be posted to an address without what it holds."""


def operation_of(method: Callable[..., Any]) -> Operation:
    """What a method offers to the outside."""
    return method.operation  # type: ignore[attr-defined, no-any-return]


def offered(
    stages: type, names: Mapping[str, type] = MappingProxyType({})
) -> Iterator[tuple[tuple[str, ...], Operation]]:
    """All operations to be found from a class on, with the attributes that lead to them. `names` are classes that its
    module only mentions."""
    for name, member in inspect.getmembers_static(stages):
        if isinstance(member, cached_property):
            for path, found in offered(get_type_hints(member.func, localns=dict(names))["return"]):
                yield (name, *path), found
        elif (operation := getattr(member, "operation", None)) is not None:
            yield (name,), operation

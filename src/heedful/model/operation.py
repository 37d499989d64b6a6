"""An operation: something a user can do. A typed method of a stage, and where to find it from outside.

The HTTP route, the client's method and the MCP tool are derived from the method's signature; its
docstring is their description. So adding a capability is one method with one decorator.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, cached_property, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast, get_args, get_type_hints

from heedful.errors import Forbidden, HeedfulError, InvalidInput
from heedful.model import caller
from heedful.model.policy import Permission
from heedful.model.tier import Tier


class Unchanged(Enum):
    """What an operation that changes a part is not told: that stays as it is. None is told, and means none."""

    UNCHANGED = auto()

    def __repr__(self) -> str:
        return self.name


UNCHANGED: Final = Unchanged.UNCHANGED

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


@dataclass(frozen=True, slots=True, eq=False)
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
) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Offer a method to the outside: `@operation("POST /events", policy.Events.record)`.

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
        )

        @wraps(function)
        def call(self: S, *args: P.args, **kwargs: P.kwargs) -> R:
            for name in _flags(function) & kwargs.keys():
                _require_flag(name, kwargs[name])
            store: Any = self._store  # type: ignore[attr-defined]
            if store.remote is not None:
                return store.remote(offered, self, args, kwargs)  # type: ignore[no-any-return]
            offered.check(store)
            return function(self, *args, **kwargs)

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


def offered(stages: type) -> Iterator[tuple[tuple[str, ...], Operation]]:
    """All operations to be found from a class on, with the attributes that lead to them."""
    for name, member in inspect.getmembers_static(stages):
        if isinstance(member, cached_property):
            for path, found in offered(get_type_hints(member.func)["return"]):
                yield (name, *path), found
        elif (operation := getattr(member, "operation", None)) is not None:
            yield (name,), operation

"""The current caller. Without one, the owner of the process is acting, who may do anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from heedful.errors import Forbidden
from heedful.operations.policy import Permission
from heedful.records.role import Role

LOCAL = "local"
"""The actor of administrative actions on the server itself."""


@dataclass(frozen=True, slots=True)
class Caller:
    org: str
    role: Role
    key: str
    """The id of the key, never the key itself."""
    name: str
    rate_limit: int | None = None
    for_many: bool = False
    """Each person it names counts as one person."""

    @property
    def actor(self) -> str:
        return f"key:{self.key}"


_CALLER: ContextVar[Caller | None] = ContextVar("heedful_caller", default=None)

current = _CALLER.get


@contextmanager
def acting(caller: Caller) -> Iterator[None]:
    """Runs a block on behalf of this caller, with the permissions of their role."""
    mark = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(mark)


def allows(permission: Permission) -> bool:
    who = _CALLER.get()
    return who is None or who.role in permission.roles


def require(permission: Permission) -> None:
    who = _CALLER.get()
    if who is not None:
        permission.require(who.role)


def owner_only(what: str) -> None:
    """Rejects every caller with a key, whatever their role."""
    if _CALLER.get() is not None:
        raise Forbidden(f"No key has permission to {what}.", hint="Run `heedful` on the server itself.")


def voice(named: str | None) -> str | None:
    """The name that counts as one person where the number of people matters: the given name. With a key, it is the key
    itself, whatever names its holder passes, unless the key was created for many people."""
    caller = _CALLER.get()
    return named if caller is None or caller.for_many else caller.actor


def actor() -> str:
    caller = _CALLER.get()
    return LOCAL if caller is None else caller.actor

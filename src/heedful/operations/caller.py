"""On whose behalf something is done. Without a caller it is the owner of the process, who may do anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from heedful.errors import Forbidden
from heedful.operations.policy import Permission
from heedful.records.role import Role

LOCAL = "local"
"""The actor of administrative acts done on the machine itself."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Someone who showed a key."""

    org: str
    role: Role
    key: str
    """The id of the key, never the key itself."""
    name: str
    rate_limit: int | None = None
    """Requests a minute, where the key has a limit of its own."""
    for_many: bool = False
    """The people it names are counted as so many people."""

    @property
    def actor(self) -> str:
        """How the audit trail names them."""
        return f"key:{self.key}"


_CALLER: ContextVar[Caller | None] = ContextVar("heedful_caller", default=None)

current = _CALLER.get


@contextmanager
def acting(caller: Caller) -> Iterator[None]:
    """What is done inside is done by this caller, as far as their role allows."""
    mark = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(mark)


def allows(permission: Permission) -> bool:
    """Whether whoever acts now has it."""
    who = _CALLER.get()
    return who is None or who.role in permission.roles


def require(permission: Permission) -> None:
    who = _CALLER.get()
    if who is not None:
        permission.require(who.role)


def owner_only(what: str) -> None:
    """Refuse those who came with a key, whatever their role."""
    if _CALLER.get() is not None:
        raise Forbidden(f"No key allows to {what}.", hint="Do it on the machine itself, with `heedful`.")


def voice(named: str | None) -> str | None:
    """Who counts as one person where it matters how many there are: whoever is named. With a key, names are only what
    its holder says: unless it was made to speak for many, they are one person, whatever names they give."""
    caller = _CALLER.get()
    return named if caller is None or caller.for_many else caller.actor


def actor() -> str:
    caller = _CALLER.get()
    return LOCAL if caller is None else caller.actor

"""Who is at the terminal: approvals count people, so every command must take the same person by the same name."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from typing import Any

import click

from heedful.errors import InvalidInput
from heedful.records.names import identifier


def by_option(says: str) -> Callable[[Any], Any]:
    return click.option("--by", metavar="NAME", help=f"{says} [your user name]")


def named(by: str | None) -> str:
    """The given name, or that of the local user."""
    return identifier(by if by is not None else _user(), "by")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container may run as a user without a name
        raise InvalidInput("You have no user name here.", hint="Pass --by NAME.") from None

"""The few things one can set. This is the only module that reads the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from heedful.errors import Misconfigured

Durability = Literal["full", "normal"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Where heedful keeps what it learns, and how carefully."""

    database: str
    """A path, or a postgresql:// address.  HEEDFUL_DATABASE"""

    org: str = "default"
    """The organisation that `heedful.open()` and the command line speak for.  HEEDFUL_ORG"""

    durability: Durability = "full"
    """SQLite only. `full` survives a power cut; `normal` survives a crash and is faster.  HEEDFUL_DURABILITY"""

    extensions: tuple[str, ...] = ()
    """Your own projections, reactions and job handlers, as `module:name`, comma separated.  HEEDFUL_EXTENSIONS"""

    @classmethod
    def read(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        durability = environ.get("HEEDFUL_DURABILITY", "full").lower()
        if durability not in ("full", "normal"):
            raise Misconfigured(
                f"HEEDFUL_DURABILITY is {durability!r}.",
                hint="Set it to 'full' (survives a power cut) or 'normal' (faster, survives a crash).",
            )
        names = environ.get("HEEDFUL_EXTENSIONS", "").split(",")
        return cls(
            database=environ.get("HEEDFUL_DATABASE") or default_database(),
            org=environ.get("HEEDFUL_ORG") or "default",
            durability="normal" if durability == "normal" else "full",
            extensions=tuple(name.strip() for name in names if name.strip()),
        )


def default_database() -> str:
    """The user's own data folder, as the operating system has it."""
    from platformdirs import user_data_path  # noqa: PLC0415 - 25 ms that a caller with a path never pays

    return str(user_data_path("heedful", appauthor=False) / "heedful.db")

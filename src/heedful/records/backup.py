"""What a backup holds, and what came of reading a damaged database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backup:
    path: str
    organisations: int
    events: int
    schema_version: int
    bytes: int
    with_secret: bool
    """Whether it holds the installation's secret; else that is HEEDFUL_SECRET, or was never needed."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What could still be read of a damaged database."""

    path: str
    organisations: int
    events: int
    lost: int
    """Places in the log that hold no event any more, or a damaged one; with those of events that were erased before."""

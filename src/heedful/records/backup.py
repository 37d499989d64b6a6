"""The content of a backup, and the result of salvaging a damaged database."""

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
    """Whether it contains the installation's secret; otherwise that is HEEDFUL_SECRET, or was never needed."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The data that could be read from a damaged database."""

    path: str
    organisations: int
    events: int
    lost: int
    """Positions in the log without a readable event; includes events that were erased before."""

"""What a forgetting erased, and what was derived again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from heedful.records.record import Record

FORGOTTEN = "AUDIT_FORGOTTEN"
"""Recorded once for each forgetting: how much, when, by whom; not what, and nobody's name."""

ForgettingScope = Literal["user", "conversation", "document", "everything"]


@dataclass(frozen=True, slots=True)
class Receipt(Record):
    """The audit trail has it too, under the same id, with numbers in the place of ids."""

    id: str
    at: datetime
    scope: ForgettingScope
    subject: str
    """A keyed digest of who or what was forgotten: the same one gives the same digest, and no name."""
    events: Mapping[str, int]
    """How many events were erased, by kind."""
    rewritten: Mapping[str, int]
    """How many events stayed without the person's name and words, by kind."""
    learnings: tuple[str, ...]
    """The ids of learnings that were erased."""
    changed: tuple[str, ...]
    """The ids of learnings that others taught too, derived again without the person."""
    proposals: tuple[str, ...]
    """The ids of proposals that were erased, or wait for people again."""
    versions: int
    """Of the erased learnings, all in all."""
    vectors: int
    postings: int
    """Entries of the full-text index."""
    files: int
    jobs: int
    keys: int
    scrubbed: bool
    """Whether freed space is overwritten already, as far as the database does that. Otherwise a worker keeps trying."""
    notes: tuple[str, ...]
    """What a forgetting cannot reach, and what people have to do."""

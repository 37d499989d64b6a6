"""An extension: what hooks into the loop. heedful's own stages are some, yours are others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heedful.records.event import Event
from heedful.records.job import Job, JobRequest
from heedful.records.learnings import Match
from heedful.store.projection import Projection


@dataclass(frozen=True, slots=True)
class Reaction:
    """Which job an event of this kind causes, if any; queued in the transaction that records the event."""

    kind: str
    request: Callable[[Event], JobRequest | None]


Handler = Callable[[Any, Job], Mapping[str, Any] | None]
"""Does a job: (a loop bound to the job's organisation, the job) → a small result to keep, or None."""


@dataclass(frozen=True, slots=True)
class Extension:
    name: str
    projections: tuple[Projection, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    handlers: Mapping[str, Handler] = field(default_factory=dict)
    notice: Callable[[Sequence[Event]], object] | None = None
    """Told what this process has recorded, as it happens: for metrics and the like. It must be quick."""
    matched: Callable[[Sequence[Match]], object] | None = None
    """Called with the learnings that were found for a question or an output. It must be quick."""
    unanswered: Callable[[str, str], object] | None = None
    """Told that a "language model" or an "embedder" was asked in vain, with the code of the error. It must be quick."""

"""An extension of the loop: projections, reactions, handlers and listeners. heedful's own stages are extensions too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heedful.records.event import Event
from heedful.records.job import Job, JobRequest
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
    """Called with what this process has recorded, after the commit: for metrics and the like. It must be quick."""
    listeners: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    """Called with what else happens, by topic. They must be quick."""

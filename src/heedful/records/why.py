"""Why a learning is believed, or why a context says what it says: back to what people did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from heedful.records.event import Event
from heedful.records.insight import Proof
from heedful.records.learnings import AnyLearning
from heedful.records.lift import Lift
from heedful.records.record import Record

WhyKind = Literal[
    "act", "context", "decision", "erased", "learning", "message", "more", "outcome", "proposal", "review"
]


@dataclass(frozen=True, slots=True)
class WhyNode(Record):
    """One thing in the graph: what somebody did, a learning, or a context."""

    id: str
    """n1, n2, … within this answer."""
    kind: WhyKind
    """`more` sums up what was left out; `erased` says that something is gone. A `decision` is one about a suggestion,
    or a pattern of such decisions that is not written down yet."""
    text: str
    at: datetime | None
    actor: str | None
    ref: str | None
    """The id of the event, learning or context that it stands for."""


@dataclass(frozen=True, slots=True)
class WhyEdge(Record):
    """What led to what."""

    source: str
    target: str
    label: str


@dataclass(frozen=True, slots=True)
class Use(Record):
    """One use of a learning."""

    at: datetime
    context: str | None
    """None if it was applied to an output without a context."""
    outcome: float | None
    """The outcome after it, from 0 to 1; None if there is none."""


@dataclass(frozen=True, slots=True)
class Uses(Record):
    times: int
    latest: tuple[Use, ...]
    """Newest first."""


@dataclass(frozen=True, slots=True)
class Why(Record):
    """The acts of people behind a learning or a context: as data, as text and as a graph."""

    learning: AnyLearning | None
    """None for a context, for a single decision, and for a pattern that is not written down yet."""
    proofs: tuple[Proof, ...]
    """For insights: the conversations that taught it, with quotes of messages that are still recorded."""
    history: tuple[Event, ...]
    """Its events in the order of the log, without its uses."""
    people: tuple[str, ...]
    """Who taught, confirmed, rated, edited or approved it. Empty for patterns, which only count people."""
    uses: Uses
    lift: Lift | None
    """Whether it helped, as of now; None if no outcome was reported, or for an earlier time."""
    nodes: tuple[WhyNode, ...]
    edges: tuple[WhyEdge, ...]
    text: str
    """What it says, then what people did, a line each in the order of time."""
    mermaid: str
    """The graph as a Mermaid flowchart."""
    as_of: datetime | None
    """The moment that was asked for; None for now."""

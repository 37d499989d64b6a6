"""What a coding agent knows in its session: what it was told, and what was said there."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.correction import Correction
from heedful.records.insight import Insight
from heedful.records.learnings import AnyLearning


@dataclass(frozen=True, slots=True)
class AgentSession:
    told: frozenset[str] = frozenset()
    """The ids of the learnings that the agent was given."""
    id: str | None = None

    def knows(self, learning: AnyLearning) -> bool:
        return learning.id in self.told or (self.id is not None and self.id == _said_in(learning))


def _said_in(learning: AnyLearning) -> str | None:
    if isinstance(learning, Correction):
        return learning.session
    return learning.conversation if isinstance(learning, Insight) else None

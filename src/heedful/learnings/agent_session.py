"""What a coding agent knows in its session: what it was told, and what was said there. And how it is told of that."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.records.correction import Correction
from heedful.records.insight import Insight
from heedful.records.learnings import AnyLearning
from heedful.records.transcript import Speaker
from heedful.text.fence import quoted
from heedful.text.terms import terms

_SAID, _ABOUT, _ASKED = 240, 90, 60  # characters


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


def in_own_words(learning: AnyLearning) -> str:
    """A correction of an agent's work, in the words of the person: what an agent reported is no sentence to say again,
    and its prompts are long. Empty if nobody said it so: it was reported as a pair, or a model understood it. Also what
    a person asked for and nobody approved: it is their word, and no rule of the team's."""
    if isinstance(learning, Insight) and learning.rule and not learning.approved:
        said = next((quote.text for quote in learning.quotes if quote.role is Speaker.USER), "")
        return f"the person said: {quoted(said, _SAID)}" if said else ""
    if not isinstance(learning, Correction) or not learning.said or learning.understood:
        return ""
    told = _told(learning)
    about = f"about {quoted(learning.sentence, _ABOUT)}" if learning.sentence else ""
    asked = f"asked {quoted(learning.query, _ASKED)}" if learning.query and not learning.always else ""
    situation = ", ".join(part for part in (about, asked) if part)
    return f"{told} ({situation})" if told and situation else told


def _told(learning: Correction) -> str:
    """Whose words were edited since, is no longer what the person said."""
    if set(terms(f"{learning.right} {learning.fixed}")) <= set(terms(f"{learning.said} {learning.sentence}")):
        return f"the person said: {quoted(learning.said, _SAID)}"
    paired = learning.wrong and learning.right
    return f"right is {quoted(learning.right, _ABOUT)}, not {quoted(learning.wrong, _ABOUT)}" if paired else ""

"""Rules for agents, which people approved."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from heedful.errors import InvalidInput
from heedful.learnings.events import ADOPTED
from heedful.learnings.kind import LearningComparison, LearningEdit, LearningKind, Rendering
from heedful.learnings.row import LearningRow
from heedful.records.event import Event
from heedful.records.learning import Learning
from heedful.records.rule import INSERTION_POINT, Rule, RuleType, RuleWords
from heedful.text.adherence import adherence
from heedful.text.fence import quoted
from heedful.text.terms import terms

_EXAMPLE = 160  # characters of either side of an example
_HEADINGS: dict[str, str] = dict.fromkeys(map(str, RuleType), "Rules")


class RuleWording(NamedTuple):
    text: str = ""
    agents: tuple[str, ...] = ()
    insertion_point: str = INSERTION_POINT
    before: str = ""
    after: str = ""

    def terms(self) -> list[str]:
        return self.own_terms()

    def own_terms(self) -> list[str]:
        return terms(self.text)

    def gist(self) -> str:
        return self.text


class RuleKind(LearningKind[RuleWording]):
    name = "rule"
    begun_by = ADOPTED
    categories = RuleType
    headings = _HEADINGS
    initial_confidence = 0.9
    confirmation = 0.25
    notes = 5
    approvals = 2

    def wording(self, event: Event) -> RuleWording | None:
        after = event.after
        text, agents, example = after.get("text"), after.get("agents"), event.before.get("text", "")
        if not (isinstance(text, str) and text.strip()):
            return None
        named = tuple(name for name in agents if isinstance(name, str)) if isinstance(agents, list) else ()
        point = str(after.get("insertion_point") or INSERTION_POINT)
        return RuleWording(text, named, point, str(example), str(after.get("example", "")))

    def scope(self, event: Event) -> str | None:
        """A rule for several agents is about none of them alone."""
        words = self.wording(event)
        return words.agents[0] if words is not None and len(words.agents) == 1 else None

    def edited(self, row: LearningRow, changes: Mapping[str, Any], category: str | None) -> LearningEdit:  # noqa: ARG002
        raise InvalidInput(
            "Two people must agree on the words of a rule.",
            hint="Propose the new words with `govern.proposals.propose(…, replaces=…)`.",
        )

    def compare(
        self, new: RuleWording, old: RuleWording, categories: tuple[str, str], cosine: float | None
    ) -> LearningComparison:
        from heedful.learnings.dedupe import Statement, compared  # noqa: PLC0415 - its patterns take 16 ms to compile

        return compared(Statement(categories[0], new.text, ""), Statement(categories[1], old.text, ""), cosine)

    def half_life(self, learning: Learning) -> timedelta | None:  # noqa: ARG002
        """Its effect is measured instead."""
        return None

    def followed(self, learning: Rule, output: str) -> bool | None:
        """By its example."""
        return adherence(output, avoided=learning.before, wanted=learning.after)

    def record(self, row: LearningRow) -> Rule:
        words, meta = self.words_of(row), row.first.meta
        return Rule(
            **self.shared_fields(row),
            text=words.text,
            agents=words.agents,
            insertion_point=words.insertion_point,
            before=words.before,
            after=words.after,
            evidence=tuple(meta.get("evidence", ())),
            benefit=float(meta.get("benefit", 0.0)),
            approved_by=tuple(meta.get("approved_by", ())),
            proposal=meta.get("proposal"),
        )

    def render(self, learning: Rule | RuleWords) -> Rendering:
        example = ""
        if learning.before and learning.after:
            example = f" For example {quoted(learning.after, _EXAMPLE)}, not {quoted(learning.before, _EXAMPLE)}."
        elif learning.after:
            example = f" For example {quoted(learning.after, _EXAMPLE)}."
        elif learning.before:
            example = f" Not like {quoted(learning.before, _EXAMPLE)}."
        return Rendering("rule", f"{learning.text}{example}")

    def said(self, learning: Rule) -> RuleWording:
        return RuleWording(learning.text, learning.agents, learning.insertion_point, learning.before, learning.after)

    def statement(self, learning: Rule) -> str:
        return learning.text

    def evidence(self, learning: Rule) -> int:
        return max(len(learning.evidence), 1)


RULE = RuleKind()


def adopted(words: RuleWords) -> tuple[dict[str, Any], dict[str, Any]]:
    """The payloads of the event that begins a rule."""
    after = {"text": words.text, "agents": list(words.agents), "insertion_point": words.insertion_point}
    return ({"text": words.before} if words.before else {}), {
        **after,
        **({"example": words.after} if words.after else {}),
    }

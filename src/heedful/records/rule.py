"""A rule for agents: made of what reviewers said, approved by people, and put into prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from heedful.records.choice import Choice
from heedful.records.interval import Interval
from heedful.records.learning import Learning
from heedful.records.record import Record

RULE_LIMIT = 500
"""Characters of a rule."""
MOST_RULES = 20
"""How many rules an agent gets."""
MOST_AGENTS = 20
INSERTION_POINT = "end"
"""Where rules go unless told: at the end of the prompt."""


class RuleType(Choice, noun="type of rule"):
    GUIDELINE = "GUIDELINE"
    CONSTRAINT = "CONSTRAINT"
    """What must or must never be done."""
    NEGATIVE_EXAMPLE = "NEGATIVE_EXAMPLE"
    POSITIVE_EXAMPLE = "POSITIVE_EXAMPLE"


AnyRuleType = RuleType | Literal["GUIDELINE", "CONSTRAINT", "NEGATIVE_EXAMPLE", "POSITIVE_EXAMPLE"]


@dataclass(frozen=True, slots=True)
class RuleWords(Record):
    """What a rule says, and to whom."""

    text: str
    type: RuleType
    agents: tuple[str, ...]
    """The agents that get it; none for all."""
    insertion_point: str
    """A heading or a `{{rules:name}}` mark of the prompt; `end` for a section at its end."""
    before: str = ""
    after: str = ""
    """An example: what was wrong, and what is right."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Rule(Learning):
    kind: Literal["rule"]
    category: RuleType
    text: str
    agents: tuple[str, ...]
    insertion_point: str
    before: str
    after: str
    evidence: tuple[str, ...]
    """The ids of the reviews it was made of."""
    benefit: float
    """The share of outputs that reviewers corrected for this reason."""
    approved_by: tuple[str, ...]
    proposal: str | None


Verdict = Literal["helps", "does not help", "too early"]


@dataclass(frozen=True, slots=True)
class RuleEffect(Record):
    """How often the corrected thing occurs, without a rule and with it."""

    rule: str
    text: str
    before: Interval
    after: Interval
    reviews_before: int
    reviews_after: int
    recurrences: tuple[str, ...]
    """The ids of reviews that had to say it again."""
    verdict: Verdict

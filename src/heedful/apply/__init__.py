"""Apply: what was learned goes into the next prompt. So far: what people decided about a rule's suggestions."""

from __future__ import annotations

from heedful.apply.rules import RuleContexts
from heedful.model import policy
from heedful.model.context import RuleContext
from heedful.model.names import Name, identifier
from heedful.model.operation import operation
from heedful.model.tier import Tier
from heedful.store import Store


class Apply:
    """`loop.apply`"""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation(
        "GET /rules/{rule}/context",
        policy.Contexts.read,
        example={"rule": "no-passive"},
        tier=Tier.TEAMS,
        tool="rule_context",
    )
    def rule_context(self, rule: Name) -> RuleContext:
        """Tell what people's decisions taught about a rule: patterns, rates, calibration, and a text for the prompt.

        Put `prompt` into the prompt that makes the next suggestion for this rule, and ask `confidence` (or read
        `calibration`) for what a stated confidence has really meant. A rule that nobody judged has an empty context.
        """
        return RuleContexts(self._store).of(identifier(rule, "rule"))

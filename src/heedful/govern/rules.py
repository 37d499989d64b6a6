"""Rules for agents, looked after: which are in force, now or at an earlier time."""

from __future__ import annotations

from heedful.learnings.rules import Rules
from heedful.operations import policy
from heedful.operations.operation import operation
from heedful.operations.toolset import ToolSet
from heedful.records.clock import Time, moment
from heedful.records.names import Name, identifier
from heedful.records.rule import Rule
from heedful.store import Store


class RuleReview:
    """`loop.govern.rules`. Rules are learnings: `govern.learnings` retires, rates and explains them too."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @operation(
        "GET /rules", policy.RulePolicy.read, example={"agent": "coder"}, tool="list_rules", tools=ToolSet.REVIEWS
    )
    def in_force(self, *, agent: Name | None = None, at: Time | None = None) -> list[Rule]:
        """List the rules in force: those that an agent gets, at most twenty and best first, or all.

        With `at`, those that were in force at that time."""
        named = None if agent is None else identifier(agent, "agent")
        return Rules(self._store).in_force(named, None if at is None else moment(at))

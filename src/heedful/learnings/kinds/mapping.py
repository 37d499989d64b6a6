"""Mappings: what keys on customers' documents mean."""

from __future__ import annotations

from collections.abc import Mapping as Values
from datetime import timedelta
from typing import Any, NamedTuple

from heedful.errors import InvalidInput
from heedful.learnings.events import MAPPED
from heedful.learnings.kind import LearningComparison, LearningEdit, LearningKind, Relation, Rendering
from heedful.learnings.row import LearningRow
from heedful.records.event import Event
from heedful.records.learning import Learning, Status
from heedful.records.mapping import Mapping, MappingState, MappingType, same_key
from heedful.text.adherence import beside
from heedful.text.fence import quoted
from heedful.text.terms import terms

_LONG = 200
STATUSES = {
    MappingState.CONFIRMED: Status.ACTIVE,
    MappingState.REJECTED: Status.RETIRED,
    MappingState.REPLACED: Status.SUPERSEDED,
}
_STATES = {status.value: state for state, status in STATUSES.items()}


class MappingWording(NamedTuple):
    type: str = MappingType.SKU.value
    customer: str | None = None
    key: str = ""
    value: str = ""

    def terms(self) -> list[str]:
        return [*self.own_terms(), *terms(self.customer or "")]

    def own_terms(self) -> list[str]:
        return terms(f"{self.key}\n{self.value}")

    def gist(self) -> str:
        return f"{self.key} {self.value}"


class MappingKind(LearningKind[MappingWording]):
    name = "mapping"
    begun_by = MAPPED
    categories = MappingType
    headings = dict.fromkeys(map(str, MappingType), "Mappings")
    initial_confidence = 1.0
    confirmation = 1.0
    first_hand = True
    notes = 5

    def wording(self, event: Event) -> MappingWording | None:
        after = event.after
        type, customer, key, value = (after.get(name) for name in ("type", "customer", "key", "value"))
        texts = isinstance(type, str) and isinstance(key, str) and isinstance(value, str) and bool(key and value)
        if not texts or type not in set(MappingType):
            return None
        return MappingWording(str(type), customer if isinstance(customer, str) else None, str(key), str(value))

    def scope(self, event: Event) -> str | None:
        words = self.wording(event)
        return None if words is None else words.customer

    def edited(self, row: LearningRow, changes: Values[str, Any], category: str | None) -> LearningEdit:  # noqa: ARG002
        raise InvalidInput(
            "What people confirmed cannot be edited.",
            hint="Confirm the right value with `capture.mapping_confirmed`, and reject this one.",
        )

    def compare(
        self,
        new: MappingWording,
        old: MappingWording,
        categories: tuple[str, str] = ("", ""),  # noqa: ARG002
        cosine: float | None = None,  # noqa: ARG002
    ) -> LearningComparison:
        if (new.type, new.customer, same_key(new.key)) != (old.type, old.customer, same_key(old.key)):
            return LearningComparison(Relation.DIFFERENT)
        if new.value == old.value:
            return LearningComparison(Relation.SAME, "canonical", 1.0)
        return LearningComparison(Relation.CONTRARY)

    def half_life(self, learning: Learning) -> timedelta | None:  # noqa: ARG002
        """An article number does not fade; whoever looks sees when it was last used."""
        return None

    def support(self, row: LearningRow) -> int:
        """How often people confirmed it; what began with a rejection has one confirmation less."""
        return row.state.confirmed + (row.first.meta.get("rejected") is not True)

    def followed(self, learning: Mapping, output: str) -> bool | None:
        """By the lines that name the key: they have its value, or a value of the same form that is not its own."""
        return beside(output, learning.key, learning.value)

    def record(self, row: LearningRow) -> Mapping:
        """Without people and uses, which are counted elsewhere: see `learnings.documents.mappings`."""
        words, state = self.words_of(row), row.state
        return Mapping(
            **self.shared_fields(row),
            customer=words.customer,
            key=words.key,
            value=words.value,
            state=_STATES.get(state.status, MappingState.REPLACED),
            support_count=self.support(row),
            people=0,
            used=0,
            last_used=None,
            stale=False,
        )

    def render(self, learning: Mapping) -> Rendering:
        whose = f" for customer {quoted(learning.customer, _LONG)}" if learning.customer else ""
        return Rendering(
            "mapping", f"{learning.category} {quoted(learning.key, _LONG)} is {quoted(learning.value, _LONG)}{whose}"
        )

    def said(self, learning: Mapping) -> MappingWording:
        return MappingWording(learning.category, learning.customer, learning.key, learning.value)

    def statement(self, learning: Mapping) -> str:  # noqa: ARG002
        return ""

    def evidence(self, learning: Mapping) -> int:
        return max(learning.support_count, 1)


MAPPING = MappingKind()

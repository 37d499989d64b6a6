"""Patterns: suggested changes that people accepted or rejected repeatedly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from heedful.errors import InvalidInput
from heedful.learnings.events import COUNTED
from heedful.learnings.kind import LearningComparison, LearningEdit, LearningKind, Relation, Rendering
from heedful.learnings.row import LearningRow
from heedful.records.event import Event
from heedful.records.learning import Learning
from heedful.records.pattern import Pattern, PatternCategory
from heedful.text.adherence import adherence
from heedful.text.normalize import normal
from heedful.text.terms import terms

_TELLING = 2
_DOUBT = 0.5  # of a term: a single one in common may be chance
COUNTS = ("accepted", "modified", "rejected", "people")
_HEADINGS: dict[str, str] = {
    PatternCategory.WANTED: "Suggestions that people accept",
    PatternCategory.UNWANTED: "Suggestions that people reject",
}


class PatternWording(NamedTuple):
    original: str = ""
    suggested: str = ""

    def terms(self) -> list[str]:
        return self.own_terms()

    def own_terms(self) -> list[str]:
        return [*terms(self.original), *terms(self.suggested)]

    def gist(self) -> str:
        return f"{self.original} {self.suggested}".strip()


class PatternKind(LearningKind[PatternWording]):
    name = "pattern"
    begun_by = COUNTED
    categories = PatternCategory
    headings = _HEADINGS
    initial_confidence = 0.5
    confirmation = 0.25

    def wording(self, event: Event) -> PatternWording | None:
        original, suggested = event.before.get("text", ""), event.after.get("text", "")
        if not (isinstance(original, str) and isinstance(suggested, str) and (original or suggested)):
            return None
        return PatternWording(original, suggested)

    def scope(self, event: Event) -> str | None:
        return event.entity.id if event.entity is not None and event.entity.kind == "rule" else None

    def edited(self, row: LearningRow, changes: Mapping[str, Any], category: str | None) -> LearningEdit:  # noqa: ARG002
        raise InvalidInput("Patterns are derived from counts and cannot be edited.", hint="Retire it to stop using it.")

    def compare(
        self,
        new: PatternWording,
        old: PatternWording,
        categories: tuple[str, str],
        cosine: float | None,  # noqa: ARG002
    ) -> LearningComparison:
        if new != old:
            return LearningComparison(Relation.DIFFERENT)
        return LearningComparison(
            Relation.SAME if categories[0] == categories[1] else Relation.CONTRARY, "canonical", 1.0
        )

    def half_life(self, learning: Learning) -> timedelta | None:
        return None if learning.approved else timedelta(days=365)

    def overlap(self, asked: frozenset[str], words: PatternWording) -> float:
        """How much of its words a query has: a long text has room for many patterns."""
        telling = frozenset(terms(words.original or words.suggested))
        return len(asked & telling) / (len(telling) + _DOUBT) if telling else 0.0

    def concerns(self, query: str, words: PatternWording) -> bool:
        """A pattern is about words, not about a subject: `in order to` has nothing to do with an order of pizza. Of
        several telling words, the query must have two and half of them; of one, the phrase that it stands in."""
        phrase = words.original or words.suggested
        telling = set(terms(phrase))
        shared = telling & set(terms(query))
        if len(telling) > 1:
            return len(shared) >= max(_TELLING, len(telling) / 2)
        return bool(shared) and (len(phrase.split()) == 1 or _has(query, phrase))

    def followed(self, learning: Pattern, output: str) -> bool | None:
        """What people reject must not be there. That they want what was there before is not said by that."""
        if learning.category is PatternCategory.WANTED:
            return adherence(output, avoided=learning.original, wanted=learning.suggested)
        return False if adherence(output, avoided=learning.suggested, wanted=learning.original) is False else None

    def record(self, row: LearningRow) -> Pattern:
        words, counts = self.words_of(row), row.last.meta.get("counts")
        counted = counts if isinstance(counts, dict) else {}
        numbers = {name: int(counted.get(name, 0)) for name in COUNTS}
        return Pattern(**self.shared_fields(row) | numbers, original=words.original, suggested=words.suggested)

    def render(self, learning: Pattern) -> Rendering:
        total = learning.accepted + learning.modified + learning.rejected
        if learning.category is PatternCategory.WANTED:
            taken = f"accepted {learning.accepted + learning.modified} of {total} times"
        else:
            taken = f"rejected {learning.rejected} of {total} times: do not suggest it"
        return Rendering("pattern", f"{_quoted(learning.original)} to {_quoted(learning.suggested)}, {taken}")

    def said(self, learning: Pattern) -> PatternWording:
        return PatternWording(learning.original, learning.suggested)

    def statement(self, learning: Pattern) -> str:  # noqa: ARG002
        return ""

    def evidence(self, learning: Pattern) -> int:
        return max(learning.accepted + learning.modified + learning.rejected, 1)


PATTERN = PatternKind()


def _has(text: str, phrase: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(normal(phrase))}(?!\w)", normal(text)) is not None


def _quoted(text: str) -> str:
    return f'"{text}"' if text else "nothing"

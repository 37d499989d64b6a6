"""Remarks: what reviewers said about the outputs of agents, and changed in them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from heedful.errors import InvalidInput
from heedful.learnings.kind import LearningComparison, LearningEdit, LearningKind, Relation, Rendering
from heedful.learnings.row import LearningRow
from heedful.records.event import Event
from heedful.records.learning import Learning
from heedful.records.review import AGENT, REVIEWED, Classification, Remark, ReviewDecision
from heedful.text.normalize import normal
from heedful.text.terms import terms

_COMMENT_LIMIT = 400  # characters of each part that are embedded
_SUMMARY_LIMIT = 240
_OUTPUT_LIMIT = 200


class RemarkWording(NamedTuple):
    comment: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    output: str = ""
    """The beginning of the output."""

    def terms(self) -> list[str]:
        return [*self.own_terms(), *terms(" ".join(self.tags))]

    def own_terms(self) -> list[str]:
        return [*terms(self.comment), *terms(self.summary)]

    def gist(self) -> str:
        """Reviewers say the same in other words each time. What they tagged, what they changed and what they looked at
        tells more of it than the comment alone (`benchmarks/review.py`)."""
        parts = (self.comment[:_COMMENT_LIMIT], self.summary[:_SUMMARY_LIMIT], self.output)
        tagged = f"{' '.join(self.tags)}. " if self.tags else ""
        return tagged + "\n".join(part for part in parts if part)


class RemarkKind(LearningKind[RemarkWording]):
    name = "remark"
    begun_by = REVIEWED
    categories = Classification
    headings = dict.fromkeys(map(str, Classification), "Remarks of reviewers")
    initial_confidence = 0.5
    confirmation = 0.25
    notes = 0
    given = False

    def wording(self, event: Event) -> RemarkWording | None:
        """None for an approval without a word, which says nothing that could be said again."""
        comment, summary = event.meta.get("comment", ""), event.meta.get("summary", "")
        if not (isinstance(comment, str) and isinstance(summary, str) and (comment.strip() or summary.strip())):
            return None
        tags, output = event.meta.get("tags", ()), event.before.get("output", "")
        return RemarkWording(comment, summary, tuple(map(str, tags)), str(output)[:_OUTPUT_LIMIT])

    def scope(self, event: Event) -> str | None:
        return event.entity.id if event.entity is not None and event.entity.kind == AGENT else None

    def edited(self, row: LearningRow, changes: Mapping[str, Any], category: str | None) -> LearningEdit:  # noqa: ARG002
        raise InvalidInput("What a reviewer said cannot be edited.", hint="Record another review, or delete this one.")

    def compare(
        self,
        new: RemarkWording,
        old: RemarkWording,
        categories: tuple[str, str],  # noqa: ARG002
        cosine: float | None,  # noqa: ARG002
    ) -> LearningComparison:
        same = normal(f"{new.comment}\n{new.summary}") == normal(f"{old.comment}\n{old.summary}")
        return LearningComparison(Relation.SAME, "canonical", 1.0) if same else LearningComparison(Relation.DIFFERENT)

    def half_life(self, learning: Learning) -> timedelta | None:  # noqa: ARG002
        """It happened; whether it still matters is asked of the rule that is made of it."""
        return None

    def record(self, row: LearningRow) -> Remark:
        words, meta = self.words_of(row), row.first.meta
        return Remark(
            **self.shared_fields(row),
            comment=words.comment,
            summary=words.summary,
            decision=ReviewDecision(meta["decision"]),
            task=meta.get("task"),
            tags=tuple(meta.get("tags", ())),
        )

    def render(self, learning: Remark) -> Rendering:
        return Rendering("reviewed", learning.comment or learning.summary)

    def said(self, learning: Remark) -> RemarkWording:
        return RemarkWording(learning.comment, learning.summary)


REMARK = RemarkKind()

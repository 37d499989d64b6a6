"""Learnings of any kind, in words for a page."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.errors import NotFound
from heedful.learnings.content import label, lines
from heedful.learnings.kinds import KINDS
from heedful.loop import Loop
from heedful.records.insight import CONTENT_PARTS, Insight, InsightContent
from heedful.records.learning import Status
from heedful.records.learnings import AnyLearning
from heedful.records.rule import Rule


@dataclass(frozen=True, slots=True)
class LearningView:
    id: str
    kind: str
    title: str
    parts: tuple[tuple[str, str], ...]
    """What else it says, each with its label."""
    in_use: bool
    is_rule: bool


def learning_view(loop: Loop, id: str) -> LearningView | None:
    """None if it was deleted."""
    try:
        one = loop.govern.learnings.get(id)
    except NotFound:
        return None
    parts = content_parts(one.content) if isinstance(one, Insight) else ()
    return LearningView(one.id, one.kind, _title(one), parts, one.status is Status.ACTIVE, isinstance(one, Rule))


def content_parts(content: InsightContent) -> tuple[tuple[str, str], ...]:
    return tuple((label(name), "\n".join(lines(content[name]))) for name in CONTENT_PARTS if content.get(name))


def _title(one: AnyLearning) -> str:
    if isinstance(one, Insight):
        return one.title
    return one.text if isinstance(one, Rule) else KINDS[one.kind].render(one).text

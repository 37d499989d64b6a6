"""Learnings of any kind, in words for a page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heedful.errors import NotFound
from heedful.learnings.content import label, lines
from heedful.learnings.kinds import KINDS
from heedful.learnings.repetition import in_words
from heedful.loop import Loop
from heedful.records.correction import Correction
from heedful.records.insight import CONTENT_PARTS, Insight, InsightContent
from heedful.records.learning import Learning, Status
from heedful.records.learnings import AnyLearning, Repetition
from heedful.records.rule import Rule

KIND_LABELS = {
    "correction": "Correction",
    "insight": "Insight",
    "rule": "Rule",
    "pattern": "Pattern",
    "mapping": "Mapping",
    "remark": "Review",
}
STATUS_LABELS = {
    Status.ACTIVE: "In use",
    Status.POSSIBLE: "Waits for a decision",
    Status.RETIRED: "Retired",
    Status.SUPERSEDED: "Replaced",
    Status.MERGED: "Merged into another",
}
_SURE = ((0.9, "very sure"), (0.7, "sure"), (0.5, "fairly sure"), (0.0, "unsure"))
_PROJECTS = 300  # learnings of which the projects are offered


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
    return LearningView(one.id, one.kind, title(one), parts, one.status is Status.ACTIVE, isinstance(one, Rule))


@dataclass(frozen=True, slots=True)
class LearningLine:
    """A learning in a list."""

    learning: AnyLearning
    said: str
    """How often it was said; empty if once."""

    @property
    def title(self) -> str:
        return title(self.learning)


def line(one: AnyLearning) -> LearningLine:
    return LearningLine(one, in_words(one, one.confirmed + 1, one.at))


def repeated_line(said: Repetition) -> LearningLine:
    people, projects = len(said.people), len(said.projects)
    return LearningLine(said.learning, in_words(said.learning, said.times, said.since, people, projects))


def content_parts(content: InsightContent) -> tuple[tuple[str, str], ...]:
    return tuple((label(name), "\n".join(lines(content[name]))) for name in CONTENT_PARTS if content.get(name))


def title(one: AnyLearning) -> str:
    """What it says, in a sentence."""
    if isinstance(one, Insight):
        return one.title
    if isinstance(one, Correction):
        return _corrected(one)
    return one.text if isinstance(one, Rule) else KINDS[one.kind].render(one).text


def _corrected(one: Correction) -> str:
    if one.wrong and one.right:
        return f"“{one.right}”, not “{one.wrong}”"
    if one.right or one.wrong:
        return f"“{one.right}” is right" if one.right else f"“{one.wrong}” is wrong"
    return f"“{one.said}”"


def sure(one: Learning) -> str:
    """Its confidence in words."""
    return next(word for least, word in _SURE if one.confidence >= least)


def projects(loop: Loop) -> list[str]:
    """What recent insights and corrections are about."""
    recent: Iterable[AnyLearning] = (
        one
        for kind in ("insight", "correction")
        for one in loop.govern.learnings.page(kind=kind, status=None, limit=_PROJECTS).items
    )
    return sorted({one.about for one in recent if one.about is not None})

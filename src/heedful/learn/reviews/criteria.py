"""The criteria by which a review is classified: each can be read, and is named in the rationale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heedful.records.reading import MessageAct, Reading
from heedful.records.review import Classification, Review, ReviewDecision

_ENOUGH = 3  # reviews that say the same, with this one
_PEOPLE = 2
_TASKS = 2
_ALWAYS = 0.5  # probability that a remark holds beyond this output
_TIED = 0.4  # share of the words of a comment that are names, numbers and paths
_NAME = re.compile(r"\b(?=\w*[\d_])\w+\b|\b[a-z]+[A-Z]\w*\b|`[^`\n]{1,80}`")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about a review and those like it."""

    review: Review
    similar: Sequence[Review]
    people: int
    """Different reviewers who say it, with this one."""
    tasks: int
    disagree: str
    """How one of the similar ones contradicts it; empty if none does."""
    reading: Reading | None
    """What the reader understood of the comment; None without a comment."""
    again: str | None
    """The rule in force that says it already."""


def classified(facts: Facts) -> tuple[Classification, float, str]:
    """The class, its confidence, and the rationale in words."""
    review = facts.review
    if _is_positive(facts):
        return Classification.POSITIVE, 0.9, "It was approved, and nothing was to be changed."
    if facts.disagree:
        return Classification.AMBIGUOUS, 0.7, f"Reviewers disagree. {facts.disagree}"
    if not review.edits and review.comment.rstrip(" )!").endswith("?"):
        return Classification.AMBIGUOUS, 0.7, "The reviewer asked a question; nothing says what should be different."
    return _generalised(facts)


def _generalised(facts: Facts) -> tuple[Classification, float, str]:
    review, alike, said = facts.review, len(facts.similar) + 1, _said(facts)
    if alike >= _ENOUGH and facts.people >= _PEOPLE and facts.tasks >= _TASKS:
        sure = min(0.95, 0.6 + 0.07 * (alike - _ENOUGH) + 0.08 * (facts.people - _PEOPLE))
        return Classification.GENERALIZABLE_HIGH, round(sure, 2), said
    tied, always = _tied(review.comment), 0.0 if facts.reading is None else facts.reading.always
    if alike == 1 and tied >= _TIED:
        why = "It names one file, value or task, and nobody else said so."
        return Classification.EDGE_CASE, round(min(0.9, 0.5 + tied / 2), 2), why
    if alike == 1 and always < _ALWAYS and not review.tags:
        return Classification.EDGE_CASE, 0.55, "It reads as if it were about this output only, and nobody else said so."
    return Classification.GENERALIZABLE_LOW, round(0.4 + 0.1 * min(alike, 3) + 0.1 * (always >= _ALWAYS), 2), said


def _is_positive(facts: Facts) -> bool:
    review, reading = facts.review, facts.reading
    if review.decision is not ReviewDecision.APPROVED or review.edits:
        return False
    return reading is None or reading.act is not MessageAct.CORRECTION


def _said(facts: Facts) -> str:
    return " ".join(_sentences(facts))


def _sentences(facts: Facts) -> Iterator[str]:
    alike = len(facts.similar) + 1
    if alike == 1:
        yield "Nobody else said so yet."
    else:
        people = "one reviewer" if facts.people == 1 else f"{facts.people} reviewers"
        tasks = "one task" if facts.tasks == 1 else f"{facts.tasks} tasks"
        yield f"{alike} reviews of {tasks} by {people} say so."
    if facts.reading is not None and facts.reading.always >= _ALWAYS:
        yield "It is said as something that holds in general."
    if facts.again is not None:
        yield "A rule in force says it already."


def _tied(comment: str) -> float:
    """How much of a comment is about particular things."""
    words = _WORD.findall(comment)
    named = [word for found in _NAME.findall(comment) for word in _WORD.findall(found)]
    return len(named) / len(words) if words else 0.0

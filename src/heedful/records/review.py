"""A review: what a person decided about the output of an agent, at a gate where people look at it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from heedful.records.choice import Choice
from heedful.records.event import Event
from heedful.records.job import JobRequest
from heedful.records.learning import Learning
from heedful.records.record import Record

REVIEWED = "OUTPUT_REVIEWED"
AGENT = "agent"
"""The entity kind of an agent, which reviews are about."""

OUTPUT_LIMIT = 1_000_000
"""Characters of an output or a diff that are compared."""
COMMENT_LIMIT = 4_000

EVALUATE_JOB = "review.evaluate"
PROPOSE_JOB = "review.propose"

ENOUGH = 3
"""Reviews that must say the same before a rule is proposed."""
PEOPLE = 2
"""Different reviewers among them."""


class ReviewDecision(Choice, noun="decision of a review"):
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    APPROVED_WITH_CHANGES = "APPROVED_WITH_CHANGES"


AnyReviewDecision = ReviewDecision | Literal["APPROVED", "REJECTED", "APPROVED_WITH_CHANGES"]


class Classification(StrEnum):
    """How far what a reviewer said holds."""

    UNCLASSIFIED = "unclassified"
    """Not evaluated yet."""
    GENERALIZABLE_HIGH = "generalizable_high"
    """Several people said it, about several outputs."""
    GENERALIZABLE_LOW = "generalizable_low"
    """It may hold in general, but too few said so."""
    EDGE_CASE = "edge_case"
    """It belongs to this file, customer or task."""
    AMBIGUOUS = "ambiguous"
    """It is unclear what should change, or reviewers disagree."""
    POSITIVE = "positive"


class Action(StrEnum):
    """What should follow from a review."""

    CREATE_RULE = "CREATE_RULE"
    REFINE_PROMPT = "REFINE_PROMPT"
    """A rule in force says it already, and it happened again."""
    UPDATE_SKILL = "UPDATE_SKILL"
    """Several agents need the same."""
    DOCUMENT_ONLY = "DOCUMENT_ONLY"


@dataclass(frozen=True, slots=True)
class Edit(Record):
    """One change that the reviewer made."""

    unit: Literal["line", "word"]
    before: str
    """Empty if something was added."""
    after: str
    """Empty if something was removed."""


@dataclass(frozen=True, slots=True)
class ProposedAction(Record):
    type: Action
    agent: str | None
    proposal: str | None
    """The proposal that waits for people, if there is one."""


@dataclass(frozen=True, slots=True)
class Evaluation(Record):
    """The evaluation of one review."""

    review: str
    classification: Classification
    confidence: float
    rationale: str
    similar: tuple[str, ...]
    """The ids of reviews that say the same."""
    action: ProposedAction | None
    by: str
    """`local`, or the name of the language model."""
    local: Classification
    """What the criteria say by themselves."""


@dataclass(frozen=True, slots=True)
class Review(Record):
    id: str
    at: datetime
    agent: str
    decision: ReviewDecision
    reviewer: str | None
    gate: str | None
    epic: str | None
    task: str | None
    seconds: int | None
    """How long the reviewer took."""
    comment: str
    tags: tuple[str, ...]
    edits: tuple[Edit, ...]
    """What the reviewer changed."""
    summary: str
    """The changes in words."""
    output: str
    """The output; empty if only its hash is known. A long one is cut: `edits` has what changed."""
    approved: str
    output_sha: str | None
    approved_sha: str | None
    diff_path: str | None
    evaluation: Evaluation | None
    """None until it was evaluated."""


@dataclass(frozen=True, slots=True)
class Remark(Learning):
    """What a reviewer said about an output, or changed in it: evidence for rules. It has the id of its review."""

    kind: Literal["remark"]
    category: Classification
    comment: str
    summary: str
    decision: ReviewDecision
    task: str | None
    tags: tuple[str, ...]


def evaluate(event: Event) -> JobRequest | None:
    """For a review that says something."""
    if not {"comment", "summary"} & event.meta.keys():
        return None
    return JobRequest(EVALUATE_JOB, {"review": event.id}, key=event.id, priority=1)

"""The events of learnings."""

from __future__ import annotations

from heedful.records.event import Event
from heedful.records.review import REVIEWED

ENTITY = "learning"
"""The entity kind of events about a learning. Its first event has the same id as the learning."""

REPORTED = "CORRECTION_REPORTED"
EXTRACTED = "INSIGHT_EXTRACTED"
COUNTED = "PATTERN_COUNTED"
ADOPTED = "RULE_ADOPTED"
MAPPED = "MAPPING_LEARNED"

BEGINNINGS = (REPORTED, EXTRACTED, COUNTED, REVIEWED, ADOPTED, MAPPED)
"""Each begins a learning of one kind."""

CONFIRMED = "LEARNING_CONFIRMED"
UNCONFIRMED = "LEARNING_UNCONFIRMED"
"""A merge was undone, because the evidence for it was erased."""
EDITED = "LEARNING_EDITED"
ADJUSTED = "LEARNING_ADJUSTED"
RATED = "LEARNING_RATED"
APPROVED = "LEARNING_APPROVED"
APPLIED = "LEARNING_APPLIED"
CONTRADICTED = "LEARNING_CONTRADICTED"
"""Another person said the contrary. Both are in use until somebody decides."""
SUPERSEDED = "LEARNING_SUPERSEDED"
MERGED = "LEARNING_MERGED"
RETIRED = "LEARNING_RETIRED"
RESTORED = "LEARNING_RESTORED"
EVALUATED = "REVIEW_EVALUATED"
RECURRED = "RULE_RECURRED"
"""A reviewer had to say again what a rule in force says."""
OPPOSED = "RULE_OPPOSED"
"""A reviewer said the contrary of a rule in force."""

ABOUT_LEARNINGS = (
    CONFIRMED, UNCONFIRMED, EDITED, ADJUSTED, RATED, APPROVED, APPLIED, CONTRADICTED, SUPERSEDED, MERGED, RETIRED,
    RESTORED, EVALUATED, RECURRED, OPPOSED,
)  # fmt: skip
"""Recorded by heedful's own operations only."""

READ_BY = "read_by"
"""In the meta of an edit: the language model that read a correction again. People's edits have none."""

LEARNING_EVENTS = (*BEGINNINGS, *ABOUT_LEARNINGS)

PROJECTION = "learnings"


def subject(event: Event) -> str | None:
    if event.kind in BEGINNINGS:
        return event.id
    if event.kind in ABOUT_LEARNINGS and event.entity is not None and event.entity.kind == ENTITY:
        return event.entity.id
    return None

"""Reviewers who look at what agents made."""

from __future__ import annotations

from typing import Any

import heedful
from heedful.records.proposal import Proposal
from heedful.records.review import Review

OUTPUT = "def save(form):\n    db.insert(form)\n"
APPROVED = "def save(form):\n    db.insert(validated(form))\n"
SAID = (
    "Always validate user input before it is stored.",
    "Please validate the input of users before you store it.",
    "Validate user input before it gets stored in the database.",
)
RULE = "Validate user input where it enters."


def review(loop: heedful.Loop, number: int, **given: Any) -> Review:
    """One of several that say the same."""
    said: dict[str, Any] = {
        "decision": "APPROVED_WITH_CHANGES",
        "reviewer": ("lee", "kim", "ana")[number % 3],
        "task": f"T-{number}",
        "output": OUTPUT,
        "approved": APPROVED,
        "comment": SAID[number % 3],
        "tags": ["security"],
        "id": f"review-{number}",
    }
    return loop.capture.review("coder", **{**said, **given})


def reviewed(loop: heedful.Loop, count: int = 3) -> list[str]:
    ids = [review(loop, number).id for number in range(count)]
    for id in ids:
        loop.learn.reviews.evaluate(id)
    return ids


def proposed(loop: heedful.Loop) -> Proposal:
    reviewed(loop)
    (made,) = loop.learn.reviews.propose()
    return made


def adopted(loop: heedful.Loop, rule: str = RULE, **given: Any) -> str:
    """The id of a rule that two people approved."""
    made = loop.govern.proposals.propose(rule, **{"agents": ["coder"], "by": "dana", **given})
    loop.govern.proposals.approve(made.id, by="lee")
    loop.govern.proposals.approve(made.id, by="kim")
    (id,) = [rule.id for rule in loop.govern.rules.in_force() if rule.proposal == made.id]
    return id

"""A proposal: what heedful would do about its learnings, and leaves to a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Literal

from heedful.errors import InvalidInput
from heedful.records.event import Draft, Entity, Event, noted
from heedful.records.json import Json
from heedful.records.record import Record

ENTITY = "proposal"
MADE = "PROPOSAL_MADE"
DECIDED = "PROPOSAL_DECIDED"
KINDS = (MADE, DECIDED)
"""Only heedful's own operations record these."""


class Act(StrEnum):
    MERGE = "merge"
    """The first learning takes up the second: they say nearly the same."""
    RETIRE = "retire"
    """The learning goes out of use."""
    REWRITE = "rewrite"
    """The learning is said in better words."""
    REPLACE = "replace"
    """The second learning contradicts the first, and would take its place."""


class ProposalState(StrEnum):
    """What became of it."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"

    @classmethod
    def of(cls, answer: object) -> ProposalState:
        try:
            return cls(str(answer))
        except ValueError:
            known = ", ".join(known.value for known in cls)
            raise InvalidInput(f"{answer!r} is no state of proposals.", hint=f"There are: {known}.") from None


AnyProposalState = ProposalState | Literal["pending", "accepted", "rejected"]
"""An answer, or its word."""


@dataclass(frozen=True, slots=True)
class Proposal(Record):
    id: str
    at: datetime
    act: Act
    learnings: tuple[str, ...]
    reason: str
    title: str
    """How a rewritten learning would be called."""
    content: str
    answer: ProposalState
    decided_by: str | None
    decided_at: datetime | None


def made(at: datetime, act: Act, learnings: tuple[str, ...], reason: str, words: Json | None = None) -> Draft:
    """The event of a proposal: about the same learnings, it is the same proposal."""
    said = "\x1f".join((act.value, *learnings, str((words or {}).get("content", ""))))
    id = f"proposal-{blake2b(said.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    meta: dict[str, Any] = {"act": act.value, "learnings": list(learnings), "reason": reason}
    draft = noted(MADE, at, entity=Entity(ENTITY, id), after=words or {}, meta=meta)
    return draft._replace(id=id, own_id=True)


def proposal(event: Event, decided: Event | None) -> Proposal:
    meta, after = event.meta, event.after
    accepted = decided is not None and decided.meta.get("accepted") is True
    return Proposal(
        id=event.id,
        at=event.at,
        act=Act(meta["act"]),
        learnings=tuple(map(str, meta.get("learnings", []))),
        reason=str(meta.get("reason", "")),
        title=str(after.get("title", "")),
        content=str(after.get("content", "")),
        answer=ProposalState.PENDING
        if decided is None
        else ProposalState.ACCEPTED
        if accepted
        else ProposalState.REJECTED,
        decided_by=None if decided is None else decided.actor,
        decided_at=None if decided is None else decided.at,
    )

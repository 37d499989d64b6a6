"""A proposal: a change to learnings that heedful suggests and a person decides."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Literal

from heedful.records.choice import Choice
from heedful.records.event import Draft, Entity, Event, noted
from heedful.records.insight import InsightContent
from heedful.records.json import Json, encode
from heedful.records.record import Record

ENTITY = "proposal"
MADE = "PROPOSAL_MADE"
DECIDED = "PROPOSAL_DECIDED"
KINDS = (MADE, DECIDED)
"""Only heedful's own operations record these."""


class Act(StrEnum):
    MERGE = "merge"
    """Merge the second learning into the first: they say nearly the same."""
    RETIRE = "retire"
    RENEW = "renew"
    """Say whether a learning is still true: accepting confirms it, rejecting retires it."""
    REWRITE = "rewrite"
    REPLACE = "replace"
    """Replace the first learning with the second, which contradicts it. Rejecting keeps the first."""


class ProposalState(Choice, noun="state of proposals"):
    """The state of a proposal."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


AnyProposalState = ProposalState | Literal["pending", "accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class Proposal(Record):
    id: str
    at: datetime
    act: Act
    learnings: tuple[str, ...]
    reason: str
    title: str
    """The new title of a rewritten learning."""
    content: InsightContent
    answer: ProposalState
    decided_by: str | None
    decided_at: datetime | None


def made(
    at: datetime,
    act: Act,
    learnings: tuple[str, ...],
    reason: str,
    words: Json | None = None,
    *,
    since: datetime | None = None,
) -> Draft:
    """The event of a proposal. The same learnings make the same proposal; with `since`, one for each such time."""
    when = () if since is None else (since.isoformat(),)
    id = _id(act, learnings, encode((words or {}).get("content")), *when)
    meta: dict[str, Any] = {"act": act.value, "learnings": list(learnings), "reason": reason}
    draft = noted(MADE, at, entity=Entity(ENTITY, id), after=words or {}, meta=meta)
    return draft._replace(id=id, own_id=True)


def replacing(old: str, new: str) -> str:
    """The id of the proposal to replace one learning with another."""
    return _id(Act.REPLACE, (old, new), encode(None))


def rejected(id: str, at: datetime, actor: str | None, why: str) -> Draft:
    """The event that a proposal was rejected."""
    return noted(DECIDED, at, actor=actor, entity=Entity(ENTITY, id), meta={"accepted": False, "why": why})


def _id(act: Act, learnings: tuple[str, ...], *more: str) -> str:
    said = "\x1f".join((act.value, *learnings, *more))
    return f"proposal-{blake2b(said.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def proposal(event: Event, decided: Event | None) -> Proposal:
    meta, after = event.meta, event.after
    return Proposal(
        id=event.id,
        at=event.at,
        act=Act(meta["act"]),
        learnings=tuple(map(str, meta.get("learnings", []))),
        reason=str(meta.get("reason", "")),
        title=str(after.get("title", "")),
        content=dict(after.get("content") or {}),
        answer=_answer(decided),
        decided_by=None if decided is None else decided.actor,
        decided_at=None if decided is None else decided.at,
    )


def _answer(decided: Event | None) -> ProposalState:
    if decided is None:
        return ProposalState.PENDING
    return ProposalState.ACCEPTED if decided.meta.get("accepted") is True else ProposalState.REJECTED

"""A proposal: a change to learnings that waits for people. All states and transitions are here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Literal

from heedful.records.choice import Choice
from heedful.records.clock import to_day
from heedful.records.event import Draft, Entity, Event, noted
from heedful.records.insight import InsightContent
from heedful.records.job import JobRequest
from heedful.records.json import Json, encode
from heedful.records.people import one_person
from heedful.records.record import Record
from heedful.records.rule import INSERTION_POINT, RuleType, RuleWords

ENTITY = "proposal"
MADE = "PROPOSAL_MADE"
EDITED = "PROPOSAL_EDITED"
"""New words, or more evidence."""
APPROVED = "PROPOSAL_APPROVED"
"""One person agreed."""
REMINDED = "PROPOSAL_REMINDED"
"""It has waited for long: webhooks deliver this."""
DECIDED = "PROPOSAL_DECIDED"
LATER = (EDITED, APPROVED, REMINDED, DECIDED)
KINDS = (MADE, *LATER)
"""Only heedful's own operations record these."""

REMINDER = timedelta(days=7)
EXPIRY = timedelta(days=30)
"""Without an answer, after its last change."""
TEND_JOB = "proposals.tend"


class Act(StrEnum):
    MERGE = "merge"
    """Merge the second learning into the first: they say nearly the same."""
    RETIRE = "retire"
    RENEW = "renew"
    """Say whether a learning is still true: approving confirms it, rejecting retires it."""
    REWRITE = "rewrite"
    REPLACE = "replace"
    """Replace the first learning with the second, which contradicts it. Rejecting keeps the first."""
    ADOPT = "adopt"
    """Put a rule into force for agents."""
    RESUME = "resume"
    """Use a rule or another learning again that was suspended because it seemed to do harm."""


PEOPLE_NEEDED = {Act.ADOPT: 2, Act.RESUME: 2}
"""How many different people must approve; one, for the others."""
MORE_PEOPLE = 3
"""For a rule that reads like an attempt to take over the agent."""


class ProposalStatus(Choice, noun="status of proposals"):
    """pending → approved, rejected or expired; nothing leads back."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    """Nobody answered in time."""


AnyProposalStatus = ProposalStatus | Literal["pending", "approved", "rejected", "expired"]


class Lane(StrEnum):
    """How carefully a proposal is to be looked at."""

    EXPEDITED = "expedited"
    """Much evidence and no conflict: listed first."""
    NORMAL = "normal"
    SLOW = "slow"
    """A constraint, a conflict, or a text that smells of an attack: listed last, and never decided in a batch."""


class ConflictKind(StrEnum):
    CONTRARY = "contrary"
    """No agent can obey both."""
    UNSURE = "unsure"
    """They are about the same matter and may contradict each other: a person must look."""
    SAME = "same"
    NARROWER = "narrower"
    """One of them holds the other."""


@dataclass(frozen=True, slots=True)
class RuleConflict(Record):
    """Another rule or proposal that a proposed rule may not get along with."""

    kind: ConflictKind
    other: str
    """The id of the rule in force, or of the other proposal."""
    in_force: bool
    """Whether the other one is in force already."""
    text: str
    why: str
    ways_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Approval(Record):
    by: str
    at: datetime
    why: str


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
    rule: RuleWords | None
    """The words of a rule to adopt."""
    evidence: tuple[str, ...]
    """The ids of the reviews that it was made of."""
    summary: str
    """The evidence in words."""
    confidence: float
    benefit: float
    """The share of outputs that reviewers corrected for this reason."""
    conflicts: tuple[RuleConflict, ...]
    suspicions: tuple[str, ...]
    """Why the text smells of an attack on the agent."""
    lane: Lane
    digest: str
    """Identifies the words: pass it to `approve` to approve nothing else."""
    made_by: str | None
    """The person who wrote these words; None for heedful."""
    approvals: tuple[Approval, ...]
    """Of these words. After an edit, people must approve again."""
    needed: int
    """How many different people must approve."""
    expires_at: datetime
    status: ProposalStatus
    decided_by: str | None
    decided_at: datetime | None
    why: str
    """The reason of the decision."""


def tend_tomorrow(now: datetime) -> JobRequest:
    """Looks after proposals, rules and what harms, once a day."""
    return JobRequest(TEND_JOB, key=str(to_day(now.date()) + 1), delay=timedelta(days=1))


def tend(event: Event) -> JobRequest:
    """From the first proposal on."""
    return tend_tomorrow(event.at)


def tend_after_outcome(event: Event) -> JobRequest | None:
    """Outcomes may tell of any time, so one job waits for all that come until tomorrow."""
    if "counts" not in event.meta:
        return None
    return JobRequest(TEND_JOB, key="outcomes", delay=timedelta(days=1))


def made(
    at: datetime,
    act: Act,
    learnings: tuple[str, ...],
    reason: str,
    words: Json | None = None,
    *,
    since: datetime | None = None,
    rule: RuleWords | None = None,
    meta: Json | None = None,
    actor: str | None = None,
    key: str = "",
) -> Draft:
    """The event of a proposal. The same learnings make the same proposal; with `since`, one for each such time; with
    `key`, one for each key."""
    when = () if since is None else (since.isoformat(),)
    after = dict(words or {}) if rule is None else rule_payload(rule)
    id = _id(act, learnings, encode((words or {}).get("content")), *when, *((key,) if key else ()))
    facts: dict[str, Any] = {"act": act.value, "learnings": list(learnings), "reason": reason, **(meta or {})}
    draft = noted(MADE, at, actor=actor, entity=Entity(ENTITY, id), after=after, meta=facts)
    return draft._replace(id=id, own_id=True)


def replacing(old: str, new: str) -> str:
    """The id of the proposal to replace one learning with another."""
    return _id(Act.REPLACE, (old, new), encode(None))


def decided(
    id: str,
    at: datetime,
    actor: str | None,
    *,
    approved: bool,
    why: str = "",
    expired: bool = False,
    approval: bool = False,
) -> Draft:
    """The event that ends a proposal. `approval`: a learning that it is about was approved instead."""
    more = {"why": why, "expired": expired, "approval": approval}
    facts = {"accepted": approved, **{name: value for name, value in more.items() if value}}
    return noted(DECIDED, at, actor=actor, entity=Entity(ENTITY, id), meta=facts)


def _id(act: Act, learnings: tuple[str, ...], *more: str) -> str:
    said = "\x1f".join((act.value, *learnings, *more))
    return f"proposal-{blake2b(said.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def folded(events: Sequence[Event]) -> Proposal:
    """The state of a proposal after its events, in the order of the log. The first one made it."""
    first, *later = events
    state = _begun(first)
    for event in later:
        if event.kind == EDITED:
            state = _edited(state, event)
        elif event.kind == APPROVED and event.meta.get("digest") == state.digest:
            state = _approved(state, event)
        elif event.kind == DECIDED:
            state = _decided(state, event)
    return state


def voices(found: Proposal) -> set[str]:
    """The people who agreed, other than who wrote it."""
    people = {one_person(approval.by) for approval in found.approvals}
    return people - ({one_person(found.made_by)} if found.made_by is not None else set())


def _begun(event: Event) -> Proposal:
    meta, after = event.meta, event.after
    act = Act(meta["act"])
    rule = rule_of(event.after) if act is Act.ADOPT else None
    return Proposal(
        id=event.id,
        at=event.at,
        act=act,
        learnings=tuple(map(str, meta.get("learnings", []))),
        reason=str(meta.get("reason", "")),
        title=str(after.get("title", "")),
        content=dict(after.get("content") or {}),
        rule=rule,
        evidence=tuple(meta.get("evidence", ())),
        summary=str(meta.get("summary", "")),
        confidence=float(meta.get("confidence", 1.0)),
        benefit=float(meta.get("benefit", 0.0)),
        conflicts=(),
        suspicions=(),
        lane=Lane.NORMAL,
        digest=_digest(rule, after),
        made_by=event.actor,
        approvals=(),
        needed=int(meta.get("needed", PEOPLE_NEEDED.get(act, 1))),
        expires_at=event.at + EXPIRY,
        status=ProposalStatus.PENDING,
        decided_by=None,
        decided_at=None,
        why="",
    )


def _edited(state: Proposal, event: Event) -> Proposal:
    meta = event.meta
    rule = rule_of(event.after) if event.after else state.rule
    digest = _digest(rule, event.after) if event.after else state.digest
    return replace(
        state,
        rule=rule,
        digest=digest,
        made_by=event.actor if digest != state.digest else state.made_by,
        approvals=state.approvals if digest == state.digest else (),
        learnings=tuple(meta.get("learnings", state.learnings)),
        evidence=tuple(meta.get("evidence", state.evidence)),
        summary=str(meta.get("summary", state.summary)),
        confidence=float(meta.get("confidence", state.confidence)),
        benefit=float(meta.get("benefit", state.benefit)),
        expires_at=event.at + EXPIRY,
    )


def _approved(state: Proposal, event: Event) -> Proposal:
    who = event.actor or ""
    if one_person(who) in {one_person(approval.by) for approval in state.approvals}:
        return state
    approval = Approval(who, event.at, str(event.meta.get("why", "")))
    return replace(state, approvals=(*state.approvals, approval), expires_at=event.at + EXPIRY)


def _decided(state: Proposal, event: Event) -> Proposal:
    meta = event.meta
    status = ProposalStatus.APPROVED if meta.get("accepted") is True else ProposalStatus.REJECTED
    if meta.get("expired") is True:
        status = ProposalStatus.EXPIRED
    return replace(state, status=status, decided_by=event.actor, decided_at=event.at, why=str(meta.get("why", "")))


def rule_payload(rule: RuleWords) -> dict[str, Any]:
    """The words of a rule in an event."""
    words = {"text": rule.text, "type": rule.type.value, "agents": list(rule.agents)}
    example = {"before": rule.before, "after": rule.after}
    return {**words, "insertion_point": rule.insertion_point, **{name: text for name, text in example.items() if text}}


def rule_of(after: Json) -> RuleWords:
    return RuleWords(
        text=str(after["text"]),
        type=RuleType(after["type"]),
        agents=tuple(map(str, after.get("agents", ()))),
        insertion_point=str(after.get("insertion_point", INSERTION_POINT)),
        before=str(after.get("before", "")),
        after=str(after.get("after", "")),
    )


def _digest(rule: RuleWords | None, after: Json) -> str:
    said = encode(rule_payload(rule) if rule is not None else dict(after))
    return blake2b(said.encode(), digest_size=16).hexdigest()

"""Proposals: what waits for people. One inbox and one way of approving, for rules and for changes to any learning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from heedful.errors import Conflict, HeedfulError, InvalidInput, NotFound
from heedful.govern.learnings import LearningReview
from heedful.learnings import events
from heedful.learnings.kinds.rule import RULE, adopted
from heedful.learnings.proposals import ProposalConflicts, ProposalLog
from heedful.operations import caller, policy
from heedful.operations.operation import UNCHANGED, Unchanged, operation
from heedful.records import proposal
from heedful.records.embedding import Embedder
from heedful.records.event import Entity, noted
from heedful.records.insight import CONTENT_PARTS
from heedful.records.learning import Audience, Learning, Status
from heedful.records.names import Limit, Name, Place, identifier, listed, page_limit, place
from heedful.records.page import Page, every
from heedful.records.people import one_person
from heedful.records.proposal import Act, AnyProposalStatus, ConflictKind, Lane, Proposal, ProposalStatus
from heedful.records.record import Record
from heedful.records.rule import INSERTION_POINT, MOST_AGENTS, RULE_LIMIT, AnyRuleType, RuleType, RuleWords
from heedful.store import Store
from heedful.store.audit import audit
from heedful.store.recording import Recording
from heedful.text.checks import checked_text, visible

_SAMPLE = "proposal-5f0c1a9be27d4431"
_WHY_LIMIT = 500
_EXAMPLE_LIMIT = 500
_READ = 200  # proposals that are looked at together
_MOST_AT_ONCE = 100
_WITHOUT_EVIDENCE = 0.5  # the confidence of a rule that somebody wrote

_ANY_RULE = RuleWords("Any.", RuleType.GUIDELINE, (), INSERTION_POINT)

Deed = Callable[[Recording, Proposal, str], object]


@dataclass(frozen=True, slots=True)
class DecisionResult(Record):
    """What became of one proposal of a batch."""

    id: str
    proposal: Proposal | None
    error: str | None


class Proposals:
    """`loop.govern.proposals`"""

    def __init__(self, store: Store, learnings: LearningReview, embedder: Embedder) -> None:
        self._store = store
        self._learnings = learnings
        self._embedder = embedder

    @operation("GET /proposals", policy.ProposalPolicy.read, example={"status": "pending"})
    def page(
        self,
        *,
        status: AnyProposalStatus | None = ProposalStatus.PENDING,
        limit: Limit = 100,
        cursor: Place | None = None,
    ) -> Page[Proposal]:
        """List what waits for people, newest first; pending proposals by default.

        They are rules for agents, and changes to learnings. Of pending ones, those whose learnings were changed,
        renewed or retired meanwhile are left out.
        """
        size, wanted = page_limit(limit), None if status is None else ProposalStatus.of(status)
        previous, found = None if cursor is None else place(cursor), list[tuple[int, Proposal]]()
        while len(found) <= size:
            made = self._log.page(previous, _READ)
            proposals = [(event.seq, one) for event, one in zip(made, self._log.each(made), strict=True)]
            found += [one for one in proposals if wanted is None or self._is_listed(one[1], wanted)]
            if len(made) < _READ:
                break
            previous = made[-1].seq
        more = str(found[size - 1][0]) if len(found) > size else None
        conflicts = ProposalConflicts(self._store, self._embedder)
        return Page([conflicts.of(one) for _, one in found[:size]], more)

    def all(
        self,
        *,
        status: AnyProposalStatus | None = ProposalStatus.PENDING,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[Proposal]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor, status=status)

    @operation("GET /proposals/{id}", policy.ProposalPolicy.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def get(self, id: Name) -> Proposal:
        """Show one proposal."""
        return ProposalConflicts(self._store, self._embedder).of(self._log.get(id))

    @operation(
        "POST /proposals",
        policy.ProposalPolicy.make,
        example={"rule": "Validate input at the boundary.", "agents": ["coder"], "by": "lee", "id": "rule-4711"},
        errors=(Conflict, InvalidInput, NotFound),
        creates=True,
    )
    def propose(
        self,
        rule: str,
        *,
        type: AnyRuleType = RuleType.GUIDELINE,
        agents: Sequence[Name] = (),
        insertion_point: Name = INSERTION_POINT,
        before: str = "",
        after: str = "",
        replaces: Sequence[Name] = (),
        why: str | None = None,
        by: Name | None = None,
        id: Name | None = None,
    ) -> Proposal:
        """Propose a rule for agents (all of them, if none is named). Two other people must approve it.

        `before` and `after` are an example; `replaces` names rules in force that it takes the place of. `by` is who
        proposes it, for callers who act for several people.
        """
        words = _words(rule, type, agents, insertion_point, before, after)
        gone = tuple(sorted(listed(replaces, "replaces")))
        for name in gone:
            self._require_rule(name)
        reason = checked_text(why or "", "why", _WHY_LIMIT)
        key = f"{id or ''}\x1f{words.to_json()}"
        meta = {"confidence": _WITHOUT_EVIDENCE}
        who, now = _voice(by), self._store.clock()
        draft = proposal.made(now, Act.ADOPT, gone, reason, rule=words, meta=meta, actor=who, key=key)
        if id is not None:
            draft = draft._replace(id=identifier(id, "id"), entity=Entity(proposal.ENTITY, id))
        with self._store.recording() as record:
            record.append([draft])
            return self.get(draft.id)

    @operation(
        "PATCH /proposals/{id}",
        policy.ProposalPolicy.decide,
        example={"id": _SAMPLE, "rule": "Validate all input where it enters.", "by": "lee"},
        errors=(Conflict, InvalidInput, NotFound),
    )
    def edit(
        self,
        id: Name,
        *,
        rule: str | Unchanged = UNCHANGED,
        type: AnyRuleType | Unchanged = UNCHANGED,
        agents: Sequence[Name] | Unchanged = UNCHANGED,
        insertion_point: Name | Unchanged = UNCHANGED,
        before: str | Unchanged = UNCHANGED,
        after: str | Unchanged = UNCHANGED,
        replaces: Sequence[Name] | Unchanged = UNCHANGED,
        by: Name | None = None,
        digest: Name | None = None,
    ) -> Proposal:
        """Edit a proposed rule; fields that are left out stay unchanged.

        Who agreed before must agree again, and the word of who edited it does not count. With the `digest` of the words
        you read, an edit of somebody else is not overwritten: that is a conflict.
        """
        given: dict[str, Any] = {"text": rule, "type": type, "agents": agents, "insertion_point": insertion_point}
        given |= {"before": before, "after": after}
        changes = {name: value for name, value in given.items() if value is not UNCHANGED}
        _changed(_ANY_RULE, changes)  # nonsense is refused before anything is looked up
        chosen = None if replaces is UNCHANGED else tuple(sorted(listed(replaces, "replaces")))
        with self._store.recording() as record:
            found = self._pending(id)
            _require_words(found, digest)
            if found.rule is None:
                raise InvalidInput("Only proposed rules can be edited.", hint="Approve or reject it.")
            old = found.rule
            words = _changed(old, changes)
            gone = found.learnings if chosen is None else chosen
            for name in gone:
                self._require_rule(name)
            if (words, gone) == (old, found.learnings):
                return self.get(id)
            meta = {"learnings": list(gone)}
            self._append(record, proposal.EDITED, found.id, meta, _voice(by), after=proposal.rule_payload(words))
            return self.get(id)

    @operation(
        "POST /proposals/{id}/approval",
        policy.ProposalPolicy.decide,
        example={"id": _SAMPLE, "by": "kim"},
        errors=(Conflict, InvalidInput, NotFound),
    )
    def approve(
        self, id: Name, *, by: Name | None = None, digest: Name | None = None, why: str | None = None
    ) -> Proposal:
        """Approve a proposal; it takes effect when enough different people have.

        A rule needs two, one that smells of an attack three, other changes one; the word of who wrote it does not
        count. Pass the `digest` of the words you read: if they were edited meanwhile, that is a conflict. `renew` asks
        whether a learning is still true: approving confirms it. `replace` asks which of two contradicting learnings
        holds: approving keeps the second. `by` is who approves, for callers who act for several people.
        """
        reason, who = checked_text(why or "", "why", _WHY_LIMIT), _voice(by)
        with self._store.recording() as record:
            found = self._log.get(id)
            if found.status is ProposalStatus.APPROVED:
                return self.get(id)
            self._require_pending(found)
            self._require_voice(found, who)
            _require_words(found, digest)
            if not self._holds(found):
                raise Conflict("One of the learnings is no longer active.", hint="Reject the proposal.")
            self._require_peace(found)
            meta = {"digest": found.digest, **({"why": reason} if reason else {})}
            self._append(record, proposal.APPROVED, found.id, meta, who)
            agreed = self._log.get(id)
            if len(proposal.voices(agreed)) >= agreed.needed:
                if (deed := self._approving.get(agreed.act)) is not None:
                    deed(record, agreed, who)
                record.append([proposal.decided(agreed.id, self._store.clock(), who, approved=True, why=reason)])
                audit(record, "AUDIT_PROPOSAL_APPROVED", Entity(proposal.ENTITY, agreed.id))
            return self.get(id)

    @operation(
        "POST /proposals/{id}/rejection",
        policy.ProposalPolicy.decide,
        example={"id": _SAMPLE, "by": "kim", "why": "It holds for one customer only."},
        errors=(Conflict, InvalidInput, NotFound),
    )
    def reject(
        self, id: Name, *, by: Name | None = None, digest: Name | None = None, why: str | None = None
    ) -> Proposal:
        """Reject a proposal, so that it is not proposed again; a rule, with a reason.

        Pass the `digest` of the words you read to reject nothing else.

        Rejecting `renew` retires the learning, rejecting `replace` keeps the first of the two.
        """
        reason, who = checked_text(why or "", "why", _WHY_LIMIT).strip(), _voice(by)
        with self._store.recording() as record:
            found = self._log.get(id)
            if found.status is ProposalStatus.REJECTED:
                return self.get(id)
            self._require_pending(found)
            _require_words(found, digest)
            if found.act is Act.ADOPT and not reason:
                raise InvalidInput("A rule is rejected with a reason.", hint="Pass `why`: reviewers want to know.")
            if (deed := self._rejecting.get(found.act)) is not None:
                deed(record, found, who)
            record.append([proposal.decided(found.id, self._store.clock(), who, approved=False, why=reason)])
            audit(record, "AUDIT_PROPOSAL_REJECTED", Entity(proposal.ENTITY, found.id))
            return self.get(id)

    @operation(
        "POST /proposals:decide",
        policy.ProposalPolicy.decide,
        example={"ids": [_SAMPLE], "approve": True, "by": "kim"},
        errors=(InvalidInput,),
    )
    def decide(
        self,
        ids: Sequence[Name],
        *,
        approve: bool,
        by: Name | None = None,
        digests: Sequence[Name] | None = None,
        why: str | None = None,
    ) -> list[DecisionResult]:
        """Approve or reject several proposals, each by itself: one that fails does not stop the others.

        Proposals in the slow lane are not approved in a batch. `digests` are those of the words you read, one for each
        id.
        """
        if len(ids) > _MOST_AT_ONCE:
            raise InvalidInput(f"There are {len(ids)} ids; {_MOST_AT_ONCE} are allowed.", hint="Pass fewer at a time.")
        if digests is not None and len(digests) != len(ids):
            raise InvalidInput(f"There are {len(ids)} ids and {len(digests)} digests.", hint="Pass one for each id.")
        _voice(by)
        checked_text(why or "", "why", _WHY_LIMIT)
        for name, values in (("ids", ids), ("digests", digests or ())):
            for value in values:
                identifier(value, name)
        read = dict(zip(ids, digests or (None,) * len(ids), strict=True))
        return [self._decided(id, digest, approve, by, why) for id, digest in read.items()]

    def tend(self) -> dict[str, int]:
        """Remind people of what has waited for a week, and end what nobody answered for a month. Workers call it."""
        caller.owner_only("tend proposals")
        now, counts = self._store.clock(), {"reminded": 0, "expired": 0}
        for found in [one for one in self._log.all() if one.status is ProposalStatus.PENDING]:
            with self._store.recording() as record:
                if found.expires_at <= now:
                    why = "Nobody answered."
                    record.append([proposal.decided(found.id, now, None, approved=False, why=why, expired=True)])
                    counts["expired"] += 1
                else:
                    counts["reminded"] += self._remind(record, found)
        return counts

    def _remind(self, record: Recording, found: Proposal) -> int:
        """Once for each week that it waits."""
        weeks = (self._store.clock() - found.at) // proposal.REMINDER
        id = f"reminder-{weeks}-{found.id}"
        if not weeks or self._store.log.known([id]):
            return 0
        entity = Entity(proposal.ENTITY, found.id)
        draft = noted(proposal.REMINDED, self._store.clock(), entity=entity, meta={"weeks": weeks})
        record.append([draft._replace(id=id, own_id=True)])
        return 1

    @property
    def _log(self) -> ProposalLog:  # not before it is used: a client has none
        return ProposalLog(self._store)

    def _decided(self, id: str, digest: str | None, approve: bool, by: str | None, why: str | None) -> DecisionResult:
        try:
            if approve and self.get(id).lane is Lane.SLOW:
                raise Conflict("It is in the slow lane.", hint="Look at it by itself.")
            decide = self.approve if approve else self.reject
            done = decide(id, by=by, digest=digest, why=why)
        except HeedfulError as error:
            return DecisionResult(id, None, f"{error.message} {error.hint}".strip())
        return DecisionResult(id, done, None)

    # Conditions

    def _pending(self, id: str) -> Proposal:
        found = self._log.get(id)
        self._require_pending(found)
        return found

    def _require_pending(self, found: Proposal) -> None:
        if found.status is not ProposalStatus.PENDING:
            raise Conflict(f"The proposal was already {found.status.value}.", hint="Change the learning itself.")

    def _require_voice(self, found: Proposal, who: str) -> None:
        if found.made_by is not None and one_person(who) == one_person(found.made_by):
            raise Conflict(f"{who} wrote these words.", hint="Others must approve them.")
        if one_person(who) in proposal.voices(found):
            raise Conflict(f"{who} has approved it already.", hint=f"It needs {found.needed} different people.")

    def _require_peace(self, found: Proposal) -> None:
        """An agent must not get two rules that contradict each other for certain."""
        for one in ProposalConflicts(self._store, self._embedder).of(found).conflicts:
            if one.in_force and one.kind in (ConflictKind.CONTRARY, ConflictKind.SAME):
                raise Conflict(
                    f"A rule in force {'contradicts' if one.kind is ConflictKind.CONTRARY else 'says'} it: {one.text}",
                    hint=f"Edit it with replaces=[{one.other!r}], retire that rule, or reject the proposal.",
                )

    def _require_rule(self, id: str) -> None:
        row = self._learnings.get(id)
        if row.kind != RULE.name:
            raise InvalidInput(f"{id} is not a rule.", hint="List them with `heedful rules list`.")

    def _is_listed(self, found: Proposal, wanted: ProposalStatus) -> bool:
        if found.status is not wanted:
            return False
        return wanted is not ProposalStatus.PENDING or (self._holds(found) and not self._was_renewed(found))

    def _holds(self, found: Proposal) -> bool:
        """Whether its learnings are still as it found them. What should replace another one may be out of use."""
        if found.act in (Act.ADOPT, Act.RESUME):
            return True
        try:
            first, *others = map(self._learnings.get, found.learnings)
        except NotFound:
            return False
        return first.status is Status.ACTIVE and all(
            _are_for_the_same(first, other)
            and (other.status is Status.ACTIVE or (found.act is Act.REPLACE and other.superseded_by == first.id))
            for other in others
        )

    def _was_renewed(self, found: Proposal) -> bool:
        return found.act is Act.RENEW and self._learnings.get(found.learnings[0]).renewed_at > found.at

    # What is done

    @property
    def _approving(self) -> Mapping[Act, Deed]:
        return {
            Act.MERGE: self._merge,
            Act.RETIRE: self._retire,
            Act.RENEW: self._confirm,
            Act.REWRITE: self._rewrite,
            Act.REPLACE: self._replace,
            Act.ADOPT: self._adopt,
            Act.RESUME: self._resume,
        }

    @property
    def _rejecting(self) -> Mapping[Act, Deed]:
        """To reject the others changes nothing."""
        return {Act.RENEW: self._retire, Act.REPLACE: self._keep}

    def _adopt(self, record: Recording, found: Proposal, _: str) -> None:
        assert found.rule is not None
        before, after = adopted(found.rule)
        meta = {
            "category": found.rule.type.value,
            "confidence": max(found.confidence, RULE.initial_confidence),
            "evidence": list(found.evidence),
            "benefit": found.benefit,
            "proposal": found.id,
            "approved_by": [approval.by for approval in found.approvals],
        }
        now, id = self._store.clock(), f"rule-{found.id.removeprefix('proposal-')}"
        draft = noted(events.ADOPTED, now, actor=found.made_by, before=before, after=after, meta=meta)
        record.append([draft._replace(id=id, own_id=True)])
        words = self._learnings.get(id).digest
        self._append_to(record, events.APPROVED, id, {"words": words, "version": 1})
        for gone in found.learnings:
            self._append_to(record, events.SUPERSEDED, gone, {"by": id})

    def _resume(self, record: Recording, found: Proposal, who: str) -> None:
        self._append_to(record, events.RESTORED, found.learnings[0], {}, who)

    def _merge(self, record: Recording, found: Proposal, _: str) -> None:
        kept, goes = (self._learnings.get(id) for id in found.learnings)
        self._append_to(record, events.MERGED, goes.id, {"into": kept.id, "layer": "person", "reason": found.reason})
        proof: dict[str, Any] = {"by": goes.id, "confidence": goes.confidence}
        if kept.about is not None and goes.about != kept.about:
            proof["widens"] = True
        self._append_to(record, events.CONFIRMED, kept.id, proof)

    def _retire(self, record: Recording, found: Proposal, who: str) -> None:
        self._learnings.take_out(record, found.learnings[0], found.reason, who)

    def _confirm(self, record: Recording, found: Proposal, who: str) -> None:
        self._append_to(record, events.CONFIRMED, found.learnings[0], {}, who)

    def _rewrite(self, _: Recording, found: Proposal, __: str) -> None:
        content = {**dict.fromkeys(CONTENT_PARTS, ""), **found.content}  # without the parts that it leaves out
        self._learnings.edit(found.learnings[0], title=found.title, content=content)

    def _replace(self, record: Recording, found: Proposal, who: str) -> None:
        old, new = found.learnings
        self._learnings.put_back(record, new, who)
        self._append_to(record, events.SUPERSEDED, old, {"by": new}, who)

    def _keep(self, record: Recording, found: Proposal, who: str) -> None:
        old, new = found.learnings
        if self._holds(found) and self._learnings.get(new).status is Status.ACTIVE:
            self._append_to(record, events.SUPERSEDED, new, {"by": old}, who)

    def _append(
        self,
        record: Recording,
        kind: str,
        id: str,
        meta: dict[str, Any],
        actor: str | None,
        *,
        after: dict[str, Any] | None = None,
    ) -> None:
        now, entity = self._store.clock(), Entity(proposal.ENTITY, id)
        record.append([noted(kind, now, actor=actor, entity=entity, after=after, meta=meta)])

    def _append_to(
        self, record: Recording, kind: str, learning: str, meta: dict[str, Any], who: str | None = None
    ) -> None:
        """`who` decided it; without a name it follows from a decision of several people."""
        actor, entity = caller.actor() if who is None else who, Entity(events.ENTITY, learning)
        record.append([noted(kind, self._store.clock(), actor=actor, entity=entity, meta=meta)])


def _are_for_the_same(one: Learning, other: Learning) -> bool:
    """Whether both are for the team, or for one person."""
    return one.audience is other.audience and (one.audience is Audience.TEAM or one.actor == other.actor)


def _require_words(found: Proposal, digest: str | None) -> None:
    if digest not in (None, found.digest):
        raise Conflict("The proposal was edited after this digest was made.", hint="Read it again.")


def _voice(by: str | None) -> str:
    """Who speaks: the named person, or with a key the key itself, unless it was made for many people."""
    named = None if by is None else identifier(by, "by")
    return caller.voice(named) or caller.actor()


def _changed(old: RuleWords, changes: Mapping[str, Any]) -> RuleWords:
    return _words(**{field.name: changes.get(field.name, getattr(old, field.name)) for field in fields(old)})


def _words(text: str, type: object, agents: Sequence[str], insertion_point: str, before: str, after: str) -> RuleWords:
    said = checked_text(text, "rule", RULE_LIMIT, hint="A rule is a sentence or two.").strip()
    if not said:
        raise InvalidInput("A rule says nothing.", hint="Pass a sentence that tells agents what to do.")
    for name, part in (("rule", said), ("before", before), ("after", after)):
        if visible(checked_text(part, name, _EXAMPLE_LIMIT)) != part:
            raise InvalidInput(f"{name} has characters that cannot be seen.", hint="Remove them.")
    named = tuple(sorted(listed(agents, "agents")))
    if len(named) > MOST_AGENTS:
        raise InvalidInput(f"There are {len(named)} agents; {MOST_AGENTS} can be named.", hint="Name none for all.")
    return RuleWords(said, RuleType.of(type), named, identifier(insertion_point, "insertion_point"), before, after)

"""Proposals: changes to learnings that curation and conflicts leave to people to accept or reject."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from heedful.errors import Conflict, InvalidInput, NotFound
from heedful.govern.learnings import LearningReview
from heedful.learnings.events import CONFIRMED, ENTITY, MERGED, SUPERSEDED
from heedful.operations import caller, policy
from heedful.operations.operation import operation
from heedful.records import proposal
from heedful.records.event import Entity, Event, EventFilter, noted
from heedful.records.insight import CONTENT_PARTS
from heedful.records.learning import Status
from heedful.records.names import Limit, Name, Place, identifier, page_limit, place
from heedful.records.page import Page, every
from heedful.records.proposal import Act, AnyProposalState, Proposal, ProposalState
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.text.checks import checked_text

_SAMPLE = "proposal-5f0c1a9be27d4431"
_WHY_LIMIT = 500
_READ = 200  # proposals that are looked at together

Deed = Callable[[Recording, Proposal], object]


class Proposals:
    """`loop.govern.proposals`"""

    def __init__(self, store: Store, learnings: LearningReview) -> None:
        self._store = store
        self._learnings = learnings

    @operation("GET /proposals", policy.ProposalPolicy.read, example={"answer": "pending"})
    def page(
        self,
        *,
        answer: AnyProposalState | None = ProposalState.PENDING,
        limit: Limit = 100,
        cursor: Place | None = None,
    ) -> Page[Proposal]:
        """List proposed changes to learnings, newest first; pending ones by default.

        Of pending ones, those whose learnings were changed, renewed or retired meanwhile are left out.
        """
        size, wanted = page_limit(limit), None if answer is None else ProposalState.of(answer)
        previous, found = None if cursor is None else place(cursor), list[tuple[int, Proposal]]()
        while len(found) <= size:
            events = self._store.log.page(EventFilter(kind=proposal.MADE, newest_first=True), previous, _READ)
            proposals = [(event.seq, self._proposal(event)) for event in events]
            found += [one for one in proposals if wanted is None or self._is_listed(one[1], wanted)]
            if len(events) < _READ:
                break
            previous = events[-1].seq
        more = str(found[size - 1][0]) if len(found) > size else None
        return Page([one for _, one in found[:size]], more)

    def all(
        self,
        *,
        answer: AnyProposalState | None = ProposalState.PENDING,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[Proposal]:
        """Iterates over all of them, or the first `limit`, reading page by page."""
        return every(self.page, limit, cursor, answer=answer)

    @operation("GET /proposals/{id}", policy.ProposalPolicy.read, example={"id": _SAMPLE}, errors=(NotFound,))
    def get(self, id: Name) -> Proposal:
        """Show one proposal."""
        return self._proposal(self._event(id))

    @operation(
        "POST /proposals/{id}/decision",
        policy.ProposalPolicy.decide,
        example={"id": _SAMPLE, "accept": True},
        errors=(Conflict, InvalidInput, NotFound),
    )
    def decide(self, id: Name, *, accept: bool, why: str | None = None) -> Proposal:
        """Accept a proposal and apply it; or reject it, so that it is not proposed again.

        `renew` asks whether a learning is still true: accepting confirms it, rejecting retires it. `replace` asks which
        of two contradicting learnings holds: accepting keeps the second, rejecting the first.
        """
        if why is not None:
            checked_text(why, "why", _WHY_LIMIT)
        with self._store.recording() as record:
            found = self._proposal(self._event(id))
            if found.answer is not ProposalState.PENDING:
                if (found.answer is ProposalState.ACCEPTED) == accept:
                    return found
                raise Conflict(f"The proposal was already {found.answer.value}.", hint="Change the learning itself.")
            if accept and not self._holds(found):
                raise Conflict("One of the learnings is no longer active.", hint="Reject the proposal.")
            deeds = self._accepting if accept else self._rejecting
            if (deed := deeds.get(found.act)) is not None:
                deed(record, found)
            meta: dict[str, Any] = {"accepted": accept} | ({"why": why} if why else {})
            self._append(record, proposal.DECIDED, Entity(proposal.ENTITY, found.id), meta)
            return self.get(id)

    @property
    def _accepting(self) -> Mapping[Act, Deed]:
        return {
            Act.MERGE: self._merge,
            Act.RETIRE: self._retire,
            Act.RENEW: self._confirm,
            Act.REWRITE: self._rewrite,
            Act.REPLACE: self._replace,
        }

    @property
    def _rejecting(self) -> Mapping[Act, Deed]:
        """To reject the others changes nothing."""
        return {Act.RENEW: self._retire, Act.REPLACE: self._keep}

    def _merge(self, record: Recording, found: Proposal) -> None:
        kept, goes = (self._learnings.get(id) for id in found.learnings)
        meta = {"into": kept.id, "layer": "person", "reason": found.reason}
        self._append(record, MERGED, Entity(ENTITY, goes.id), meta)
        proof: dict[str, Any] = {"by": goes.id, "confidence": goes.confidence}
        if kept.about is not None and goes.about != kept.about:
            proof["widens"] = True
        self._append(record, CONFIRMED, Entity(ENTITY, kept.id), proof)

    def _retire(self, _: Recording, found: Proposal) -> None:
        self._learnings.retire(found.learnings[0], why=found.reason)

    def _confirm(self, record: Recording, found: Proposal) -> None:
        self._append(record, CONFIRMED, Entity(ENTITY, found.learnings[0]), {})

    def _rewrite(self, _: Recording, found: Proposal) -> None:
        content = {**dict.fromkeys(CONTENT_PARTS, ""), **found.content}  # without the parts that it leaves out
        self._learnings.edit(found.learnings[0], title=found.title, content=content)

    def _replace(self, record: Recording, found: Proposal) -> None:
        old, new = found.learnings
        self._learnings.restore(new)
        self._append(record, SUPERSEDED, Entity(ENTITY, old), {"by": new})

    def _keep(self, record: Recording, found: Proposal) -> None:
        old, new = found.learnings
        if self._holds(found) and self._learnings.get(new).status is Status.ACTIVE:
            self._append(record, SUPERSEDED, Entity(ENTITY, new), {"by": old})

    def _is_listed(self, found: Proposal, wanted: ProposalState) -> bool:
        if found.answer is not wanted:
            return False
        return wanted is not ProposalState.PENDING or (self._holds(found) and not self._was_renewed(found))

    def _holds(self, found: Proposal) -> bool:
        """Whether its learnings are still as it found them. What should replace another one may be out of use."""
        try:
            first, *others = map(self._learnings.get, found.learnings)
        except NotFound:
            return False
        return first.status is Status.ACTIVE and all(
            other.status is Status.ACTIVE or (found.act is Act.REPLACE and other.superseded_by == first.id)
            for other in others
        )

    def _was_renewed(self, found: Proposal) -> bool:
        return found.act is Act.RENEW and self._learnings.get(found.learnings[0]).renewed_at > found.at

    def _event(self, id: str) -> Event:
        event = self._store.log.get(identifier(id, "id"))
        if event is None or event.kind != proposal.MADE:
            raise NotFound(f"There is no proposal {id!r} here.", hint="List them with `heedful proposals list`.")
        return event

    def _proposal(self, event: Event) -> Proposal:
        entity = Entity(proposal.ENTITY, event.id)
        decided = self._store.log.page(EventFilter(kind=proposal.DECIDED, entity=entity), None, 1)
        return proposal.proposal(event, decided[0] if decided else None)

    def _append(self, record: Recording, kind: str, entity: Entity, meta: dict[str, Any]) -> None:
        record.append([noted(kind, self._store.clock(), actor=caller.actor(), entity=entity, meta=meta)])

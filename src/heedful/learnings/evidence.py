"""Takes reviews out of what was made of them: proposals of rules, rules, and evaluations of similar reviews.

A rule that stands on enough other reviews stays, unless it has words that only the erased ones had. Otherwise it goes,
and what is left is proposed again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from heedful.learnings.erased import Erased
from heedful.learnings.events import EVALUATED, OPPOSED, RECURRED
from heedful.learnings.kinds.rule import RULE
from heedful.learnings.proposals import ProposalLog
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.records import proposal
from heedful.records.event import Entity, Event, EventFilter, noted
from heedful.records.job import JobRequest
from heedful.records.json import encode, strings
from heedful.records.proposal import Act, Proposal, ProposalStatus
from heedful.records.review import ENOUGH, EVALUATE_JOB, PEOPLE, PROPOSE_JOB
from heedful.store import Store
from heedful.store.recording import Recording
from heedful.text.terms import terms

_WORD = re.compile(r"\w+")
_EVALUATED_AGAIN = "One of the reviews like it was erased."


class ReviewEvidence:
    def __init__(
        self, store: Store, record: Recording, erased: Erased, forget: Callable[[Sequence[LearningRow]], None]
    ) -> None:
        self._store = store
        self._table = LearningTable(store)
        self._record = record
        self._erased = erased
        self._forget = forget

    def erase(self, reviews: Sequence[Event]) -> None:
        """Before the reviews themselves are erased."""
        gone = {event.id for event in reviews}
        self._erase_notes(gone)
        self._evaluate_again(gone)
        rules = {row.first.meta.get("proposal"): row for row in self._table.each({"kind": RULE.name})}
        for found in list(ProposalLog(self._store).all(Act.ADOPT)):
            if gone & self._named(found):
                self._reduce(found, rules.get(found.id), reviews, gone)

    def _erase_notes(self, gone: set[str]) -> None:
        """That a rule did not prevent what a reviewer said, or that the reviewer wants the contrary."""
        for kind in (RECURRED, OPPOSED):
            notes = [
                event for event in self._store.log.each(EventFilter(kind=kind)) if event.meta.get("review") in gone
            ]
            self._erased.erase(self._record, notes)

    def _evaluate_again(self, gone: set[str]) -> None:
        """Their reasons may quote it."""
        affected = [
            event
            for event in self._store.log.each(EventFilter(kind=EVALUATED))
            if gone & set(event.meta.get("similar", ())) and event.entity is not None and event.entity.id not in gone
        ]

        def without(event: Event) -> Event:
            meta = dict(event.meta)
            similar = [id for id in meta["similar"] if id not in gone]
            return event._replace(meta_json=encode({**meta, "similar": similar, "reason": _EVALUATED_AGAIN}))

        self._erased.rewrite(self._record, affected, without)
        ids = sorted({event.entity.id for event in affected if event.entity is not None})
        self._record.queue([JobRequest(EVALUATE_JOB, {"review": id}, key=id, priority=1) for id in ids])

    def _named(self, found: Proposal) -> set[str]:
        """All reviews that any event of the proposal names."""
        return {id for event in self._events(found) for id in event.meta.get("evidence", ())}

    def _events(self, found: Proposal) -> list[Event]:
        return events_of_proposal(self._store, found.id)

    def _reduce(self, found: Proposal, rule: LearningRow | None, reviews: Sequence[Event], gone: set[str]) -> None:
        left = [event for id, event in self._store.log.known(list(found.evidence)).items() if id not in gone]
        by_people = found.made_by is not None
        enough = len(left) >= ENOUGH and len({event.meta.get("voice") for event in left}) >= PEOPLE
        agreed = found.status is not ProposalStatus.PENDING or bool(found.approvals)  # by others: theirs is erased
        stays = by_people or (bool(left) and (enough or agreed))
        self._erased.proposals.add(found.id)
        if not stays or self._is_quoting(found, reviews, left):
            self._erased.erase(self._record, self._events(found))
            if rule is not None:
                self._forget([rule])
            self._record.queue([JobRequest(PROPOSE_JOB, key="all")])
            return
        events = [*self._events(found), *([] if rule is None else [rule.first])]
        self._erased.rewrite(self._record, events, lambda event: _without(event, gone))

    def _is_quoting(self, found: Proposal, reviews: Sequence[Event], left: Sequence[Event]) -> bool:
        """Whether the rule has words that only the erased reviews had. `stored` is no other word than `store`, and
        those that everybody uses are nobody's."""
        rule = found.rule
        if rule is None:
            return False
        texts = [rule.text, rule.before, rule.after]
        others = _words(map(_said, left))
        theirs = _words(texts) & _words(map(_said, reviews)) - others
        telling = set(terms("\n".join(texts)))
        return bool(theirs) and bool(_terms(theirs) & telling - _terms(others))


def events_of_proposal(store: Store, id: str) -> list[Event]:
    """Without the audit trail, which names nobody but who acted."""
    return [event for event in store.log.about(proposal.ENTITY, [id]) if event.kind in proposal.KINDS]


def reopen(store: Store, record: Recording, erased: Erased, rule: LearningRow) -> None:
    """Takes back the decision that put a rule into force: its proposal waits for people again, as long as a new one.
    The rule is erased by the caller."""
    made = store.log.get(str(rule.first.meta.get("proposal")))
    if made is None or made.kind != proposal.MADE:
        return
    about = Entity(proposal.ENTITY, made.id)
    erased.erase(record, list(store.log.each(EventFilter(kind=proposal.DECIDED, entity=about))))
    erased.proposals.add(made.id)
    erased.append(record, [noted(proposal.EDITED, store.clock(), entity=about)])


def _without(event: Event, gone: set[str]) -> Event:
    meta: dict[str, Any] = dict(event.meta)
    if not gone & set(meta.get("evidence", ())):
        return event
    left = [id for id in meta["evidence"] if id not in gone]
    meta["evidence"] = left
    if "summary" in meta:  # it quotes what people said
        meta["summary"] = f"{len(left)} reviews."
    if "reason" in meta:
        meta["reason"] = f"{len(left)} reviews say so."
    return event._replace(meta_json=encode(meta))


def _said(event: Event) -> str:
    return "\n".join(strings([event.before, event.after, event.meta]))


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _WORD.findall(text.casefold())}


def _terms(words: Iterable[str]) -> set[str]:
    """Of each word by itself: there may be more than `terms` reads of one text."""
    return {term for word in words for term in terms(word)}

"""Evaluates a review: those like it, its class by the criteria or by a language model, and what should follow."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from heedful.errors import ProviderError
from heedful.learn.reviews.clusters import ALIKE, SAME_TAG, nearness
from heedful.learn.reviews.criteria import Facts, classified
from heedful.learn.reviews.model import classified_by_model
from heedful.learnings.events import ENTITY, EVALUATED, OPPOSED, RECURRED
from heedful.learnings.kinds.remark import REMARK
from heedful.learnings.reviews import ReviewLog, evaluation
from heedful.learnings.rules import Rules
from heedful.learnings.search import Search
from heedful.records.embedding import Meaning, meaning
from heedful.records.event import Draft, Entity, Event, EventFilter, noted
from heedful.records.job import JobRequest
from heedful.records.outside import Outside
from heedful.records.reading import Exchange, Reading
from heedful.records.review import PROPOSE_JOB, Action, Classification, Evaluation, Review, ReviewDecision
from heedful.records.rule import Rule
from heedful.store import Store
from heedful.text.contradictions import contrast

_LOG = logging.getLogger(__name__)
_SIMILAR = 20  # at most
_SAID_AGAIN = 0.5  # cosine of a remark and a rule in force that says the same
PROPOSE = JobRequest(PROPOSE_JOB, key="all")


class Evaluator:
    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside
        self._reviews = ReviewLog(store)

    def evaluate(self, id: str) -> Evaluation:
        """The evaluation of a review. The same review with the same ones beside it has the same evaluation."""
        event = self._reviews.event(id)
        words = REMARK.wording(event)
        if words is None:
            found = self._reviews.evaluation(event)
            assert found is not None  # what says nothing needs no evaluation
            return found
        gist = meaning(self._outside.embedder, words.gist())
        similar = self._similar(event, gist)
        facts = self._facts(event, similar, gist)
        local, confidence, rationale = classified(facts)
        meta: dict[str, Any] = {"category": local.value, "confidence": confidence, "reason": rationale, "by": "local"}
        meta |= {"local": local.value, "similar": [one.id for one in facts.similar]}
        meta |= self._by_model(facts)
        meta |= _action(facts, Classification(meta["category"]))
        return self._record(event, meta, facts)

    def similar(self, event: Event, threshold: float, limit: int) -> list[tuple[Event, float]]:
        """Reviews whose meaning is near, nearest first."""
        words = REMARK.wording(event)
        gist = None if words is None else meaning(self._outside.embedder, words.gist())
        return [] if gist is None or words is None else self._near(event, gist, threshold, limit)

    def _similar(self, event: Event, gist: Meaning | None) -> list[Event]:
        """Those that clustering would call alike: of the same agent, and nearer if they have no tag in common."""
        if gist is None:
            return []
        ours = frozenset(event.meta.get("tags", ()))
        near = self._near(event, gist, ALIKE - SAME_TAG, 2 * _SIMILAR)
        alike = [
            (other, nearness(cosine, ours, frozenset(other.meta.get("tags", ()))))
            for other, cosine in near
            if other.entity == event.entity and other.meta["decision"] != ReviewDecision.APPROVED
        ]
        return [other for other, cosine in sorted(alike, key=lambda one: -one[1]) if cosine >= ALIKE][:_SIMILAR]

    def _near(self, event: Event, gist: Meaning, threshold: float, limit: int) -> list[tuple[Event, float]]:
        wanted = {"kind": REMARK.name, "status": "active"}
        found = Search(self._store).nearest(gist, limit + 1, wanted)
        near = [(hit.row.first, hit.cosine or 0.0) for hit in found if hit.row.state.id != event.id]
        return [one for one in near if one[1] >= threshold][:limit]

    def _facts(self, event: Event, similar: Sequence[Event], gist: Meaning | None) -> Facts:
        review, alike = self._reviews.of(event), [self._reviews.of(one) for one in similar]
        voices = {one.meta.get("voice") for one in (event, *similar)} - {None}
        tasks = {(one.task or one.id) for one in (review, *alike)}
        reading = self._reading(review) if review.comment else None
        again = self._said_by_rule(review, gist)
        return Facts(review, alike, max(1, len(voices)), len(tasks), _disagreement(review, alike), reading, again)

    def _reading(self, review: Review) -> Reading:
        return self._outside.reader.read(Exchange(review.task or "", review.output, review.comment))

    def _said_by_rule(self, review: Review, gist: Meaning | None) -> str | None:
        """The rule in force that should have prevented it."""
        if gist is None or review.decision is ReviewDecision.APPROVED:
            return None
        rules = [rule for rule in Rules(self._store).in_force(review.agent) if rule.at <= review.at]
        near = [(self._nearness(rule, gist, review), rule) for rule in rules]
        best = max(near, key=lambda one: (one[0], one[1].id), default=None)
        return best[1].id if best is not None and best[0] >= _SAID_AGAIN else None

    def _nearness(self, rule: Rule, gist: Meaning, review: Review) -> float:
        """To the rule itself, or to one of the remarks that it was made of."""
        found = Search(self._store).cosines(gist, [rule.id, *rule.evidence])
        said = meaning(self._outside.embedder, review.comment) if review.comment else None
        own = 0.0 if said is None else Search(self._store).cosines(said, [rule.id]).get(rule.id, 0.0)
        return max([own, *found.values()], default=0.0)

    def _by_model(self, facts: Facts) -> Mapping[str, Any]:
        if self._outside.language is None:
            return {}
        try:
            return classified_by_model(self._outside.language, facts)
        except ProviderError as error:
            _LOG.warning("a review was evaluated by the criteria only: %s", error.code)
            return {"unanswered": error.code}

    def _record(self, event: Event, meta: Mapping[str, Any], facts: Facts) -> Evaluation:
        now = self._store.clock()
        entity = Entity(ENTITY, event.id)
        with self._store.recording() as record:
            before = self._store.log.page(EventFilter(kind=EVALUATED, entity=entity, newest_first=True), None, 1)
            if before and before[0].meta == (meta := _still_linked(meta, before[0])):
                return evaluation(before[0])
            drafts = [noted(EVALUATED, now, entity=entity, meta=dict(meta)), *self._about_rules(event, facts)]
            done = record.append(drafts)[0]
            if meta["category"] == Classification.GENERALIZABLE_HIGH:
                record.queue([PROPOSE])
        return evaluation(done)

    def _about_rules(self, event: Event, facts: Facts) -> list[Draft]:
        """Notes, once, that a rule in force did not prevent it, or that the reviewer wants the contrary."""
        review, found = facts.review, list[Draft]()
        rules = {rule.id: rule for rule in Rules(self._store).in_force(review.agent) if rule.at <= review.at}
        for rule in rules.values():
            contrary = contrast(review.comment, rule.text) if review.comment else None
            opposed = contrary is not None and contrary.sure
            if not opposed and rule.id != facts.again:
                continue
            kind = OPPOSED if opposed else RECURRED
            meta = {"review": event.id, "voice": event.meta.get("voice", "")}
            id = f"{kind.lower()}-{rule.id}-{event.id}"[-190:]
            draft = noted(kind, self._store.clock(), entity=Entity(ENTITY, rule.id), meta=meta)
            if not self._store.log.known([id]):
                found.append(draft._replace(id=id, own_id=True))
        return found


def _still_linked(meta: Mapping[str, Any], before: Event) -> Mapping[str, Any]:
    """With the proposal that the review became evidence for."""
    proposal = before.meta.get("action", {}).get("proposal")
    if proposal is None or "action" not in meta:
        return meta
    return {**meta, "action": {**meta["action"], "proposal": proposal}}


def _disagreement(review: Review, similar: Sequence[Review]) -> str:
    for other in similar:
        if review.comment and other.comment and other.reviewer != review.reviewer:
            found = contrast(review.comment, other.comment)
            if found is not None and found.sure:
                return str(found)
        for edit in review.edits:
            if any((edit.before, edit.after) == (back.after, back.before) for back in other.edits):
                return "One changed it this way, and another one back."
    return ""


def _action(facts: Facts, classification: Classification) -> dict[str, Any]:
    agents = {facts.review.agent, *(one.agent for one in facts.similar)}
    if classification is Classification.POSITIVE:
        return {}
    if facts.again is not None:
        type = Action.REFINE_PROMPT
    elif classification is Classification.GENERALIZABLE_HIGH:
        type = Action.UPDATE_SKILL if len(agents) > 1 else Action.CREATE_RULE
    else:
        type = Action.DOCUMENT_ONLY
    return {"action": {"type": type.value, "agent": facts.review.agent}}

"""Turns clusters of remarks into proposals of rules, in batches.

A proposal belongs to the reviews it was made of. When more reviews join its cluster, the pending proposal gets them as
evidence; a cluster that people rejected is not proposed again until twice as many say so; and what a rule in force says
already is evidence of how well the rule works, not of another rule.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from heedful.errors import ProviderError
from heedful.learn.reviews.clusters import ALIKE, PERHAPS_ALIKE, Cluster, Clustered, clusters
from heedful.learn.reviews.model import drafted_by_model
from heedful.learn.reviews.wording import Judgement, RuleCandidate, RuleDraft, drafted
from heedful.learnings.kinds.remark import REMARK
from heedful.learnings.proposals import ProposalLog
from heedful.learnings.reviews import ReviewLog, linked
from heedful.learnings.rules import Rules
from heedful.learnings.search import Search
from heedful.learnings.table import LearningTable
from heedful.records import proposal
from heedful.records.embedding import meanings
from heedful.records.event import Entity, EventFilter, noted
from heedful.records.outside import Outside
from heedful.records.proposal import Act, Proposal, ProposalStatus
from heedful.records.reading import Exchange
from heedful.records.review import AGENT, ENOUGH, PEOPLE, REVIEWED, Review, ReviewDecision
from heedful.records.rule import INSERTION_POINT, RuleWords
from heedful.store import Store
from heedful.text.checks import clipped

_LOG = logging.getLogger(__name__)
_TASKS = 2
_PER_PERSON = 3  # reviews of one person that count: nobody makes a rule by saying it a hundred times
_EVIDENCE = 30  # reviews that a proposal names
_READ = 12  # reviews whose words are looked at for a rule
_SAME_CLUSTER = 0.5  # of the evidence of a proposal that a cluster must have to be the same
_TWICE = 2
_QUOTES = 3
_QUOTE = 140
_AT_ONCE = 50  # new proposals: people read them, and the largest clusters come first


class ClusterEvidence(NamedTuple):
    """A cluster with what it needs to be a rule."""

    reviews: list[Review]
    ids: tuple[str, ...]
    """All of them; `reviews` are the nearest to the centre."""
    people: int
    tasks: int


class RuleProposer:
    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._outside = outside
        self._reviews = ReviewLog(store)
        self._log = ProposalLog(store)

    def propose(self, progress: Callable[[int], object] = lambda _: None) -> list[Proposal]:
        """The new proposals, and those that got more evidence."""
        found = clusters(self._remarks(), ALIKE if self._outside.language is None else PERHAPS_ALIKE)
        known = [*self._log.all(Act.ADOPT)]
        adopted = {id for rule in Rules(self._store).all(None) for id in rule.evidence}
        done: list[Proposal] = []
        for cluster in found:
            progress(1)
            if len(cluster.members) < ENOUGH or len(done) >= _AT_ONCE:
                break  # the largest come first
            done += self._proposed(cluster, known, adopted)
        return done

    def _remarks(self) -> list[Clustered]:
        """Of reviews that wanted something changed."""
        table = LearningTable(self._store)
        rows = {
            row.state.no: row
            for row in table.each({"kind": REMARK.name, "status": "active"})
            if row.first.meta["decision"] != ReviewDecision.APPROVED
        }
        vectors = Search(self._store).vectors(self._outside.embedder.name, list(rows))
        return [
            Clustered(row.state.id, row.state.scope or "", frozenset(row.first.meta.get("tags", ())), vectors[no])
            for no, row in rows.items()
            if no in vectors
        ]

    def _proposed(self, cluster: Cluster, known: Sequence[Proposal], adopted: set[str]) -> list[Proposal]:
        members = set(cluster.members)
        if len(members & adopted) >= _SAME_CLUSTER * len(members):
            return []
        same = [one for one in known if len(members & set(one.evidence)) >= _SAME_CLUSTER * max(1, len(one.evidence))]
        pending = next((one for one in same if one.status is ProposalStatus.PENDING), None)
        turned_down = [one for one in same if one.status in (ProposalStatus.REJECTED, ProposalStatus.EXPIRED)]
        if pending is None and any(len(members) < _TWICE * len(one.evidence) for one in turned_down):
            return []
        if pending is not None and members <= set(pending.evidence):
            return []
        evidence = self._evidence(cluster)
        if evidence.people < PEOPLE or evidence.tasks < _TASKS:
            return []
        if pending is not None:
            return self._grown(pending, evidence)
        return self._made(f"{cluster.centre}/{len(turned_down)}", evidence)

    def _evidence(self, cluster: Cluster) -> ClusterEvidence:
        events = self._store.log.known(cluster.members)
        voices = [events[id].meta.get("voice") or "" for id in cluster.members if id in events]
        counted: Counter[str] = Counter()
        kept: list[str] = []
        for id, voice in zip(cluster.members, voices, strict=False):
            counted[voice] += 1
            if counted[voice] <= _PER_PERSON:
                kept.append(id)
        tasks = {events[id].meta.get("task") or id for id in kept}
        reviews = self._reviews.known(kept[:_READ])
        return ClusterEvidence(reviews, tuple(kept[:_EVIDENCE]), len(set(voices)), len(tasks))

    def _made(self, key: str, evidence: ClusterEvidence) -> list[Proposal]:
        if len(evidence.ids) < ENOUGH:
            return []
        words = self._words(evidence)
        if words is None:
            return []
        rule, confidence, by = words
        meta = {**self._facts(evidence), "confidence": confidence, "by": by}
        reason = f"{len(evidence.ids)} reviews by {evidence.people} people say so."
        draft = proposal.made(self._store.clock(), Act.ADOPT, (), reason, rule=rule, meta=meta, key=key)
        with self._store.recording() as record:
            if self._store.log.known([draft.id]):
                return []
            known = [linked(self._store, id, draft.id) for id in evidence.ids]
            record.append_new([draft, *(one for one in known if one is not None)])
        return [self._log.get(draft.id)]

    def _grown(self, pending: Proposal, evidence: ClusterEvidence) -> list[Proposal]:
        """More evidence for the same words: those who agreed need not be asked again."""
        meta = self._facts(evidence)
        entity = Entity(proposal.ENTITY, pending.id)
        self._store.record([noted(proposal.EDITED, self._store.clock(), entity=entity, meta=meta)])
        return [self._log.get(pending.id)]

    def _facts(self, evidence: ClusterEvidence) -> dict[str, Any]:
        agents = Counter(review.agent for review in evidence.reviews)
        return {
            "evidence": list(evidence.ids),
            "summary": _summary(evidence),
            "benefit": round(max((self._share(agent, evidence) for agent in agents), default=0.0), 3),
        }

    def _share(self, agent: str, evidence: ClusterEvidence) -> float:
        """Of the agent's outputs that were reviewed in the same time."""
        since = min(review.at for review in evidence.reviews)
        wanted = EventFilter(kind=REVIEWED, entity=Entity(AGENT, agent), since=since)
        total = self._store.log.count(wanted, self._store.log.head())
        return min(1.0, len(evidence.ids) / total) if total else 0.0

    def _words(self, evidence: ClusterEvidence) -> tuple[RuleWords, float, str] | None:
        agents = tuple(sorted({review.agent for review in evidence.reviews}))
        draft = drafted(evidence.reviews, partial(self._judged, evidence.reviews))
        by_model = self._by_model(evidence.reviews)
        if by_model is not None:
            text, kind, members, model = by_model
            example = draft or RuleDraft(text, kind, "", "", 1.0)
            rule = RuleWords(text, kind, agents, INSERTION_POINT, example.before, example.after)
            return (rule, _sure(evidence, 1.0), model) if len(members) >= ENOUGH else None
        if draft is None:
            return None
        rule = RuleWords(draft.text, draft.type, agents, INSERTION_POINT, draft.before, draft.after)
        return rule, _sure(evidence, draft.quality), "local"

    def _by_model(self, reviews: Sequence[Review]) -> Any:
        if self._outside.language is None:
            return None
        try:
            return drafted_by_model(self._outside.language, reviews)
        except ProviderError as error:
            _LOG.warning("a rule was worded locally: %s", error.code)
            return None

    def _judged(self, reviews: Sequence[Review], candidates: Sequence[RuleCandidate]) -> list[Judgement]:
        said = [review.comment or review.summary for review in reviews]
        made = meanings(self._outside.embedder, [*said, *(one.text for one in candidates)])
        near = [0.0] * len(candidates)
        if made is not None:
            centre = sum((one.vector for one in made[1 : len(said)]), start=made[0].vector) / len(said)
            near = [float(one.vector @ centre) for one in made[len(said) :]]
        return [Judgement(*pair) for pair in zip(near, map(self._always, candidates), strict=True)]

    def _always(self, candidate: RuleCandidate) -> float:
        review = candidate.review
        return self._outside.reader.read(Exchange(review.task or "", review.output, review.comment)).always


def _sure(evidence: ClusterEvidence, quality: float) -> float:
    many = min(1.0, len(evidence.ids) / 6) * 0.4 + min(1.0, evidence.people / 4) * 0.3
    return round(min(0.99, 0.1 + many + 0.2 * quality), 3)


def _summary(evidence: ClusterEvidence) -> str:
    """The evidence in words: how much, since when, and what people said."""
    first, last = min(one.at for one in evidence.reviews), max(one.at for one in evidence.reviews)
    dates = f"on {first:%Y-%m-%d}" if first.date() == last.date() else f"from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
    count = f"{len(evidence.ids)} reviews of {evidence.tasks} tasks by {evidence.people} people, {dates}."
    said = [clipped(one.comment, _QUOTE) for one in evidence.reviews if one.comment]
    quotes = " ".join(f"“{text}”" for text in dict.fromkeys(said[:_QUOTES]))
    changed = Counter(one.decision for one in evidence.reviews)[ReviewDecision.APPROVED_WITH_CHANGES]
    by_hand = f"{changed} of them {'was' if changed == 1 else 'were'} changed by hand." if changed else ""
    return " ".join(part for part in (count, by_hand, quotes) if part)

"""The context of a task: what matters for it, from every kind of feedback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from uuid_utils import uuid7

from heedful.apply.suggestions.decisions import rule_decisions, rule_patterns
from heedful.apply.templates import LAYOUTS, messages
from heedful.learnings.composing import Candidate, candidate, compose
from heedful.learnings.deeds import DECISION, EXAMPLE
from heedful.learnings.documents.document_mappings import document_mappings
from heedful.learnings.documents.examples import example_events, example_of, in_words
from heedful.learnings.documents.library import Library, family_of, layout_of
from heedful.learnings.events import APPLIED, ENTITY
from heedful.learnings.exposures import outcomes_reported
from heedful.learnings.holdout import is_withheld
from heedful.learnings.kinds import KINDS
from heedful.learnings.kinds.rule import RULE
from heedful.learnings.lifts import benefits
from heedful.learnings.relevance import Retrieval
from heedful.learnings.standing import constraints
from heedful.learnings.table import OWN_OR_NO_OWNER, OWN_OR_NO_SCOPE, LearningTable
from heedful.operations import caller
from heedful.records.context import CONTEXT_GIVEN, Context, Template
from heedful.records.document import EXAMPLES
from heedful.records.event import Draft, Entity, Event, noted
from heedful.records.learning import Audience, Status
from heedful.records.learnings import MATCHED, AnyLearning
from heedful.records.outcome import UNIT
from heedful.records.outside import Outside
from heedful.records.rule import Rule
from heedful.store import Store
from heedful.text.fence import line

_WISHES = 10  # that nobody approved
_GATHERED = 12  # of each kind, for a context
_EXAMPLE = 0.5  # the relevance of the newest example of a layout; of the others less
_EXAMPLE_LONG = 400  # characters
_LAYOUT = "corrected on a document of the same layout"


@dataclass(frozen=True, slots=True)
class Task:
    """What a context is for. Names are checked."""

    query: str = ""
    agent: str | None = None
    owner: str = ""
    """The pseudonym of the person that the output is for."""
    about: str | None = None
    rule: str | None = None
    document: str | None = None


class ContextComposer:
    def __init__(self, store: Store, outside: Outside) -> None:
        self._store = store
        self._retrieval = Retrieval(store, outside)

    def context(
        self, task: Task, *, budget: int, template: Template, unit: str | None = None, hold_out: float = 0.0
    ) -> Context:
        id = str(uuid7())
        unit = unit or task.document or id
        share = hold_out if hold_out and outcomes_reported(self._store) else 0.0  # without outcomes it would only cost
        examples = self._examples(task.document)
        candidates = self._ranked(list(self._gathered(task, examples)))
        made = compose(candidates, budget, LAYOUTS[template], lambda learning: is_withheld(learning, unit, share))
        made = replace(
            made,
            messages=messages(template, made.text),
            hint_examples=tuple(map(example_of, examples)),
            notes=(*made.notes, *self._overruled(made, candidates)),
        )
        if not made.pieces and not made.withheld:
            return made
        self._store.record(self._exposure(id, unit, task, made, candidates, share))
        return replace(made, id=id)

    def _gathered(self, task: Task, examples: Sequence[Event]) -> Iterator[Candidate]:
        if task.rule is not None:
            yield from rule_patterns(self._store, task.rule)
            yield from rule_decisions(self._store, task.rule, task.owner)
        if task.document is not None:
            for found in document_mappings(self._store, Library(self._store).event(task.document), _GATHERED):
                whose = f"of {found.customer}" if found.customer is not None else "for all customers"
                often = "once" if found.support_count == 1 else f"{found.support_count:,} times"
                yield candidate(found, found.confidence, f"mapping {whose}, confirmed {often}")
        for number, event in enumerate(examples, 1):
            yield Candidate(event.id, EXAMPLE, _example(event), _EXAMPLE / number, 1, _LAYOUT)
        if not LearningTable(self._store).count():
            return
        for match in constraints(self._store, task.about, task.owner, task.agent):
            yield candidate(match.learning, match.relevance, _standing(match.learning, task), constraint=True)
        for match in self._retrieval.standing_wishes(_WISHES, task.about, task.owner):
            yield candidate(match.learning, match.relevance, _standing(match.learning, task), constraint=True)
        if task.query.strip():
            yield from self._relevant(task)

    def _relevant(self, task: Task) -> Iterator[Candidate]:
        # Rules for other agents are none of this one's business.
        kinds = [kind.name for kind in KINDS.values() if kind.given and (kind is not RULE or task.agent is None)]
        wanted = {"status": Status.ACTIVE.value, OWN_OR_NO_SCOPE: task.about, OWN_OR_NO_OWNER: task.owner}
        found = self._retrieval.relevant(task.query, _GATHERED, kinds, wanted)
        self._store.notify(MATCHED, [one.match for one in found])
        for one in found:
            yield candidate(one.match.learning, one.match.relevance, one.why)

    def _ranked(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """On one scale: relevance and confidence, times the measured benefit."""
        learnings = list(dict.fromkeys(one.id for one in candidates if one.learning is not None))
        factors = benefits(self._store, learnings)
        return [one._replace(relevance=one.relevance * factors.get(one.id, 1.0)) for one in candidates]

    def _overruled(self, made: Context, candidates: Sequence[Candidate]) -> Iterator[str]:
        """What is not there because people disagreed, and somebody decided, or will."""
        waiting = {id for one in candidates if one.learning is not None for id in one.learning.questioned_by}
        for gone, instead in LearningTable(self._store).overruled([piece.id for piece in made.pieces]):
            until = "until somebody decides" if gone in waiting else "instead"
            yield line(f"[{gone}] is left out: it contradicts [{instead}], which holds {until}.")

    def _examples(self, document: str | None) -> list[Event]:
        if document is None:
            return []
        event = Library(self._store).event(document)
        return example_events(self._store, layout_of(event), family_of(event), EXAMPLES)

    def _exposure(
        self, id: str, unit: str, task: Task, made: Context, candidates: Sequence[Candidate], share: float
    ) -> list[Draft]:
        """With what chance could have withheld: only that is compared with what it did withhold."""
        learnings = {one.id for one in candidates if one.learning is not None}
        measurable = {one.id for one in candidates if one.measurable}
        shown = [piece.id for piece in made.pieces if piece.id in learnings]
        measured = [piece.id for piece in made.pieces if piece.id in measurable and not piece.constraint]
        named = {
            "decisions": [piece.id for piece in made.pieces if piece.kind == DECISION] or None,
            "examples": [piece.id for piece in made.pieces if piece.kind == EXAMPLE] or None,
            "measured": measured if share else None,
            "share": share or None,
            "agent": task.agent,
            "user": task.owner or None,
            "about": task.about,
            "rule": task.rule,
            "document": task.document,
        }
        given = {"learnings": shown, "withheld": list(made.withheld), "tokens": made.tokens}
        meta = {**given, **{name: value for name, value in named.items() if value is not None}}
        at, actor = self._store.clock(), caller.actor()
        draft = noted(CONTEXT_GIVEN, at, actor=actor, entity=Entity(UNIT, unit), meta=meta)
        return [
            draft._replace(id=id),
            *(noted(APPLIED, at, actor=actor, entity=Entity(ENTITY, one), meta={"context": id}) for one in shown),
        ]


def _example(event: Event) -> str:
    return line(f"{EXAMPLE}: {in_words(example_of(event))}", _EXAMPLE_LONG)


def _standing(learning: AnyLearning, task: Task) -> str:
    if isinstance(learning, Rule):
        whom = f"for {task.agent}" if task.agent is not None and learning.agents else "for all agents"
        people = len(learning.approved_by)
        return f"rule in force {whom}, approved by {people} {'person' if people == 1 else 'people'}"
    where = f"in {learning.about}" if learning.about is not None else "everywhere"
    whose = "for this person" if learning.audience is Audience.ME else where
    return f"always holds {whose}{', approved' if learning.approved else ''}"

"""Why a learning is believed: from a line of a prompt back to what people did, as it is known now or was earlier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from heedful.errors import NotFound
from heedful.learnings import deeds, events
from heedful.learnings.changes import edits
from heedful.learnings.content import quote
from heedful.learnings.deeds import Deed, Telling
from heedful.learnings.disputes import asked_about, contrary, with_disputes
from heedful.learnings.documents.examples import example_of, in_words
from heedful.learnings.exposures import exposures
from heedful.learnings.fold import advanced
from heedful.learnings.kinds import KINDS, kind_of, record_of
from heedful.learnings.kinds.insight import INSIGHT, proof_of
from heedful.learnings.kinds.mapping import MAPPING
from heedful.learnings.kinds.pattern import PATTERN
from heedful.learnings.kinds.rule import RULE
from heedful.learnings.known_at import ALWAYS, NOW, Moment, known_since, moment_of, with_it
from heedful.learnings.lifts import lift_of
from heedful.learnings.outcomes import values_by_context
from heedful.learnings.patterns.counts import SuggestionTallies
from heedful.learnings.patterns.tallies import DecisionCounts
from heedful.learnings.patterns.wanted_patterns import learning_id
from heedful.learnings.row import LearningRow
from heedful.learnings.table import LearningTable
from heedful.learnings.why_graph import Explained, Story, context_graph, learning_graph, minute
from heedful.records import mapping, proposal
from heedful.records.context import CONTEXT_GIVEN
from heedful.records.document import CORRECTIONS
from heedful.records.event import Entity, Event, EventFilter
from heedful.records.insight import Proof
from heedful.records.json import decode
from heedful.records.learning import Status
from heedful.records.lift import Lift
from heedful.records.outcome import UNIT
from heedful.records.review import REVIEWED
from heedful.records.suggestion import DECISIONS, SEPARATOR, is_feedback
from heedful.records.why import Use, Uses, Why
from heedful.store import Store
from heedful.store.event_rows import EVENT_COLUMNS, event_of
from heedful.store.secret import PSEUDONYM

_LATEST = 5  # uses and decisions that are named
_DECISIONS = 500  # of a rule, among which those of a pattern are looked for
_PATTERNS = 300  # of a rule, among which one that is not written down is looked for
_PLACES = 200  # learnings whose histories are read at once
_LATER = ", ".join(f"'{kind}'" for kind in events.ABOUT_LEARNINGS if kind != events.APPLIED)
_COLUMNS = ", ".join(EVENT_COLUMNS)
_IN_CONTEXT = '%"context":%'
_USED = f"""
org_id = :org and entity_kind = '{events.ENTITY}' and entity_id = :id and kind = '{events.APPLIED}'
and at <= :at and seq < :end
"""

SELECT_LATER = f"""
select {_COLUMNS} from feedback_event
where org_id = :org and entity_kind = '{events.ENTITY}' and entity_id in ({{ids}}) and kind in ({_LATER}) order by seq
"""
"""What happened to learnings, without their uses, which may be a thousand times as many."""
SELECT_USES = f"select {_COLUMNS} from feedback_event where {_USED} order by seq desc limit {_LATEST}"
COUNT_USES = f"""
select count(*), max(at), max(case when meta like :in_context then null else at end) from feedback_event where {_USED}
"""


class Explanations:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._log = store.log
        self._table = LearningTable(store)

    def of(self, id: str, at: datetime | None) -> Why:
        event = self._log.get(id)
        if event is not None and event.kind == CONTEXT_GIVEN:
            return self._of_context(event, at)
        moment = moment_of(self._store, at)
        story = self._story(id, moment) or self._given(id, moment)
        if story is None or (at is not None and story.row and known_since(self._store, story.row.first) > at):
            raise self._missing(id, event, at)
        uses = self._uses(id, story.row, moment)
        lift = self._lift(story.row) if at is None and story.row else None  # outcomes are counted as of now
        made = learning_graph(story, uses, lift, at)
        learning = None if story.row is None else record_of(story.row)
        return _explained(self._with_people(made), uses, learning, story.history, at, lift)

    def _with_people(self, made: Explained) -> Explained:
        """Each person once: who taught has a pseudonym, and the same person approves by name. Then the pseudonym stays,
        so that none of the two gives the other away."""
        named = {one for one in made.people if one.startswith(PSEUDONYM)}
        found: dict[str, str] = {}
        for one in made.people:
            pseudonym = one if one in named else self._store.secret.person(one)
            found.setdefault(pseudonym, pseudonym if pseudonym in named else one)
        return made._replace(people=tuple(found.values()))

    def _missing(self, id: str, event: Event | None, at: datetime | None) -> NotFound:
        if at is None or event is None or event.kind not in events.BEGINNINGS:
            return NotFound(
                f"There is no learning and no context {id!r} here.", hint="List them with `heedful learnings list`."
            )
        since = known_since(self._store, event)
        return NotFound(
            f"{id!r} was not known yet at {minute(at)}: it is known since {minute(since)}.",
            hint="Ask for a later time, or for none.",
        )

    # One learning

    def _story(self, id: str, moment: Moment) -> Story | None:
        history = self._histories([id], moment)[id]
        row = self._row(id, history, moment)
        if row is None:
            return None
        merged = self._merged_into(id, moment)
        told = self._telling(row, history, merged, moment)
        own = _Teller(self._store, row, history, moment, told)
        said = [*own.told(merged.keys()), *(deed for one in merged.values() for deed in _evidence(one, told))]
        said += [deeds.replacing(event, words) for event, words in self._replaced(id, merged.keys(), moment)]
        proofs = own.proofs([row, *(one.row for one in merged.values())])
        said += proofs.quotes
        erased = proofs.erased + own.erased()
        said.sort(key=lambda deed: (deed.event.at, deed.event.seq))
        return Story.of(row, _words(row), said, history=history, proofs=proofs.found, erased=erased)

    def _histories(self, ids: Sequence[str], moment: Moment) -> dict[str, list[Event]]:
        """The events of each learning that were known, without its uses, in the order of the log."""
        found: dict[str, list[Event]] = {id: [] for id in ids}
        for start in range(0, len(ids), _PLACES):
            some = ids[start : start + _PLACES]
            first = [event for event in self._log.known(some).values() if event.kind in events.BEGINNINGS]
            named = {f"n{number}": id for number, id in enumerate(some)}
            sql = SELECT_LATER.format(ids=", ".join(f":{name}" for name in named))
            rows = self._store.database.query(self._store.org, sql, org=self._store.org, **named)
            for event in (*first, *map(event_of, rows)):
                if moment.has(event) and (id := events.subject(event)) is not None:
                    found[id].append(event)
        return found

    def _row(self, id: str, history: Sequence[Event], moment: Moment) -> LearningRow | None:
        if moment == NOW:
            return self._table.get(id) or self._table.folded(id)
        row = _folded(history)
        if row is None:
            return None
        uses, state = self._times(id, moment), row.state
        if uses.last is not None:
            renewed = max(state.renewed_at, uses.last_applied or 0)
            state = state._replace(applied=uses.times, applied_at=uses.last, renewed_at=renewed)
        return self._with_disputes(row._replace(state=state), moment)

    def _with_disputes(self, row: LearningRow, moment: Moment) -> LearningRow:
        if row.state.contradicted is None:
            return row
        histories = self._histories(contrary(row.state), moment)
        rows = {id: _folded(history) for id, history in histories.items()}
        others = {id: other.state for id, other in rows.items() if other is not None}
        about = self._log.about(proposal.ENTITY, list(asked_about(row.state, others)))
        known = [event for event in about if moment.has(event)]
        decided = {event.entity for event in known if event.kind == proposal.DECIDED}
        pending = [event.id for event in known if event.kind == proposal.MADE and event.entity not in decided]
        return with_disputes(row, others, pending)

    def _merged_into(self, id: str, moment: Moment) -> dict[str, _Merged]:
        """What was merged into it, directly or through others, as far as that was known."""
        ids = [row.state.id for row in self._table.merged_into(id)]
        found = ((other, history, _folded(history)) for other, history in self._histories(ids, moment).items())
        return {
            other: _Merged(row, history)
            for other, history, row in found
            if row is not None and row.state.status == Status.MERGED
        }

    def _replaced(self, id: str, merged: Iterable[str], moment: Moment) -> Iterator[tuple[Event, str]]:
        """The events by which it took the place of others, with the words of these."""
        others = [other for other in self._table.superseded_by(id) if other not in set(merged)]
        for history in self._histories(others, moment).values():
            row = _folded(history)
            for event in history:
                if row is not None and event.kind == events.SUPERSEDED and event.meta.get("by") == id:
                    yield event, _words(row)

    def _telling(
        self, row: LearningRow, history: Sequence[Event], merged: Mapping[str, _Merged], moment: Moment
    ) -> Telling:
        named = {id for event in history for id in _links(event)} - merged.keys()
        others = self._histories(sorted(named), moment)
        reviews = [str(event.meta.get("review")) for event in history if event.kind in _IN_REVIEWS]
        return Telling(
            kind_of(row.state),
            edits(history),
            {id: _words(other) for id, history in others.items() if (other := _folded(history)) is not None},
            self._log.known(reviews),
            self._log.known([str(event.meta["message"]) for event in history if "message" in event.meta]),
            self._store.privacy().min_people,
        )

    # Uses

    def _lift(self, row: LearningRow) -> Lift | None:
        found = exposures(self._store, [row.state.id]).get(row.state.id)
        return None if found is None else lift_of(row, found)

    def _uses(self, id: str, row: LearningRow | None, moment: Moment) -> Uses:
        found = self._latest(id, moment)
        contexts = self._log.known([str(event.meta["context"]) for event in found if "context" in event.meta])
        values = self._outcomes(list(contexts.values()), moment)
        latest = (Use(event.at, context, values.get(str(context))) for event in found for context in [_context(event)])
        return Uses(self._times(id, moment).times if row is None else row.state.applied, tuple(latest))

    def _times(self, id: str, moment: Moment) -> _Times:
        params = {"org": self._store.org, "id": id, "at": moment.micros, "end": moment.end}
        (row,) = self._store.database.query(self._store.org, COUNT_USES, **params, in_context=_IN_CONTEXT)
        return _Times(*row)

    def _latest(self, id: str, moment: Moment) -> list[Event]:
        params = {"org": self._store.org, "id": id, "at": moment.micros, "end": moment.end}
        return [event_of(one) for one in self._store.database.query(self._store.org, SELECT_USES, **params)]

    def _outcomes(self, contexts: Sequence[Event], moment: Moment) -> dict[str, float]:
        """What counts of each context."""
        units = [one.entity.id for one in contexts if one.entity is not None and one.entity.kind == UNIT]
        about = self._log.about(UNIT, list(dict.fromkeys(units)))
        return values_by_context(event for event in about if moment.has(event))

    # What was given without being a learning yet

    def _given(self, id: str, moment: Moment, rule: str | None = None) -> Story | None:
        """What was decided once, or corrected on a document; or a pattern that no job has written down yet, and one
        that was only imported, which none will. Its id is known from contexts for its rule."""
        event = self._log.get(id)
        if event is not None and event.kind != events.COUNTED:  # a pattern that was written down later has one
            return _act(event) if moment.has(event) else None
        used = [] if rule is not None else self._latest(id, moment)
        contexts = self._log.known([context for event in used if (context := _context(event)) is not None])
        rules = [rule, *(event.meta.get("rule") for event in contexts.values())]
        return next((story for one in rules if one and (story := self._pattern(id, str(one), moment))), None)

    def _pattern(self, id: str, rule: str, moment: Moment) -> Story | None:
        """Whoever was given it was given it by then, so it is told also if its decisions are too old to be read."""
        counted = SuggestionTallies(self._store).repeated(rule, _PATTERNS)
        named = ((row.key.partition(SEPARATOR)[0], row.counts) for row in counted)
        found = next((one for one in named if learning_id(rule, one[0]) == id), None)
        if found is None:
            return None
        pattern, total = found
        about = _rule_events(self._store, rule, pattern, moment)
        decisions = [event for event in about if event.kind in DECISIONS]
        brought = [deed for event in about if (deed := deeds.brought(event, pattern)) is not None]
        said = [*brought, *map(deeds.decided, decisions[:_LATEST])]
        said.sort(key=lambda deed: (deed.event.at, deed.event.seq))
        counts = Counter(DECISIONS[event.kind].value for event in decisions)
        made = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
        facts = ("not written down", *([f"{len(decisions):,} decisions: {made}"] if decisions else []))
        return Story(id, PATTERN.name, facts, self._change(rule, pattern, total), None, tuple(said))

    def _change(self, rule: str, pattern: str, counts: DecisionCounts) -> str:
        """The texts of a pattern, if they may be read."""
        tallies, privacy = SuggestionTallies(self._store), self._store.privacy()
        texts = [decode(row.key) for row in tallies.texts_of(rule, [pattern])[pattern]]
        people = tallies.people_of(rule, [pattern]).get(pattern, 0)
        readable = privacy.store_original_text or not counts.decided or people >= privacy.min_people  # or imported
        words: list[str] = next((text for text in texts if readable and all(isinstance(one, str) for one in text)), [])
        return " to ".join(map(quote, words)) or "a suggested change"

    # A context

    def _of_context(self, event: Event, at: datetime | None) -> Why:
        """With its learnings as they were when it was given: what was recorded before it is known exactly."""
        if at is not None and event.at > at:
            raise NotFound(
                f"The context {event.id!r} was given later, at {minute(event.at)}.",
                hint="Ask for a later time, or for none.",
            )
        then = Moment(end=event.seq)
        ids = [str(id) for id in event.meta.get("learnings", ())]
        ids += [str(id) for name in ("decisions", "examples") for id in event.meta.get(name, ())]
        rule = event.meta.get("rule")
        stories = {id: self._story(id, then) or self._given(id, then, rule) for id in ids}
        known = [story for story in stories.values() if story is not None]
        value = self._outcomes([event], Moment(at)).get(event.id)
        uses = Uses(1, (Use(event.at, event.id, value),))
        made = context_graph(event, known, len(stories) - len(known), value)
        return _explained(self._with_people(made), uses, None, (event,), at)


class _Times(NamedTuple):
    """How often a learning was used, and when last: at all, and applied to an output."""

    times: int
    last: int | None
    last_applied: int | None


class _Merged(NamedTuple):
    row: LearningRow
    history: Sequence[Event]


class _Proofs(NamedTuple):
    found: tuple[Proof, ...]
    quotes: Sequence[Deed]
    erased: int


class _Teller:
    """Tells what happened to one learning."""

    def __init__(self, store: Store, row: LearningRow, history: Sequence[Event], moment: Moment, told: Telling) -> None:
        self._store = store
        self._log = store.log
        self._row = row
        self._history = history
        self._moment = moment
        self._told = told
        self._evidence = self._log.known(_named(row.first, *history) if row.state.kind in _WITH_EVIDENCE else [])

    def told(self, merged: Iterable[str]) -> list[Deed]:
        """What people did, and what became of it. What was merged into it is told with its own words instead."""
        known, kind = set(merged), self._row.state.kind
        evaluated = [event for event in self._history if event.kind == events.EVALUATED]
        skipped = {event.id for event in self._history if event.kind == events.CONFIRMED and known & {*_links(event)}}
        skipped |= {event.id for event in evaluated[:-1]}  # the last one counts
        told = (deeds.deed(event, self._told) for event in self._history if event.id not in skipped)
        found = [deed for deed in told if deed is not None]
        if kind == MAPPING.name:
            return self._mapped(found)
        if kind == INSIGHT.name:
            found = [self._imported(deed) if deed.label == deeds.IMPORTED else deed for deed in found]
        more = {RULE.name: self._proposed, PATTERN.name: self._decided}.get(kind)
        return [*found, *(more() if more is not None else ())]

    def _mapped(self, found: Sequence[Deed]) -> list[Deed]:
        """The acts of people, which say on which document; and what did not follow from one of these."""
        acts = [event for event in self._log.about(mapping.ENTITY, [self._row.state.id]) if self._moment.has(event)]
        drafts = self._log.known([str(event.meta["draft"]) for event in acts if "draft" in event.meta])
        documents = {id: draft.entity.id for id, draft in drafts.items() if draft.entity is not None}
        followed = {(event.at, event.actor) for event in acts}
        others = [deed for deed in found if (deed.event.at, deed.event.actor) not in followed]
        return [*(deeds.mapped(event, documents.get(str(event.meta.get("draft")))) for event in acts), *others]

    def _imported(self, deed: Deed) -> Deed:
        """Told with the day of the import; the event has the day on which others learned it."""
        found = with_it(self._store, deed.event)
        signer = found[0].after.get("signed_by") if found else None
        by = f" Signed by {signer}." if isinstance(signer, str) else ""
        event = deed.event._replace(at=max(deed.event.at, found[0].at)) if found else deed.event
        return deed._replace(event=event, words=f"{deed.words}{by}")

    def _proposed(self) -> list[Deed]:
        id = str(self._row.first.meta.get("proposal", ""))
        about = [event for event in self._log.about(proposal.ENTITY, [id]) if self._moment.has(event)] if id else []
        reviews = [deeds.reviewed(event) for event in self._evidence.values() if event.kind == REVIEWED]
        return [*deeds.proposed(about, id), *(deed._replace(toward=id) for deed in reviews)]

    def _decided(self) -> list[Deed]:
        """The newest decisions that it counts, if they are among the newest of its rule."""
        place, pattern = self._row.first.entity, str(self._row.first.meta.get("pattern", ""))
        if place is None or not pattern:
            return []
        about = _rule_events(self._store, place.id, pattern, self._moment)
        return [deeds.decided(event) for event in about if event.kind in DECISIONS][:_LATEST]

    def proofs(self, rows: Sequence[LearningRow]) -> _Proofs:
        """The conversations that taught an insight. Messages that were erased are not quoted."""
        if self._row.state.kind != INSIGHT.name:
            return _Proofs((), (), 0)
        found = [proof_of(row) for row in rows]
        messages = self._log.known(list({quote.message for proof in found for quote in proof.quotes}))
        kept = [
            replace(proof, quotes=tuple(quote for quote in proof.quotes if quote.message in messages))
            for proof in found
        ]
        quotes = [
            deeds.quoted(messages[quote.message], quote, proof.learning) for proof in kept for quote in proof.quotes
        ]
        erased = sum(len(proof.quotes) for proof in found) - len(quotes)
        return _Proofs(tuple(kept), quotes, erased)

    def erased(self) -> int:
        """How many events it names as its evidence are gone."""
        if self._row.state.kind not in _WITH_EVIDENCE:
            return 0
        return len(set(_named(self._row.first, *self._history)) - self._evidence.keys())


_WITH_EVIDENCE = (RULE.name, MAPPING.name)
"""Kinds whose events name other events as their evidence."""


_LINKS = {
    events.CONFIRMED: "by",
    events.CONTRADICTED: "by",
    events.SUPERSEDED: "by",
    events.MERGED: "into",
}
_IN_REVIEWS = (events.RECURRED, events.OPPOSED)


def _rule_events(store: Store, rule: str, pattern: str, moment: Moment) -> list[Event]:
    """The decisions and imports that a pattern counts, newest first, as far as they are new enough."""
    about = EventFilter(entity=Entity("rule", rule), newest_first=True)
    page = store.log.page(about, moment.end if moment.end < ALWAYS else None, _DECISIONS)
    return [
        event
        for event in page
        if (pattern in event.meta_json or pattern in event.after_json) and moment.has(event) and is_feedback(event)
    ]


def _act(event: Event) -> Story | None:
    """One act of a person that was given by itself."""
    facts = (f"made on {event.at:%Y-%m-%d}",)
    if event.kind in DECISIONS and is_feedback(event):
        return Story(event.id, deeds.DECISION, facts, deeds.decided_once(event), event.at)
    if event.kind in CORRECTIONS:
        said = in_words(example_of(event))
        return Story(event.id, deeds.EXAMPLE, facts, said, event.at, (deeds.corrected_on_document(event),))
    return None


def _named(*told: Event) -> list[str]:
    return list({str(id) for event in told for id in event.meta.get("evidence", ())})


def _evidence(one: _Merged, told: Telling) -> Iterator[Deed]:
    """What people said under another id, which was merged since."""
    for event in one.history:
        again = event.kind == events.CONFIRMED and not _links(event)
        if (event.kind in events.BEGINNINGS or again) and (found := deeds.deed(event, told)) is not None:
            yield found._replace(weight=2)


def _links(event: Event) -> list[str]:
    """The other learning that an event names."""
    name = _LINKS.get(event.kind)
    other = None if name is None else event.meta.get(name)
    return [other] if isinstance(other, str) else []


def _folded(history: Sequence[Event]) -> LearningRow | None:
    state = None
    for event in history:
        state = advanced(state, event)
    if state is None:
        return None
    places = {event.seq: event for event in history}
    return LearningRow(state, places[state.no], places[state.said])


def _words(row: LearningRow) -> str:
    one: Any = record_of(row)
    short = {INSIGHT.name: "title", RULE.name: "text"}.get(row.state.kind)
    return KINDS[row.state.kind].render(one).text if short is None else str(getattr(one, short))


def _context(event: Event) -> str | None:
    found = event.meta.get("context")
    return found if isinstance(found, str) else None


def _explained(
    made: Explained, uses: Uses, learning: Any, history: Sequence[Event], at: datetime | None, lift: Lift | None = None
) -> Why:
    return Why(
        learning=learning,
        proofs=made.proofs,
        history=tuple(history),
        people=made.people,
        uses=uses,
        lift=lift,
        nodes=made.nodes,
        edges=made.edges,
        text=made.text,
        mermaid=made.mermaid,
        as_of=at,
    )
